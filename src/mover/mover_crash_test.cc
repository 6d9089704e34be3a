// What a move must never do to a healthy job: busy threads, movers that are killed inside a call of
// the driver, processes that end meanwhile.
#include "mover/mover_harness.h"
#include "mover/survivors.h"

namespace gpusched::mover {
namespace {

class HardMoves : public Mover {
 protected:
  std::string steps_file() const { return directory_ / "steps"; }
  long steps() const {
    long count = 0;
    std::ifstream(steps_file()) >> count;
    return count;
  }
  void expect_that_it_computes() {
    const long before = steps();
    EXPECT_TRUE(testing::eventually([&] { return steps() > before + 2; }));
  }
  void start_counting(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"--steps-file", steps_file()};
    words.insert(words.end(), more.begin(), more.end());
    start_job(words);
  }
};

TEST_F(HardMoves, ThreadsThatTouchWhatTheDriverManagesDoNotRunMeanwhile) {
  start_counting({"--busy-threads", "8"});
  driver_.set({"checkpoint_fixed_ms=30"});
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(run(words("out")), 0) << record().error;
    EXPECT_EQ(held(), 0U);
    EXPECT_TRUE(is_stopped_soon());
    ASSERT_EQ(run(words("back")), 0) << record().error;
    EXPECT_EQ(held(), 4 * kGib);
    ASSERT_TRUE(job_->is_running());
    expect_that_it_computes();
  }
}

TEST_F(HardMoves, AllowedToStayAwakeOnlyWhoIsKnownToLiveOnDoes) {
  start_counting();
  auto order = words("out");
  order.insert(order.end(), {"--awake", "yes"});
  ASSERT_EQ(run(order), 0);
  EXPECT_NE(state_of_job(), 'T');
  EXPECT_FALSE(record().stopped);
  ASSERT_EQ(run(words("back")), 0);
  expect_that_it_computes();
}

TEST_F(HardMoves, WhoIsNotKnownToLiveOnIsStoppedEvenIfItMayStayAwake) {
  start_counting({"--busy-threads", "2"});
  auto order = words("out");
  order.insert(order.end(), {"--awake", "yes"});
  ASSERT_EQ(run(order), 0);
  EXPECT_TRUE(is_stopped_soon());
  EXPECT_TRUE(record().stopped);
  ASSERT_EQ(run(words("back")), 0);
  EXPECT_FALSE(record().stopped);
  expect_that_it_computes();
}

TEST_F(HardMoves, AMoveThatFailsLetsBusyThreadsGoOn) {
  start_counting({"--busy-threads", "2"});
  driver_.set({"return=cuCheckpointProcessCheckpoint:801"});
  EXPECT_EQ(run(words("out")), 1);
  expect_that_it_computes();
  driver_.set({"clear=faults"});
  ASSERT_EQ(run(words("out")), 0);
  const int filler = driver_.add_process({"card=0", "vram=22G"});
  EXPECT_EQ(run(words("back")), 2);
  EXPECT_TRUE(is_stopped_soon()) << "still away, and still stopped";
  driver_.remove_process(filler);
  ASSERT_EQ(run(words("back")), 0);
  expect_that_it_computes();
}

TEST_F(HardMoves, ARestoreWhoseMoverWasKilledIsNoLoss) {
  start_counting();
  driver_.set({"checkpoint_fixed_ms=700"});
  ASSERT_EQ(run(words("out")), 0);
  run_and_die("back", "inside restore:1");
  EXPECT_EQ(run(words("back")), 0) << record().error;
  EXPECT_EQ(held(), 4 * kGib);
  expect_that_it_computes();
}

TEST_F(HardMoves, WhileARestoreIsStillUnderWayNothingIsAside) {
  start_counting();
  driver_.set({"checkpoint_fixed_ms=700"});
  ASSERT_EQ(run(words("out")), 0);
  run_and_die("back", "inside restore:1");
  ASSERT_EQ(run(words("out")), 0) << record().error;
  EXPECT_EQ(held(), 0U) << "it is said to be away";
  EXPECT_EQ(run(words("back")), 0);
  expect_that_it_computes();
}

