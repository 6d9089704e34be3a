#include "core/notify/job_notices.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

class JobNotices : public ::testing::Test {
 protected:
  JobNotices() : state(machine(2, 24, 8, rules())) {}

  static Rules rules() {
    Rules rules;
    rules.crash_guard_count = 3;
    rules.receivers = std::make_shared<const Receivers>(
        Receivers{{"ops", Receiver{.name = "ops", .for_users = true}}});
    return rules;
  }
  Ask asking(const std::string& wish) {
    Ask job = ask().uid(1).vram(1);
    job.spec().name = "train";
    job.spec().extras.edit().notify = {wish};
    return job;
  }
  // What was told in a turn that ends now, a message each.
  std::vector<Message> told(Now now) {
    tell_of_jobs(state, now);
    std::vector<Message> all;
    for (const auto& [id, message] : state.messages()) {
      all.push_back(message);
      expect_words(message.notice.what + ". " + message.notice.advice);
    }
    for (const Message& message : all) state.remove_message(message.id);
    state.keep_changes();
    return all;
  }
  std::size_t count(Now now) { return told(now).size(); }

  State state;
};

TEST_F(JobNotices, TellOfStartAndEnd) {
  asking("start,done:ops").submit(state, at_second(0));
  EXPECT_EQ(count(at_second(0)), 0U);
  start_what_fits(state, at_second(60));
  EXPECT_EQ(count(at_second(60)), 0U);
  run(state, 1, at_second(60));
  EXPECT_EQ(count(at_second(60)), 1U);
  finish(state, 1, 0, at_second(70));
  EXPECT_EQ(count(at_second(70)), 1U);
}

TEST_F(JobNotices, ThatFindNoRoomStandInTheTrail) {
  Rules few = rules();
  few.outbox_most = 2;
  few.receivers =
      std::make_shared<const Receivers>(Receivers{{"mail", Receiver{.name = "mail",
                                                                    .channel = Channel::kMail,
                                                                    .for_users = true,
                                                                    .addresses = {"@lab.org"}}}});
  state.set_rules(few, at_second(0));
  Ask job = asking("fail:a0@lab.org");
  for (int i = 1; i < 9; ++i) {
    job.spec().extras.edit().notify.push_back("fail:a" + std::to_string(i) + "@lab.org");
  }
  job.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  state.keep_changes();
  finish(state, 1, 3, at_second(9));
  const std::vector<Untold> untold = tell_of_jobs(state, at_second(9));
  EXPECT_EQ(state.messages().size(), 2U);
  ASSERT_EQ(untold.size(), 7U);
  EXPECT_EQ(untold[0].user, state.find(JobId{1})->owner.user);
  ASSERT_FALSE(state.trail().empty());
  const TrailEntry& said = state.trail().back();
  EXPECT_EQ(said.kind, "not_told");
  EXPECT_EQ(said.job, JobId{1});
  EXPECT_EQ(said.text.find('@'), std::string::npos) << "who sees a trail need not see addresses";
  expect_words(said.text);
}

TEST_F(JobNotices, TellOfAFailureWithItsCauseAndWhatToDo) {
  asking("ops").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  AttemptFinished end{.attempt = {JobId{1}, 1}, .exit_code = 1};
  end.started_at = at_second(0).wall;
  end.ended_at = at_second(7380).wall;
  apply(state, end, at_second(7380));
  const std::vector<Message> all = told(at_second(7380));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].notice.severity, Severity::kWarning);
  EXPECT_EQ(all[0].notice.whom, "user1");
  EXPECT_EQ(all[0].notice.job, JobId{1});
  EXPECT_EQ(all[0].notice.since, at_second(7380).wall);
}

TEST_F(JobNotices, TellNothingThatWasNotAskedFor) {
  asking("done:ops").submit(state, at_second(0));
  ask().uid(1).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  for (const std::uint64_t job : {1, 2}) {
    run(state, job, at_second(1));
    finish(state, job, 1, at_second(2));
  }
  EXPECT_EQ(count(at_second(2)), 0U);
}

