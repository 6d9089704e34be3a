// The contract of the Launcher seam as typed tests: the real launcher and the simulated one run
// the same ones. Instantiate with
//   INSTANTIATE_TYPED_TEST_SUITE_P(Name, LauncherContract, ::testing::Types<Harness>);
//
// A harness is default-constructible and offers:
//   Launcher& launcher();
//   LaunchOrder order(AttemptId, CommandKind);        // Filled in, ready to launch.
//   const std::vector<SeamReport>& reports();     // All so far, across restarts.
//   bool run_until(const std::function<bool()>& condition);  // False: the deadline passed.
//   void restart();                                   // The daemon crashes and comes back.
//   void finish(AttemptId, int exit_code);            // Ends a kWaits command from within.
//   void kill_supervisor(AttemptId);
//   void wait_until_ready(AttemptId);  // A kIgnoresTerm command does ignore it. May be absent.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <map>
#include <vector>

#include "engine/launcher.h"
#include "engine/mover.h"

namespace gpusched {

enum class CommandKind {
  kExitsWithThree,
  kWaits,        // Until finish(); TERM ends it.
  kIgnoresTerm,  // Likewise, but only KILL or finish() ends it.
  kNoSuchProgram,
  kSaves,  // At USR1, and ends as saved; TERM ends it, too.
};

// Reports of launcher and mover, in the order in which they came.
using SeamReport = std::variant<AttemptRunning, AttemptFinished, AttemptNeverRan, SupervisorLost,
                                MovedAside, BroughtBack, MoveFailed>;
template <class Report>
void note(std::vector<SeamReport>& reports, const Report& report) {
  std::visit([&](const auto& said) { reports.emplace_back(said); }, report);
}

inline AttemptId attempt_of(const SeamReport& report) {
  return std::visit([](const auto& r) { return r.attempt; }, report);
}
inline bool is_about_move(const SeamReport& report) {
  return std::holds_alternative<MovedAside>(report) ||
         std::holds_alternative<BroughtBack>(report) || std::holds_alternative<MoveFailed>(report);
}
inline bool is_final(const SeamReport& report) {
  return !std::holds_alternative<AttemptRunning>(report) && !is_about_move(report);
}

template <class Harness>
class LauncherContract : public ::testing::Test {
 protected:
  // The harness may find that this machine lacks what it needs.
  void SetUp() override {
    if constexpr (requires { harness_.why_not(); }) {
      if (!harness_.why_not().empty()) GTEST_SKIP() << harness_.why_not();
    }
  }

  Launcher& launcher() { return harness_.launcher(); }
  void launch(AttemptId id, CommandKind kind) { launcher().launch(harness_.order(id, kind)); }

  template <class T>
  const T* find(AttemptId id) {
    const T* found = nullptr;
    for (const SeamReport& report : harness_.reports()) {
      if (attempt_of(report) != id) continue;
      if (const T* one = std::get_if<T>(&report)) found = one;
    }
    return found;
  }
  bool run_until_started(AttemptId id) {
    return harness_.run_until([&] { return find<AttemptRunning>(id) != nullptr; });
  }
  bool run_until_final(AttemptId id) {
    return harness_.run_until([&] { return finals(id) > 0; });
  }
  int finals(AttemptId id) {
    int count = 0;
    for (const SeamReport& report : harness_.reports()) {
      count += attempt_of(report) == id && is_final(report) ? 1 : 0;
    }
    return count;
  }

  Harness harness_;
  const AttemptId one_{JobId{1}, 1};
};

TYPED_TEST_SUITE_P(LauncherContract);

TYPED_TEST_P(LauncherContract, ReportsTheStartThenTheExitCode) {
  this->launch(this->one_, CommandKind::kExitsWithThree);
  ASSERT_TRUE(this->run_until_final(this->one_));
  ASSERT_EQ(this->harness_.reports().size(), 2U);
  EXPECT_TRUE(std::holds_alternative<AttemptRunning>(this->harness_.reports()[0]));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->cause, Cause::kExit);
  EXPECT_EQ(ended->exit_code, 3);
  EXPECT_FALSE(ended->signal.has_value());
  ASSERT_TRUE(ended->started_at.has_value());
  EXPECT_LE(*ended->started_at, ended->ended_at);
}

TYPED_TEST_P(LauncherContract, ReportsNothingFromInsideACall) {
  this->launch(this->one_, CommandKind::kExitsWithThree);
  this->launcher().reattach(AttemptId{JobId{2}, 1});
  EXPECT_TRUE(this->harness_.reports().empty());
}