TEST_F(HardMoves, ACheckpointWhoseMoverWasKilledIsGoneOnFrom) {
  start_counting();
  driver_.set({"checkpoint_fixed_ms=700"});
  run_and_die("out", "inside checkpoint:1");
  ASSERT_EQ(run(words("out")), 0) << record().error;
  EXPECT_EQ(held(), 0U);
  EXPECT_EQ(record().bytes(), 4 * kGib);
  EXPECT_EQ(record().copied, 0U) << "nobody measured it";
  EXPECT_EQ(run(words("back")), 0);
  EXPECT_EQ(record().copied, 4 * kGib);
  expect_that_it_computes();
}

TEST_F(HardMoves, OneThatWasMovedAndIsUnknownToTheDriverIsLost) {
  start_counting();
  ASSERT_EQ(run(words("out")), 0);
  driver_.set({"return=cuCheckpointProcessGetRestoreThreadId:304"});
  EXPECT_EQ(run(words("back")), 3);
  EXPECT_NE(record().error.find("is unknown to the driver"), std::string::npos) << record().error;
}

TEST_F(HardMoves, OneThatDiedWhileItWasStoppedIsLost) {
  start_two();
  ASSERT_EQ(run(words("out")), 0);
  ASSERT_EQ(record().processes.size(), 2U);
  ::kill(record().processes[1].pid, SIGKILL);
  EXPECT_EQ(run(words("back")), 3);
  EXPECT_NE(record().error.find("died meanwhile"), std::string::npos) << record().error;
}

TEST_F(HardMoves, AMoveInWhichOneEndedSaysNothingOfTheRate) {
  start_two();
  ASSERT_EQ(run(words("out")), 0);
  EXPECT_EQ(record().copied, 8 * kGib);
  ASSERT_EQ(run(words("back")), 0);
  EXPECT_EQ(record().copied, 8 * kGib);
  driver_.set({"checkpoint_fixed_ms=500"});
  Program mover(words("out"), driver_.environment());
  ASSERT_TRUE(testing::eventually([&] {
    const MoveRecord begun = record();
    return begun.out && begun.processes.size() == 2 && state_of(begun.processes[1].pid) == 't';
  }));
  ::kill(record().processes[1].pid, SIGKILL);
  EXPECT_EQ(mover.exit_status(), 0) << record().error;
  EXPECT_EQ(record().copied, 0U);
  EXPECT_EQ(record().bytes(), 4 * kGib) << "what there is to come back";
}

TEST_F(HardMoves, SeveralProcessesAreCopiedAtOnceOrOneAfterAnother) {
  start_two();
  for (const char* at_once : {"1", "8"}) {
    for (const char* direction : {"out", "back"}) {
      auto order = words(direction);
      order.insert(order.end(), {"--at-once", at_once});
      ASSERT_EQ(run(order), 0) << record().error;
      EXPECT_EQ(record().copied, 8 * kGib);
    }
  }
  EXPECT_EQ(held(), 8 * kGib);
}

TEST(Survivors, ArePyTorchAloneAndNobodyElse) {
  const std::string torch = "7f00 r-xp 00000000 08:01 1 /opt/torch/lib/libtorch_cuda.so\n";
  const std::string jax = "7f00 r-xp 00000000 08:01 1 /opt/jaxlib/xla_cuda_plugin.so\n";
  EXPECT_TRUE(is_known_to_live_on(torch));
  EXPECT_FALSE(is_known_to_live_on(jax));
  EXPECT_FALSE(is_known_to_live_on(torch + jax));
  EXPECT_FALSE(is_known_to_live_on(std::string()));
}

}  // namespace
}  // namespace gpusched::mover