TEST_F(JobNotices, CountManyFailuresInOneMessage) {
  for (int i = 0; i < 30; ++i) asking("ops").submit(state, at_second(0));
  count(at_second(0));
  for (int turn = 0; turn < 30; ++turn) {
    for (const std::uint64_t job : start_what_fits(state, at_second(1))) {
      run(state, job, at_second(1));
      finish(state, job, 1, at_second(1));
    }
  }
  const std::vector<Message> all = told(at_second(2));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].times, 30U);
}

TEST_F(JobNotices, TellOfASweepOnceWhenItBeginsAndOnceWhenAllOfItHasEnded) {
  asking("start,done:ops").array(4).submit(state, at_second(0));
  count(at_second(0));
  std::size_t all = 0;
  for (int turn = 0; turn < 10; ++turn) {
    const Now now = at_second(100 * turn);
    for (const std::uint64_t job : start_what_fits(state, now)) {
      run(state, job, now);
      all += count(now);
      finish(state, job, job == 2 || job == 4 ? 1 : 0, now);
      all += count(now);
    }
  }
  EXPECT_EQ(all, 2U);
}

TEST_F(JobNotices, TellOfASweepThatTheCrashGuardHolds) {
  asking("fail:ops").array(8, 1).submit(state, at_second(0));
  count(at_second(0));
  Applied applied;
  for (int i = 0; i < 3; ++i) {
    for (const std::uint64_t job : start_what_fits(state, at_second(i))) {
      run(state, job, at_second(i));
      applied = finish(state, job, 1, at_second(i));
    }
  }
  for (const Event& event : applied.follow_up) apply(state, event, at_second(4));
  EXPECT_EQ(count(at_second(4)), 1U);
}

TEST_F(JobNotices, TellOfADeadlineThatCannotBeMet) {
  asking("late:ops").time(600).deadline(at_second(1000).wall).hold().submit(state, at_second(0));
  EXPECT_EQ(count(at_second(0)), 0U);  // Whatever was said to the submitter.
  std::size_t all = 0;
  for (const int second : {300, 500, 1100}) {
    apply(state, TimePassed{}, at_second(second));
    all += count(at_second(second));
  }
  EXPECT_EQ(all, 1U);
}

TEST_F(JobNotices, TellOfAMoveUnlessSomebodyAskedForItAndOfTheReturn) {
  std::vector<Card> cards = state.cards();
  for (Card& card : cards) card.moves = true;
  state.set_cards(std::move(cards));
  asking("moved:ops").submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  run(state, 1, at_second(0));
  count(at_second(0));
  const Principal boss{.uid = 0, .user = "root", .role = Role::kAdministrator};
  apply(state, PauseAsked{boss, {JobId{1}}}, at_second(100));
  EXPECT_EQ(count(at_second(100)), 0U);
  apply(state, MovedAside{{JobId{1}, 1}, {}, kGiB}, at_second(110));
  apply(state, ResumeAsked{boss, {JobId{1}}}, at_second(200));
  start_what_fits(state, at_second(200));
  apply(state, BroughtBack{{JobId{1}, 1}}, at_second(210));
  EXPECT_EQ(count(at_second(210)), 1U);
}

TEST_F(JobNotices, ReceiversThatAreNotForUsersAreRefusedAtSubmit) {
  EXPECT_FALSE(accepted(asking("done:root").submit(state, at_second(0))));
  asking("ops").submit(state, at_second(0));
  JobPatch patch;
  patch.put(&SpecExtras::notify, {"done:root"});
  const Principal boss{.uid = 0, .user = "root", .role = Role::kAdministrator};
  EXPECT_FALSE(accepted(apply(state, SetAsked{boss, {JobId{1}}, patch}, at_second(1)).answer));
  patch.put(&SpecExtras::notify, {"start:ops"});
  EXPECT_TRUE(accepted(apply(state, SetAsked{boss, {JobId{1}}, patch}, at_second(1)).answer));
}

}  // namespace
}  // namespace gpusched::testing
