// The program by itself: what it does, and when it does nothing.
#include "mover/mover_harness.h"

namespace gpusched::mover {
namespace {

TEST_F(Mover, MovesATreeByHandAndPrintsItsRecord) {
  start_job();
  EXPECT_EQ(run(words("out")), 0);
  EXPECT_EQ(held(), 0U);
  EXPECT_EQ(record().bytes(), 4 * kGib);
  EXPECT_EQ(run(words("back")), 0);
  EXPECT_EQ(held(), 4 * kGib);
}

TEST_F(Mover, TheMemoryLimitOfTheGroupMakesRoomAndIsPutBack) {
  start_job();
  claim_with_group(std::to_string(kGib), "populated 1\nfrozen 0\n");
  EXPECT_EQ(run(words("out")), 0);
  EXPECT_GE(std::stoull(memory_max()), 5 * kGib);
  EXPECT_EQ(record().memory_max, std::to_string(kGib));
  EXPECT_EQ(run(words("back")), 0);
  EXPECT_EQ(memory_max(), std::to_string(kGib));
  EXPECT_EQ(record().memory_max, "");
}

TEST_F(Mover, AGroupWithoutALimitIsLeftAlone) {
  start_job();
  claim_with_group("max", "populated 1\nfrozen 0\n");
  EXPECT_EQ(run(words("out")), 0);
  EXPECT_EQ(memory_max(), "max");
}

TEST_F(Mover, ALimitThatWasRaisedForNothingIsPutBack) {
  start_job();
  claim_with_group(std::to_string(kGib), "populated 1\nfrozen 0\n");
  driver_.set({"return=cuCheckpointProcessCheckpoint:801"});
  EXPECT_EQ(run(words("out")), 1);
  EXPECT_EQ(memory_max(), std::to_string(kGib));
}

TEST_F(Mover, AFrozenGroupIsNotAsked) {
  start_job();
  claim_with_group("max", "populated 1\nfrozen 1\n");
  EXPECT_EQ(run(words("out")), 1);
  EXPECT_NE(record().error.find("is stopped"), std::string::npos) << record().error;
}

TEST_F(Mover, WhoIsStoppedWithoutARecordIsWokenOnTheWayBack) {
  start_job();
  claim_without_group();
  ASSERT_EQ(::kill(job_->pid(), SIGSTOP), 0);
  ASSERT_TRUE(is_stopped_soon());
  EXPECT_EQ(run(words("back")), 0) << record().error;
  EXPECT_TRUE(testing::eventually([&] { return state_of_job() != 'T'; }));
  EXPECT_FALSE(record().stopped);
}

TEST_F(Mover, WithoutARecordAndWithoutADriverNothingHasLeftTheCards) {
  start_job();
  claim_without_group();
  ASSERT_EQ(::kill(job_->pid(), SIGSTOP), 0);
  ASSERT_TRUE(is_stopped_soon());
  EXPECT_EQ(Program(words("back"), {}).exit_status(), 1);
  EXPECT_EQ(record().left, MoveLeft::kRunning) << record().error;
  EXPECT_FALSE(record().stopped);
}

TEST_F(Mover, AnAttemptWithoutALivingShimIsNotTouched) {
  start_job();
  claim_with_group("max", "populated 1\nfrozen 0\n");
  const std::vector<std::string> order{MOVER_PROGRAM, "out", directory_.path()};
  claim_.reset();
  EXPECT_EQ(run(order), 1);
  EXPECT_EQ(record().error, "the attempt does not run");
  EXPECT_EQ(held(), 4 * kGib);
}

TEST_F(Mover, ASecondOneWaitsForTheFirst) {
  start_job();
  const Fd lock(::openat(directory_fd_.get(), kMoveLock, O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  Program second(words("out"), driver_.environment());
  int looks = 20;
  testing::eventually([&] { return !second.is_running() || --looks < 0; });
  EXPECT_TRUE(second.is_running());
  EXPECT_EQ(held(), 4 * kGib);
  ::flock(lock.get(), LOCK_UN);
  EXPECT_EQ(second.exit_status(), 0);
  EXPECT_EQ(held(), 0U);
}

TEST_F(Mover, OneWhoseOrderIsNotTheNewestGoes) {
  start_job();
  ASSERT_TRUE(replace_file(directory_fd_.get(), kMoveOrder, "newer", 0600));
  auto order = words("out");
  order.insert(order.end(), {"--token", "older"});
  EXPECT_EQ(run(order), 0);
  EXPECT_EQ(held(), 4 * kGib);
  order.back() = "newer";
  EXPECT_EQ(run(order), 0);
  EXPECT_EQ(held(), 0U);
}

TEST_F(Mover, SignalsThatEndOthersDoNotEndIt) {
  start_job();
  driver_.set({"checkpoint_fixed_ms=300"});
  Program mover(words("out"), driver_.environment());
  ASSERT_TRUE(testing::eventually([&] { return !record().processes.empty(); }));
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::kill(mover.pid(), signal);
  EXPECT_EQ(mover.exit_status(), 0);
  EXPECT_EQ(held(), 0U);
}

TEST_F(Mover, BadWordsAndABadDirectoryHaveStatusesOfTheirOwn) {
  EXPECT_EQ(run({MOVER_PROGRAM, "sideways", directory_.path()}), 64);
  EXPECT_EQ(run({MOVER_PROGRAM, "out", directory_ / "nothing"}), 74);
}

}  // namespace
}  // namespace gpusched::mover
