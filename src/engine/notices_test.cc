// What is told of a job whose news wait for a commit.
#include "engine/engine_harness.h"

namespace gpusched::testing {
namespace {

class EngineNotices : public EngineTest {
 protected:
  EngineNotices() {
    Rules rules;
    rules.receivers = std::make_shared<const Receivers>(
        Receivers{{"ops", Receiver{.name = "ops", .for_users = true}}});
    engine_->post(SettingsRead{rules, {}});
    plan_.start_after = plan_.run_for = Seconds{3600};
    Ask job = ask();
    job.spec().extras.edit().notify = {"start,done:ops"};
    submit(job);
  }
  void has_started() { engine_->post(AttemptRunning{attempt_, now_.wall}); }
  void has_ended() {
    AttemptFinished end{.attempt = attempt_, .exit_code = 0};
    end.started_at = end.ended_at = now_.wall;
    engine_->post(end);
  }
  std::vector<std::string> told() const {
    std::vector<std::string> words;
    for (const auto& [id, message] : engine_->state().messages()) {
      words.push_back(message.notice.group.substr(message.notice.group.rfind('/') + 1));
    }
    return words;
  }

  const AttemptId attempt_{JobId{1}, 1};
};

TEST_F(EngineNotices, AStartThatWasSeenIsToldHoweverSoonTheEndComes) {
  ASSERT_EQ(state_of(1), "starting");
  has_started();
  EXPECT_FALSE(engine_->begin_turn(now_));  // Its commit waits for others.
  ASSERT_EQ(state_of(1), "running");
  has_ended();
  run_turns();
  ASSERT_EQ(state_of(1), "completed");
  EXPECT_EQ(told(), (std::vector<std::string>{"start", "done"}));
}

TEST_F(EngineNotices, AStartIsToldOnceHoweverManyTurnsShareItsCommit) {
  has_started();
  EXPECT_FALSE(engine_->begin_turn(now_));
  engine_->post(Reconsider{});
  wait(1);
  EXPECT_EQ(told(), std::vector<std::string>{"start"});
}

TEST_F(EngineNotices, OfWhatIsOverInOneTurnTheEndAloneIsTold) {
  has_started();
  has_ended();
  run_turns();
  EXPECT_EQ(told(), std::vector<std::string>{"done"});
}

TEST_F(EngineNotices, ACommitThatFailsTellsNothingTwice) {
  has_started();
  EXPECT_FALSE(engine_->begin_turn(now_));
  store_.fail_next(1, ErrorCode::kIo);
  wait(3);
  EXPECT_EQ(state_of(1), "running");
  EXPECT_EQ(told(), std::vector<std::string>{"start"});
}

}  // namespace
}  // namespace gpusched::testing
