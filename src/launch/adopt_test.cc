// Processes that ran before their shim: watched over, ended, let go, and never harmed by a death of
// ours.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "jobdir/process_tree.h"
#include "jobdir/running_process.h"
#include "launch/shim_harness.h"

namespace gpusched {
namespace {

const AttemptId kAdoption{JobId{1}, 1};

class Adopted : public ::testing::Test {
 protected:
  void SetUp() override {
    pid_ = ::fork();
    ASSERT_GE(pid_, 0);
    if (pid_ == 0) {
      ::setsid();
      ::execl("/bin/sleep", "sleep", "600", nullptr);
      ::_exit(127);
    }
    ASSERT_TRUE(harness_.run_until([&] {
      const auto now = look_at_process(pid_);
      return now && now->argv.front() == "sleep";
    }));
  }
  void TearDown() override {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  LaunchOrder adopting_order() {
    LaunchOrder order = harness_.plain_order(kAdoption, {"sleep", "600"});
    order.adopted = AdoptedProcess{pid_, find_process(pid_)->started};
    return order;
  }
  void adopt(LaunchOrder order) {
    harness_.launcher().launch(std::move(order));
    ASSERT_TRUE(harness_.run_until([&] { return started() > 0; }));
    EXPECT_EQ(parse_status(harness_.read(kAdoption, "status"))->pid, pid_);
  }
  int started() const {
    int count = 0;
    for (const SeamReport& report : harness_.reports()) {
      count += std::holds_alternative<AttemptRunning>(report) ? 1 : 0;
    }
    return count;
  }
  const AttemptFinished* ended() const {
    for (const SeamReport& report : harness_.reports()) {
      if (const auto* one = std::get_if<AttemptFinished>(&report)) return one;
    }
    return nullptr;
  }
  bool await_end() {
    return harness_.run_until([&] { return ended() != nullptr; });
  }
  bool lives() const {
    const auto found = find_process(pid_);
    return found && !found->zombie;
  }
  void replace_shim() {
    const int before = harness_.shim_pid(kAdoption);
    harness_.kill_supervisor(kAdoption);
    EXPECT_TRUE(harness_.run_until([&] {
      const int now = harness_.shim_pid(kAdoption);
      return now != 0 && now != before;
    }));
  }

  pid_t pid_ = 0;
  ShimHarness harness_{false};
};

TEST_F(Adopted, ItsEndIsNoticedButNotHow) {
  adopt(adopting_order());
  ::kill(pid_, SIGKILL);
  ASSERT_TRUE(await_end());
  EXPECT_EQ(ended()->cause, Cause::kExit);
  EXPECT_FALSE(ended()->exit_code || ended()->signal || ended()->let_go);
}

TEST_F(Adopted, AnotherShimKnowsWhatItHoldsAndWhoseItIs) {
  LaunchOrder order = adopting_order();
  order.holds = "a card";
  const ClaimOwner owner{order.command.owner.uid, order.command.owner.gid};
  adopt(order);
  replace_shim();
  const auto claim = parse_claim(harness_.read(kAdoption, "claim"));
  ASSERT_TRUE(claim) << claim.error().message;
  EXPECT_EQ(claim->holds, "a card");
  EXPECT_EQ(claim->owner, owner);
}

TEST_F(Adopted, OneThatHasEndedBeforeIsReportedAndItsNumberNotTouched) {
  LaunchOrder order = adopting_order();
  order.adopted->started += Seconds{1};  // It is another process of the same number.
  harness_.launcher().launch(order);
  ASSERT_TRUE(await_end());
  EXPECT_EQ(ended()->cause, Cause::kExit);
  EXPECT_TRUE(lives());
}

TEST_F(Adopted, IsEndedOnRequestAndByItsTimeLimit) {
  LaunchOrder order = adopting_order();
  order.time.limit = Seconds{1};
  adopt(order);
  ASSERT_TRUE(await_end());
  EXPECT_EQ(ended()->cause, Cause::kTimeout);
  EXPECT_FALSE(lives());
}

TEST_F(Adopted, IsLetGoAlive) {
  adopt(adopting_order());
  harness_.launcher().let_go(kAdoption);
  ASSERT_TRUE(await_end());
  EXPECT_TRUE(ended()->let_go);
  EXPECT_TRUE(lives());
}

TEST_F(Adopted, IsFrozenAndWokenAndNotLeftFrozen) {
  adopt(adopting_order());
  harness_.mover().move_aside({.attempt = kAdoption});
  ASSERT_TRUE(harness_.run_until([&] { return find_process(pid_)->stopped; }));
  replace_shim();
  harness_.mover().bring_back({.attempt = kAdoption});
  EXPECT_TRUE(harness_.run_until([&] { return !find_process(pid_)->stopped; }))
      << "the second shim knows that the first had stopped it";
  EXPECT_EQ(started(), 1);
}

TEST_F(Adopted, IsWokenWhenTheOrderCameWhileItsShimWasReplaced) {
  adopt(adopting_order());
  harness_.mover().move_aside({.attempt = kAdoption});
  ASSERT_TRUE(harness_.run_until([&] { return find_process(pid_)->stopped; }));
  harness_.kill_supervisor(kAdoption);
  ASSERT_TRUE(harness_.run_until([&] { return !harness_.follows(kAdoption); }));
  harness_.mover().bring_back({.attempt = kAdoption});
  EXPECT_TRUE(harness_.run_until([&] { return !find_process(pid_)->stopped; }));
}

TEST_F(Adopted, ADeadShimIsReplacedAndTheProcessDoesNotNotice) {
  adopt(adopting_order());
  replace_shim();
  EXPECT_TRUE(lives());
  EXPECT_EQ(ended(), nullptr);
  harness_.launcher().stop(kAdoption, Seconds{5});
  ASSERT_TRUE(await_end());
  EXPECT_FALSE(lives());
}

TEST_F(Adopted, ItOutlivesDaemonAndShimTogetherAndIsFoundAgain) {
  adopt(adopting_order());
  const int shim = harness_.shim_pid(kAdoption);
  harness_.kill_supervisor(kAdoption);
  harness_.restart();
  harness_.launcher().reattach(kAdoption);
  EXPECT_TRUE(harness_.run_until([&] { return started() > 1; }));
  EXPECT_NE(harness_.shim_pid(kAdoption), shim);
  EXPECT_TRUE(lives());
  harness_.launcher().let_go(kAdoption);
  ASSERT_TRUE(await_end());
  EXPECT_TRUE(lives());
}

TEST_F(Adopted, WithoutAReadableClaimItIsLeftAlone) {
  adopt(adopting_order());
  const int shim = harness_.shim_pid(kAdoption);
  { std::ofstream(harness_.attempt_path(kAdoption) + "/claim") << "rubbish"; }
  ::kill(shim, SIGKILL);
  ASSERT_TRUE(harness_.run_until([&] {
    return std::ranges::any_of(harness_.reports(), [](const SeamReport& report) {
      return std::holds_alternative<SupervisorLost>(report);
    });
  }));
  EXPECT_TRUE(lives());
}

TEST(RunningProcess, SaysWhoItIs) {
  const auto self = look_at_process(::getpid());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->uid, ::getuid());
  EXPECT_TRUE(self->plain_identity);
  EXPECT_EQ(self->tree.front(), ::getpid());
  EXPECT_EQ(self->ancestors.empty(), ::getppid() == 1);
  EXPECT_FALSE(look_at_process(1 << 22));
}

}  // namespace
}  // namespace gpusched
