#include "sampler/exit_watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpusched::testing {
namespace {

using Ended = std::vector<std::pair<CardNumber, int>>;

int start_child() {
  const int pid = ::fork();
  if (pid == 0) {
    ::alarm(60);
    while (true) ::pause();
  }
  return pid;
}
void end_child(int pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

class ExitWatchTest : public ::testing::Test {
 protected:
  void collect() {
    pollfd wait{exits_.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&wait, 1, 20'000), 1);
    exits_.collect();
  }
  bool has_news() {
    pollfd wait{exits_.fd(), POLLIN, 0};
    return ::poll(&wait, 1, 0) == 1;
  }
  Ended ended_;
  ExitWatch exits_{[this](CardNumber card, int pid) { ended_.emplace_back(card, pid); }};
};

TEST_F(ExitWatchTest, TellsEveryCardThatListedTheProcess) {
  const int pid = start_child();
  EXPECT_TRUE(exits_.set_listed(CardNumber{0}, {pid}).empty());
  EXPECT_TRUE(exits_.set_listed(CardNumber{2}, {pid}).empty());
  EXPECT_TRUE(exits_.watches(pid));
  EXPECT_FALSE(has_news());
  end_child(pid);
  collect();
  EXPECT_EQ(ended_, (Ended{{CardNumber{0}, pid}, {CardNumber{2}, pid}}));
  EXPECT_FALSE(exits_.watches(pid));
  EXPECT_FALSE(has_news()) << "Once.";
}

TEST_F(ExitWatchTest, ACardThatListsADeadProcessHearsOfItOnce) {
  const int pid = start_child();
  exits_.set_listed(CardNumber{0}, {pid});
  end_child(pid);
  collect();
  EXPECT_TRUE(exits_.set_listed(CardNumber{0}, {pid}).empty()) << "It was told.";
  EXPECT_EQ(exits_.set_listed(CardNumber{1}, {pid}), std::vector<int>{pid});
  EXPECT_TRUE(exits_.set_listed(CardNumber{1}, {pid}).empty());
  exits_.set_listed(CardNumber{0}, {});
  exits_.set_listed(CardNumber{1}, {});
  EXPECT_EQ(exits_.set_listed(CardNumber{1}, {pid}), std::vector<int>{pid}) << "Listed anew.";
}

TEST_F(ExitWatchTest, WhatIsNoLongerListedIsNotWatched) {
  const int pid = start_child();
  exits_.set_listed(CardNumber{0}, {pid});
  exits_.set_listed(CardNumber{0}, {});
  EXPECT_FALSE(exits_.watches(pid));
  end_child(pid);
  EXPECT_FALSE(has_news());
}

}  // namespace
}  // namespace gpusched::testing