TYPED_TEST_P(LauncherContract, ACommandThatCannotBeRunEndsAsALaunchFailure) {
  this->launch(this->one_, CommandKind::kNoSuchProgram);
  ASSERT_TRUE(this->run_until_final(this->one_));
  EXPECT_EQ(this->template find<AttemptRunning>(this->one_), nullptr);
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->cause, Cause::kLaunch);
  EXPECT_FALSE(ended->message.empty());
  EXPECT_FALSE(ended->started_at.has_value());
}

TYPED_TEST_P(LauncherContract, StopTerminatesACommand) {
  this->launch(this->one_, CommandKind::kWaits);
  ASSERT_TRUE(this->run_until_started(this->one_));
  this->launcher().stop(this->one_, Seconds{60});
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->cause, Cause::kSignal);
  EXPECT_EQ(ended->signal, SIGTERM);
}

TYPED_TEST_P(LauncherContract, StopKillsACommandThatIgnoresTermWhenTheGraceIsOver) {
  this->launch(this->one_, CommandKind::kIgnoresTerm);
  ASSERT_TRUE(this->run_until_started(this->one_));
  if constexpr (requires { this->harness_.wait_until_ready(this->one_); }) {
    this->harness_.wait_until_ready(this->one_);
  }
  this->launcher().stop(this->one_, Seconds{600});
  this->launcher().stop(this->one_, Seconds{0});
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->signal, SIGKILL);
}

TYPED_TEST_P(LauncherContract, StopBeforeTheStartWasReportedStillEndsIt) {
  this->launch(this->one_, CommandKind::kWaits);
  this->launcher().stop(this->one_, Seconds{60});
  ASSERT_TRUE(this->run_until_final(this->one_));
  EXPECT_EQ(this->template find<SupervisorLost>(this->one_), nullptr);
}

TYPED_TEST_P(LauncherContract, StopOfAnUnknownAttemptDoesNothing) {
  this->launcher().stop(this->one_, Seconds{0});
  this->launcher().change_time(this->one_, TimeRule{});
  this->launch(AttemptId{JobId{2}, 1}, CommandKind::kExitsWithThree);
  ASSERT_TRUE(this->run_until_final(AttemptId{JobId{2}, 1}));
  EXPECT_EQ(this->finals(this->one_), 0);
}

TYPED_TEST_P(LauncherContract, ATimeLimitEndsTheAttemptAsTimeout) {
  LaunchOrder order = this->harness_.order(this->one_, CommandKind::kWaits);
  order.time.limit = Seconds{1};
  this->launcher().launch(std::move(order));
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->cause, Cause::kTimeout);
}

TYPED_TEST_P(LauncherContract, AChangedTimeLimitCounts) {
  this->launch(this->one_, CommandKind::kWaits);
  ASSERT_TRUE(this->run_until_started(this->one_));
  TimeRule rule;
  rule.limit = Seconds{1};
  this->launcher().change_time(this->one_, rule);
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->cause, Cause::kTimeout);
}

TYPED_TEST_P(LauncherContract, AdoptsARunningAttempt) {
  this->launch(this->one_, CommandKind::kWaits);
  ASSERT_TRUE(this->run_until_started(this->one_));
  const std::size_t before = this->harness_.reports().size();
  this->harness_.restart();
  this->launcher().reattach(this->one_);
  ASSERT_TRUE(this->harness_.run_until([&] { return this->harness_.reports().size() > before; }));
  EXPECT_TRUE(std::holds_alternative<AttemptRunning>(this->harness_.reports().back()));
  this->harness_.finish(this->one_, 7);
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->exit_code, 7);
}

TYPED_TEST_P(LauncherContract, StopReachesAnAdoptedAttempt) {
  this->launch(this->one_, CommandKind::kWaits);
  ASSERT_TRUE(this->run_until_started(this->one_));
  this->harness_.restart();
  this->launcher().reattach(this->one_);
  this->launcher().stop(this->one_, Seconds{60});
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->signal, SIGTERM);
}

TYPED_TEST_P(LauncherContract, AdoptReportsAnEndThatHappenedInBetween) {
  this->launch(this->one_, CommandKind::kWaits);
  ASSERT_TRUE(this->run_until_started(this->one_));
  this->harness_.restart();
  this->harness_.finish(this->one_, 9);
  this->launcher().reattach(this->one_);
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->exit_code, 9);
}

TYPED_TEST_P(LauncherContract, AdoptOfAnAttemptThatNobodyLaunchedIsNotStarted) {
  this->launcher().reattach(this->one_);
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* not_started = this->template find<AttemptNeverRan>(this->one_);
  ASSERT_NE(not_started, nullptr);
  EXPECT_EQ(not_started->error, "");
}

