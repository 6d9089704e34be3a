#include "http/loop_turns.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

namespace gpusched::testing {
namespace {

class LoopTurnsTest : public ::testing::Test {
 protected:
  // Work of a user that takes so long.
  LoopTurns::Work work(char name, std::int64_t microseconds) {
    return [this, name, microseconds] {
      order_ += name;
      now_.boot += Microseconds{microseconds};
    };
  }
  void run() {
    loop_.restart();
    loop_.run();
  }

  boost::asio::io_context loop_;
  Now now_{Wall{}, Boot{Seconds{1000}}};
  LoopTurns turns_{loop_, [this] { return now_; }};
  std::string order_;
};

TEST_F(LoopTurnsTest, WhoHadLeastGoesFirst) {
  for (int i = 0; i < 4; ++i) turns_.give(1, work('a', 500));
  turns_.give(2, work('b', 10));
  turns_.give(2, work('b', 10));
  run();
  EXPECT_EQ(order_, "abbaaa");
}

TEST_F(LoopTurnsTest, WhoComesLaterWithSmallThingsDoesNotWaitForTheRest) {
  for (int i = 0; i < 10; ++i) turns_.give(1, work('a', 3000));
  loop_.run_one();
  EXPECT_EQ(order_, "a") << "a slice is over with it";
  turns_.give(2, work('b', 10));
  loop_.run_one();
  EXPECT_EQ(order_.substr(0, 2), "ab");
  run();
  EXPECT_EQ(order_.size(), 11u);
}

TEST_F(LoopTurnsTest, EachKeepsTheOrderOfTheirOwn) {
  turns_.give(1, work('1', 5));
  turns_.give(1, work('2', 5));
  turns_.give(1, work('3', 5));
  run();
  EXPECT_EQ(order_, "123");
}

TEST_F(LoopTurnsTest, WhatWasUsedIsForgotten) {
  turns_.give(1, work('a', 2'000));
  run();
  now_.boot += Seconds{10};
  for (int i = 0; i < 12; ++i) {  // Halves with each look.
    turns_.give(3, work('.', 1));
    run();
    now_.boot += Seconds{1};
  }
  order_.clear();
  turns_.give(2, work('b', 600));
  turns_.give(2, work('b', 600));
  turns_.give(1, work('a', 1));
  run();
  EXPECT_EQ(order_, "abb");
}

TEST_F(LoopTurnsTest, StopsWhenItMayNotGoOn) {
  LoopTurns::Waiting waiting;
  for (int i = 0; i < 5; ++i) waiting[1].push_back(work('a', 1));
  turns_.run(waiting, [this] { return order_.size() < 2; });
  EXPECT_EQ(order_, "aa");
  EXPECT_EQ(waiting[1].size(), 3u);
}

}  // namespace
}  // namespace gpusched::testing
