#include "http/background.h"

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <future>
#include <string>

namespace gpusched::testing {
namespace {

class BackgroundTest : public ::testing::Test {
 protected:
  void run_until(const std::function<bool()>& done) {
    loop_.restart();
    const auto busy = boost::asio::make_work_guard(loop_);
    while (!done()) ASSERT_GT(loop_.run_one_for(std::chrono::seconds{60}), 0u) << "nothing came";
  }
  std::function<Background::Then()> says(char name) {
    return [this, name]() -> Background::Then { return [this, name] { order_ += name; }; };
  }

  boost::asio::io_context loop_;
  std::string order_;
};

TEST_F(BackgroundTest, WhoHangsHangsAlone) {
  Background background(loop_, 2);
  std::promise<void> let_go;
  const std::shared_future<void> gone = let_go.get_future().share();
  background.post(1, [this, gone]() -> Background::Then {
    gone.wait();
    return [this] { order_ += 'h'; };
  });
  background.post(1, says('1'));  // Would take the second thread.
  background.post(2, says('2'));
  background.post(3, says('3'));
  run_until([this] { return order_.size() == 2; });
  EXPECT_EQ(order_, "23");
  let_go.set_value();
  run_until([this] { return order_.size() == 4; });
  EXPECT_EQ(order_, "23h1");
}

TEST_F(BackgroundTest, UsersTakeTurns) {
  Background background(loop_);
  std::promise<void> let_go;
  const std::shared_future<void> gone = let_go.get_future().share();
  background.post(9, [gone]() -> Background::Then {
    gone.wait();
    return [] {};
  });
  for (int i = 0; i < 3; ++i) background.post(1, says('1'));
  background.post(2, says('2'));
  let_go.set_value();
  run_until([this] { return order_.size() == 4; });
  EXPECT_EQ(order_, "1211");
}

TEST_F(BackgroundTest, WhatIsLeftIsDropped) {
  {
    Background background(loop_);
    background.post(1, says('1'));
  }
  loop_.poll();
  EXPECT_EQ(order_, "");
}

}  // namespace
}  // namespace gpusched::testing