TYPED_TEST_P(LauncherContract, AnAttemptDeclaredNotStartedStaysThatWay) {
  this->launcher().reattach(this->one_);
  ASSERT_TRUE(this->run_until_final(this->one_));
  this->harness_.restart();
  this->launcher().reattach(this->one_);
  ASSERT_TRUE(this->harness_.run_until([&] { return this->finals(this->one_) == 2; }));
  EXPECT_EQ(this->template find<SupervisorLost>(this->one_), nullptr);
}

TYPED_TEST_P(LauncherContract, AKilledSupervisorIsReportedAsLost) {
  this->launch(this->one_, CommandKind::kWaits);
  ASSERT_TRUE(this->run_until_started(this->one_));
  this->harness_.kill_supervisor(this->one_);
  ASSERT_TRUE(this->run_until_final(this->one_));
  EXPECT_NE(this->template find<SupervisorLost>(this->one_), nullptr);
}

TYPED_TEST_P(LauncherContract, ASupervisorKilledWhileNobodyLookedIsReportedAsLost) {
  this->launch(this->one_, CommandKind::kWaits);
  ASSERT_TRUE(this->run_until_started(this->one_));
  this->harness_.restart();
  this->harness_.kill_supervisor(this->one_);
  this->launcher().reattach(this->one_);
  ASSERT_TRUE(this->run_until_final(this->one_));
  EXPECT_NE(this->template find<SupervisorLost>(this->one_), nullptr);
}

TYPED_TEST_P(LauncherContract, AttemptsOfOneJobAreApart) {
  const AttemptId two{JobId{1}, 2};
  this->launch(this->one_, CommandKind::kExitsWithThree);
  ASSERT_TRUE(this->run_until_final(this->one_));
  this->launch(two, CommandKind::kWaits);
  ASSERT_TRUE(this->run_until_started(two));
  this->harness_.finish(two, 4);
  ASSERT_TRUE(this->run_until_final(two));
  EXPECT_EQ(this->template find<AttemptFinished>(two)->exit_code, 4);
  EXPECT_EQ(this->template find<AttemptFinished>(this->one_)->exit_code, 3);
}

TYPED_TEST_P(LauncherContract, EveryAttemptIsAnsweredExactlyOnce) {
  constexpr std::uint64_t kJobs = 40;
  for (std::uint64_t i = 1; i <= kJobs; ++i) {
    this->launch(AttemptId{JobId{i}, 1},
                 i % 4 == 0 ? CommandKind::kNoSuchProgram : CommandKind::kExitsWithThree);
  }
  const auto all_final = [&] {
    int count = 0;
    for (std::uint64_t i = 1; i <= kJobs; ++i) count += this->finals(AttemptId{JobId{i}, 1});
    return count >= static_cast<int>(kJobs);
  };
  ASSERT_TRUE(this->harness_.run_until(all_final));
  std::map<AttemptId, bool> final_seen;
  for (const SeamReport& report : this->harness_.reports()) {
    EXPECT_FALSE(final_seen[attempt_of(report)]) << to_string(attempt_of(report));
    if (is_final(report)) final_seen[attempt_of(report)] = true;
  }
  for (const auto& [attempt, final] : final_seen) EXPECT_TRUE(final) << to_string(attempt);
}

TYPED_TEST_P(LauncherContract, APreparedAttemptRunsWhenItIsLaunched) {
  const AttemptId other{JobId{2}, 1};
  this->launcher().prepare(this->harness_.order(this->one_, CommandKind::kExitsWithThree));
  // As long as another one takes: nothing happens to what is only prepared.
  this->launch(other, CommandKind::kExitsWithThree);
  ASSERT_TRUE(this->run_until_final(other));
  EXPECT_EQ(this->finals(this->one_), 0);
  EXPECT_EQ(this->template find<AttemptRunning>(this->one_), nullptr);
  this->launch(this->one_, CommandKind::kExitsWithThree);
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->exit_code, 3);
}

TYPED_TEST_P(LauncherContract, AnAbandonedAttemptIsNotHeardOfAndCanStillBeLaunched) {
  const AttemptId other{JobId{2}, 1};
  this->launcher().prepare(this->harness_.order(this->one_, CommandKind::kWaits));
  this->launch(other, CommandKind::kExitsWithThree);
  ASSERT_TRUE(this->run_until_final(other));
  this->launcher().abandon(this->one_);
  this->launcher().prepare(this->harness_.order(this->one_, CommandKind::kWaits));
  this->launcher().abandon(this->one_);
  // It is asked for again after another commit, not at once: as long as one more job takes.
  const AttemptId third{JobId{3}, 1};
  this->launch(third, CommandKind::kExitsWithThree);
  ASSERT_TRUE(this->run_until_final(third));
  this->launch(this->one_, CommandKind::kExitsWithThree);
  ASSERT_TRUE(this->run_until_final(this->one_));
  EXPECT_EQ(this->finals(this->one_), 1);
  ASSERT_NE(this->template find<AttemptFinished>(this->one_), nullptr);
  EXPECT_EQ(this->template find<AttemptFinished>(this->one_)->exit_code, 3);
}

