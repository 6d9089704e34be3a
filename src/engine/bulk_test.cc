// Verbs for more jobs than one turn should change.
#include <gtest/gtest.h>

#include "engine/engine.h"
#include "sim/memory_store.h"
#include "sim/sim_launcher.h"
#include "sim/sim_mover.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

class Bulk : public ::testing::Test {
 protected:
  Bulk() : launcher_([](const LaunchOrder&) { return SimLauncher::Plan{}; }) {
    Engine::Options options;
    options.slice = 10;
    options.slice_beside = 5;
    engine_ = std::make_unique<Engine>(State({}, HostCapacity{4, 64 * kGiB}),
                                       Site{launcher_, mover_}, options);
    engine_->recover(*store_.load(), "boot-1", now_);
    engine_->post(CardsReported{machine(2, 24).cards()});
    engine_->submit(ask().gpus(0).array(95).event(), [](const Result<Answer>&) {});
    while (turn()) continue;
  }
  // False: there is nothing to do.
  bool turn() {
    launcher_.advance(now_);
    if (!engine_->wants_turn(now_)) return false;
    if (const auto commit = engine_->begin_turn(now_)) {
      changed_most_ = std::max(changed_most_, commit->jobs.put.size());
      engine_->finish_turn(store_.commit(*commit), now_);
    }
    return true;
  }
  AnswerFn into(std::optional<Result<Answer>>& answer) {
    return [&answer](Result<Answer> given) { answer = std::move(given); };
  }
  std::vector<JobId> all() {
    std::vector<JobId> ids;
    for (const auto& [id, job] : engine_->state().jobs()) ids.push_back(id);
    return ids;
  }

  Now now_ = at_second(0);
  MemoryStore store_;
  SimLauncher launcher_;
  SimMover mover_{launcher_};  // Nothing is moved here.
  std::unique_ptr<Engine> engine_;
  std::size_t changed_most_ = 0;
};

TEST_F(Bulk, ACancelOfManyJobsLetsOthersThroughAndIsAnsweredOnce) {
  changed_most_ = 0;
  std::optional<Result<Answer>> cancelled;
  std::optional<Result<Answer>> submitted;
  engine_->post(CancelAsked{ourselves(), all(), {}}, into(cancelled));
  engine_->submit(ask().gpus(0).hold().event(), into(submitted));
  int turns_of_submit = 0;
  while (!submitted && turn()) ++turns_of_submit;
  EXPECT_LE(turns_of_submit, 2);
  EXPECT_FALSE(cancelled);
  while (turn()) continue;
  ASSERT_TRUE(cancelled && *cancelled);
  const auto& changed = std::get<Changed>(**cancelled);
  ASSERT_EQ(changed.jobs.size(), 95u);
  EXPECT_TRUE(std::ranges::is_sorted(changed.jobs));
  EXPECT_LE(changed_most_, 11u) << "what one turn changes is bounded";
  EXPECT_EQ(engine_->state().counts().queued, 0u);
}

TEST_F(Bulk, NothingStartsInThePlaceOfWhatIsBeingCancelled) {
  const auto active = engine_->state().active();
  ASSERT_FALSE(active.empty());
  std::optional<Result<Answer>> cancelled;
  engine_->post(CancelAsked{ourselves(), all(), Seconds{0}}, into(cancelled));
  while (!cancelled) {
    ASSERT_TRUE(turn());
    for (const JobId id : engine_->state().active()) EXPECT_TRUE(active.contains(id));
  }
}

TEST_F(Bulk, IsRefusedAsAWholeBeforeAnythingChanges) {
  std::vector<JobId> ids = all();
  ids.insert(ids.begin(), JobId{4711});
  std::optional<Result<Answer>> answer;
  engine_->post(HoldAsked{ourselves(), ids}, into(answer));
  while (turn()) continue;
  ASSERT_TRUE(answer);
  ASSERT_FALSE(*answer);
  EXPECT_EQ(answer->error().code, ErrorCode::kNotFound);
  EXPECT_EQ(engine_->state().counts().held, 0u);
}

TEST_F(Bulk, HoldAndReleaseReachEveryJob) {
  std::optional<Result<Answer>> held;
  const auto waiting = engine_->state().counts().queued;
  engine_->post(HoldAsked{ourselves(), all()}, into(held));
  while (turn()) continue;
  EXPECT_EQ(engine_->state().counts().held, waiting);
  EXPECT_EQ(std::get<Changed>(**held).jobs.size(), waiting);
  EXPECT_EQ(std::get<Changed>(**held).unchanged.size(), 95u - waiting);
  std::optional<Result<Answer>> released;
  engine_->post(ReleaseAsked{ourselves(), all()}, into(released));
  while (turn()) continue;
  EXPECT_EQ(engine_->state().counts().held, 0u);
}

TEST_F(Bulk, SetComesInSlicesAndAnArrayStillSharesItsSpec) {
  changed_most_ = 0;
  std::optional<Result<Answer>> answer;
  SetAsked asked{ourselves(), all(), {}};
  asked.patch.put(&JobSpec::name, "renamed");
  engine_->post(asked, into(answer));
  while (turn()) continue;
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ(std::get<Changed>(**answer).jobs.size(), 95u);
  EXPECT_LE(changed_most_, 11u) << "what one turn changes is bounded";
  const auto& spec = engine_->state().find(JobId{1})->spec;
  EXPECT_EQ(spec->name, "renamed");
  for (const JobId id : all()) EXPECT_EQ(engine_->state().find(id)->spec, spec);
}

TEST_F(Bulk, ASetThatFitsNowhereIsRefusedBeforeAnythingChanges) {
  std::optional<Result<Answer>> answer;
  SetAsked asked{ourselves(), all(), {}};
  asked.patch.put(&Needs::cpus, 4711);
  engine_->post(asked, into(answer));
  while (turn()) continue;
  ASSERT_TRUE(answer);
  EXPECT_FALSE(*answer);
  for (const JobId id : all()) EXPECT_NE(engine_->state().find(id)->spec->needs.cpus, 4711);
}

TEST_F(Bulk, PauseOfManyJobsIsBoundedToo) {
  std::optional<Result<Answer>> answer;
  engine_->post(PauseAsked{ourselves(), all()}, into(answer));
  ASSERT_TRUE(turn());
  EXPECT_FALSE(answer) << "not in one turn";
  while (turn()) continue;
  ASSERT_TRUE(answer && *answer);
}

TEST_F(Bulk, AFailedCommitIsToldAndTheRestIsLeftAsItWas) {
  std::optional<Result<Answer>> answer;
  engine_->post(HoldAsked{ourselves(), all()}, into(answer));
  ASSERT_TRUE(turn());  // Looked at.
  ASSERT_TRUE(turn());
  const auto held = engine_->state().counts().held;
  EXPECT_GT(held, 0u);
  store_.fail_next(1, ErrorCode::kIo);
  ASSERT_TRUE(turn());
  ASSERT_TRUE(answer);
  EXPECT_FALSE(*answer);
  EXPECT_EQ(engine_->state().counts().held, held);
}

}  // namespace
}  // namespace gpusched::testing