TYPED_TEST_P(LauncherContract, ACrashAfterPreparingIsAsGoodAsNothing) {
  this->launcher().prepare(this->harness_.order(this->one_, CommandKind::kWaits));
  this->harness_.restart();
  this->launcher().reattach(this->one_);
  ASSERT_TRUE(this->run_until_final(this->one_));
  EXPECT_NE(this->template find<AttemptNeverRan>(this->one_), nullptr);
  EXPECT_EQ(this->template find<AttemptRunning>(this->one_), nullptr);
}

TYPED_TEST_P(LauncherContract, ACommandThatIsAskedToSaveEndsAsSaved) {
  this->launch(this->one_, CommandKind::kSaves);
  ASSERT_TRUE(this->run_until_started(this->one_));
  this->launcher().ask_to_save(this->one_, {SIGUSR1, Seconds{60}}, Seconds{60});
  this->launcher().ask_to_save(this->one_, {SIGUSR1, Seconds{60}}, Seconds{60});
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->cause, Cause::kExit);
  EXPECT_EQ(ended->exit_code, kSavedExitCode);
}

TYPED_TEST_P(LauncherContract, AnAdoptedAttemptCanBeAskedToSave) {
  this->launch(this->one_, CommandKind::kSaves);
  ASSERT_TRUE(this->run_until_started(this->one_));
  this->harness_.restart();
  this->launcher().reattach(this->one_);
  this->launcher().ask_to_save(this->one_, {SIGUSR1, Seconds{60}}, Seconds{60});
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->exit_code, kSavedExitCode);
}

TYPED_TEST_P(LauncherContract, WhoDoesNotSaveWithinTheGraceIsStopped) {
  this->launch(this->one_, CommandKind::kWaits);
  ASSERT_TRUE(this->run_until_started(this->one_));
  this->launcher().ask_to_save(this->one_, {SIGUSR1, Seconds{1}}, Seconds{60});
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->signal, SIGTERM);
}

TYPED_TEST_P(LauncherContract, WhoIgnoresEverySignalIsKilled) {
  this->launch(this->one_, CommandKind::kIgnoresTerm);
  ASSERT_TRUE(this->run_until_started(this->one_));
  if constexpr (requires { this->harness_.wait_until_ready(this->one_); }) {
    this->harness_.wait_until_ready(this->one_);
  }
  this->launcher().ask_to_save(this->one_, {SIGUSR1, Seconds{0}}, Seconds{1});
  ASSERT_TRUE(this->run_until_final(this->one_));
  const auto* ended = this->template find<AttemptFinished>(this->one_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->signal, SIGKILL);
}

REGISTER_TYPED_TEST_SUITE_P(
    LauncherContract, ReportsTheStartThenTheExitCode, ReportsNothingFromInsideACall,
    ACommandThatCannotBeRunEndsAsALaunchFailure, StopTerminatesACommand,
    StopKillsACommandThatIgnoresTermWhenTheGraceIsOver, StopBeforeTheStartWasReportedStillEndsIt,
    StopOfAnUnknownAttemptDoesNothing, ATimeLimitEndsTheAttemptAsTimeout, AChangedTimeLimitCounts,
    AdoptsARunningAttempt, StopReachesAnAdoptedAttempt, AdoptReportsAnEndThatHappenedInBetween,
    AdoptOfAnAttemptThatNobodyLaunchedIsNotStarted, AnAttemptDeclaredNotStartedStaysThatWay,
    AKilledSupervisorIsReportedAsLost, ASupervisorKilledWhileNobodyLookedIsReportedAsLost,
    AttemptsOfOneJobAreApart, EveryAttemptIsAnsweredExactlyOnce,
    APreparedAttemptRunsWhenItIsLaunched, AnAbandonedAttemptIsNotHeardOfAndCanStillBeLaunched,
    ACrashAfterPreparingIsAsGoodAsNothing, ACommandThatIsAskedToSaveEndsAsSaved,
    AnAdoptedAttemptCanBeAskedToSave, WhoDoesNotSaveWithinTheGraceIsStopped,
    WhoIgnoresEverySignalIsKilled);

}  // namespace gpusched
