// What can stand in a move's way, on the simulated driver: each case has its one clear sentence,
// and the job is where the answer says it is.
#include <gtest/gtest.h>

#include <filesystem>

#include "launch/move_harness.h"

namespace gpusched {
namespace {

class Moves : public ::testing::Test {
 protected:
  void make(bool with_cgroup, const std::string& scenario = "2x24G") {
    harness_ = std::make_unique<MoveHarness>(with_cgroup, scenario);
  }
  void start(const LaunchOrder& order, std::uint64_t vram = kMoveVram) {
    harness_->launcher().launch(order);
    ASSERT_TRUE(harness_->run_until([&] { return harness_->held_on_card() >= vram; }));
  }
  void start() {
    make(false);
    start(harness_->card_order(one_));
  }
  LaunchOrder shell(const std::string& script) {
    return harness_->on_cards(harness_->shell_order(one_, script));
  }
  long count_moves() { return std::ranges::count_if(harness_->reports(), is_about_move); }
  // The answer to this order; a default MoveFailed with an empty error: none, or another kind.
  template <class T>
  T answer(bool out, MoveOrder order) {
    const long before = count_moves();
    out ? harness_->mover().move_aside(order) : harness_->mover().bring_back(order);
    EXPECT_TRUE(harness_->run_until([&] { return count_moves() > before; }));
    const T* found = nullptr;
    for (const SeamReport& report : harness_->reports()) {
      if (!is_about_move(report)) continue;
      found = std::get_if<T>(&report);
      if (const auto* failed = std::get_if<MoveFailed>(&report)) said_ = failed->error;
    }
    EXPECT_NE(found, nullptr) << said_;
    return found == nullptr ? T{} : *found;
  }
  template <class T>
  T answer(bool out) {
    return answer<T>(out, harness_->move_order(one_, true));
  }
  void expect_unharmed(const std::string& sentence, bool never) {
    const auto failed = answer<MoveFailed>(true);
    EXPECT_EQ(failed.left, MoveLeft::kRunning);
    EXPECT_EQ(failed.never, never) << failed.error;
    EXPECT_NE(failed.error.find(sentence), std::string::npos) << failed.error;
    EXPECT_TRUE(harness_->run_until(harness_->computing(one_)));
  }

  const AttemptId one_{JobId{1}, 1};
  std::unique_ptr<MoveHarness> harness_;
  std::string said_;
};

TEST_F(Moves, TheRecordSaysWhatWasMovedAndHowLongEachCallTook) {
  start();
  harness_->driver().set({"checkpoint_fixed_ms=20"});
  const auto aside = answer<MovedAside>(true);
  const MoveRecord out = harness_->record(one_);
  EXPECT_TRUE(out.done && out.moved && out.out);
  ASSERT_EQ(out.processes.size(), 1U);
  EXPECT_EQ(out.bytes_on(harness_->uuid()), kMoveVram);
  EXPECT_GE(out.times.checkpoint, Microseconds{20'000});
  EXPECT_EQ(aside.times.checkpoint, out.times.checkpoint);
  EXPECT_GE(aside.times.whole, out.times.lock + out.times.checkpoint);
  EXPECT_EQ(aside.times.restore.count(), 0);
  const auto back = answer<BroughtBack>(false);
  EXPECT_GE(back.times.restore, Microseconds{20'000});
  EXPECT_EQ(back.times.checkpoint.count(), 0);
}

TEST_F(Moves, AllProcessesOfAJobAreMovedTogether) {
  make(false);
  const std::string job = harness_->simjob(one_);
  start(shell(job + " & " + job + ".2 & " + job + ".3 & wait"), 3 * kMoveVram);
  const auto aside = answer<MovedAside>(true);
  EXPECT_EQ(aside.bytes, 3 * kMoveVram);
  EXPECT_EQ(harness_->held_on_card(), 0U);
  EXPECT_EQ(harness_->record(one_).processes.size(), 3U);
  answer<BroughtBack>(false);
  EXPECT_EQ(harness_->held_on_card(), 3 * kMoveVram);
  EXPECT_TRUE(harness_->run_until(harness_->computing(one_)));
}

class BusyThreads : public Moves, public ::testing::WithParamInterface<bool> {};

TEST_P(BusyThreads, LiveThroughManyMoves) {
  make(GetParam());
  start(shell("exec " + harness_->simjob(one_) + " --busy-threads 8"));
  harness_->driver().set({"checkpoint_fixed_ms=20"});
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(answer<MovedAside>(true).bytes, kMoveVram);
    EXPECT_EQ(harness_->held_on_card(), 0U);
    // A daemon that died asks again, and nothing is woken for that.
    ASSERT_EQ(answer<MovedAside>(true).bytes, kMoveVram);
    answer<BroughtBack>(false);
    ASSERT_TRUE(harness_->run_until(harness_->computing(one_))) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutAControlGroup, BusyThreads, ::testing::Bool());

TEST_F(Moves, AJobThatUsesNoCardIsOnlyFrozen) {
  make(false);
  harness_->launcher().launch(harness_->order(one_, CommandKind::kWaits));
  ASSERT_TRUE(harness_->run_until([&] { return !harness_->reports().empty(); }));
  EXPECT_EQ(answer<MovedAside>(true).bytes, 0U);
  answer<BroughtBack>(false);
  harness_->finish(one_, 5);
  EXPECT_TRUE(harness_->run_until([&] { return is_final(harness_->reports().back()); }));
}

TEST_F(Moves, WithoutHostMemoryNothingIsTouched) {
  start();
  harness_->driver().set({"host_ram=4G"});
  expect_unharmed("the host has 4.0 GiB of memory left, and to take 4.0 GiB of VRAM it needs 6.2",
                  false);
  EXPECT_EQ(harness_->record(one_).times.lock.count(), 0);
}

TEST_F(Moves, TheReserveOfHostMemoryIsTheDaemonsChoice) {
  start();
  harness_->driver().set({"host_ram=5G"});
  harness_->set_mover({"", harness_->driver().environment(), 0});
  harness_->launcher().reattach(one_);
  EXPECT_EQ(answer<MovedAside>(true).bytes, kMoveVram);
}

TEST_F(Moves, WorkThatDoesNotEndInTimeIsLeftAlone) {
  make(false);
  const std::string busy = std::string(SIMJOB_PROGRAM) +
                           " --vram 4G --seconds 0 --step-ms 60000 --steps-file " +
                           harness_->steps_file(one_);
  start(shell("exec " + busy));
  MoveOrder order = harness_->move_order(one_, true);
  order.lock_timeout = Seconds{1};
  // The memory is there a moment before the step has begun.
  ASSERT_TRUE(harness_->run_until([&] { return harness_->driver().is_busy(0); }));
  const auto failed = answer<MoveFailed>(true, order);
  EXPECT_EQ(failed.left, MoveLeft::kRunning);
  EXPECT_FALSE(failed.never);
  EXPECT_NE(failed.error.find("did not end its work on the card within 1 s"), std::string::npos)
      << failed.error;
  EXPECT_EQ(harness_->held_on_card(), kMoveVram);
}

TEST_F(Moves, ManagedMemoryIsNeverMoved) {
  make(false);
  start(shell("exec " + harness_->simjob(one_) + " --managed"));
  expect_unharmed("not supported (801)", true);
}

TEST_F(Moves, AClientOfMpsIsNeverMoved) {
  make(false);
  const std::string pipes = harness_->state() + "/mps";
  std::filesystem::create_directory(pipes);
  std::ofstream(pipes + "/control") << "";
  start(shell("export CUDA_MPS_PIPE_DIRECTORY=" + pipes + "; exec " + harness_->simjob(one_)));
  expect_unharmed("through MPS", true);
}

TEST_F(Moves, ACardInMigModeIsNotMovedFrom) {
  make(false, "8xH200");
  start(harness_->card_order(one_));
  harness_->driver().set({"card=0", "mig=on"});
  expect_unharmed("MIG", true);
}

TEST_F(Moves, ACheckpointThatFailsIsUndone) {
  start();
  harness_->driver().set({"return=cuCheckpointProcessCheckpoint:2"});
  expect_unharmed("out of memory (2)", false);
  harness_->driver().set({"clear=faults"});
  EXPECT_EQ(answer<MovedAside>(true).bytes, kMoveVram);
}

TEST_F(Moves, OneOfSeveralThatFailsBringsTheOthersBack) {
  make(false);
  const std::string job = harness_->simjob(one_);
  start(shell(job + " & " + job + ".2 --managed & wait"), 2 * kMoveVram);
  expect_unharmed("not supported (801)", true);
  EXPECT_EQ(harness_->held_on_card(), 2 * kMoveVram);
}

TEST_F(Moves, OneThatCannotBeUnlockedIsLost) {
  start();
  harness_->driver().set({"return=cuCheckpointProcessCheckpoint:2"});
  harness_->driver().set({"return=cuCheckpointProcessUnlock:401"});
  const auto failed = answer<MoveFailed>(true);
  EXPECT_EQ(failed.left, MoveLeft::kLost);
}

TEST_F(Moves, AStoppedProcessIsNotAskedBecauseTheDriverWouldWaitForIt) {
  start();
  const int pid = static_cast<int>(parse_status(harness_->read(one_, "status"))->pid);
  // Waking it first is what the daemon does; somebody stops it again and again.
  harness_->mover().move_aside(harness_->move_order(one_, true));
  EXPECT_TRUE(harness_->run_until([&] {
    ::kill(pid, SIGSTOP);
    return count_moves() > 0;
  }));
  ::kill(pid, SIGCONT);
  const auto* failed = std::get_if<MoveFailed>(&harness_->reports().back());
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->left, MoveLeft::kRunning);
  EXPECT_FALSE(failed->never);
  EXPECT_NE(failed->error.find("is stopped"), std::string::npos) << failed->error;
  EXPECT_TRUE(harness_->run_until(harness_->computing(one_)));
}

TEST_F(Moves, AnOldDriverNeverMoves) {
  make(false, "8xRTX4090");
  start(harness_->card_order(one_));
  expect_unharmed("not supported (801)", true);
}

TEST_F(Moves, WithoutADriverNothingIsEverMoved) {
  start();
  harness_->set_mover({"", {"LD_LIBRARY_PATH=/nonexistent"}, 0});
  harness_->launcher().reattach(one_);
  expect_unharmed("there is no CUDA driver", true);
}

TEST_F(Moves, WithoutAMoverTheAnswerSaysSo) {
  start();
  harness_->set_mover({"/no/such/mover", {}, 0});
  harness_->launcher().reattach(one_);
  expect_unharmed("start /no/such/mover: No such file", false);
}

TEST_F(Moves, AReturnWhoseOrderCannotBeWrittenIsTriedUntilItCan) {
  start();
  answer<MovedAside>(true);
  // As on a full disk. A mover of an earlier daemon may be at work at such a moment.
  const std::filesystem::path order = harness_->attempt_path(one_) + "/" + std::string(kMoveOrder);
  std::filesystem::remove(order);
  std::filesystem::create_directories(order / "taken");
  harness_->mover().bring_back(harness_->move_order(one_, true));
  ASSERT_TRUE(harness_->run_until([&] { return !harness_->complaints().empty(); }));
  EXPECT_NE(harness_->complaints().back().find("cannot go on yet"), std::string::npos);
  EXPECT_EQ(count_moves(), 1) << "it is not said to be aside";
  std::filesystem::remove_all(order);
  ASSERT_TRUE(harness_->run_until([&] { return count_moves() == 2; }));
  EXPECT_TRUE(std::holds_alternative<BroughtBack>(harness_->reports().back()));
  EXPECT_TRUE(harness_->run_until(harness_->computing(one_)));
}

TEST_F(Moves, ARestoreIsNotTriedWhereSomebodyHasTakenTheRoom) {
  start();
  answer<MovedAside>(true);
  harness_->take_room();
  const auto failed = answer<MoveFailed>(false);
  EXPECT_EQ(failed.left, MoveLeft::kAside);
  EXPECT_NE(failed.error.find("2048 MiB free, and 4608 MiB are needed"), std::string::npos)
      << failed.error;
  EXPECT_EQ(harness_->record(one_).times.restore.count(), 0);
}

TEST_F(Moves, TheRoomAskedForCountsBesideOthers) {
  start();
  answer<MovedAside>(true);
  const int other = harness_->driver().add_process({"card=0", "vram=15G"});
  MoveOrder order = harness_->move_order(one_, true);
  order.room[0].bytes = std::uint64_t{10} << 30;
  EXPECT_EQ(answer<MoveFailed>(false, order).left, MoveLeft::kAside);
  // On a card that is otherwise empty what it had is enough.
  harness_->driver().remove_process(other);
  order.room[0].bytes = std::uint64_t{30} << 30;
  answer<BroughtBack>(false, order);
}

TEST_F(Moves, ACardThatIsGoneIsNotRestoredTo) {
  start();
  answer<MovedAside>(true);
  MoveOrder order = harness_->move_order(one_, true);
  order.room[0].uuid = "GPU-of-long-ago";
  const auto failed = answer<MoveFailed>(false, order);
  EXPECT_EQ(failed.left, MoveLeft::kAside);
  EXPECT_NE(failed.error.find("GPU-of-long-ago"), std::string::npos) << failed.error;
}

TEST_F(Moves, WhereNobodyListsProcessesWhatGotFreeIsWhatWasMoved) {
  start();
  harness_->driver().set({"return=nvmlDeviceGetComputeRunningProcesses_v3:3"});
  EXPECT_EQ(answer<MovedAside>(true).bytes, kMoveVram);
  EXPECT_EQ(harness_->record(one_).bytes_on(harness_->uuid()), kMoveVram);
  answer<BroughtBack>(false);
}

TEST_F(Moves, OnOneCardGoOneAfterAnother) {
  make(false);
  harness_->driver().set({"checkpoint_fixed_ms=200"});
  const AttemptId two{JobId{2}, 1};
  start(harness_->card_order(one_));
  start(harness_->card_order(two), 2 * kMoveVram);
  harness_->mover().move_aside(harness_->move_order(one_, true));
  harness_->mover().move_aside(harness_->move_order(two, true));
  ASSERT_TRUE(harness_->run_until([&] { return !harness_->read(two, kMoveOrder).empty(); }));
  EXPECT_TRUE(harness_->record(one_).done);
  ASSERT_TRUE(harness_->run_until([&] { return count_moves() == 2; }));
  EXPECT_EQ(harness_->held_on_card(), 0U);
}

TEST_F(Moves, OnTwoCardsAtOnceDoNotTakeTheSameHostRam) {
  make(false);
  MoverOptions mover;
  mover.variables = harness_->driver().environment();
  mover.ram_reserve_bytes = 0;
  harness_->set_mover(mover);
  harness_->driver().set({"host_ram=7G"});
  harness_->driver().set({"checkpoint_fixed_ms=500"});
  const AttemptId two{JobId{2}, 1};
  start(harness_->card_order(one_));
  start(harness_->card_order(two), 2 * kMoveVram);
  MoveOrder other = harness_->move_order(two, true);
  other.room[0].uuid = harness_->driver().world().data().facts[1].uuid;
  harness_->mover().move_aside(harness_->move_order(one_, true));
  harness_->mover().move_aside(other);
  ASSERT_TRUE(harness_->run_until([&] { return count_moves() == 2; }));
  std::vector<AttemptId> stayed;  // Whichever came second.
  for (const SeamReport& report : harness_->reports()) {
    const auto* failed = std::get_if<MoveFailed>(&report);
    if (failed == nullptr) continue;
    EXPECT_EQ(failed->error.find("the host has 7.0 GiB of memory left"), 0U) << failed->error;
    stayed.push_back(failed->attempt);
  }
  ASSERT_EQ(stayed.size(), 1U);
  EXPECT_FALSE(harness_->record(stayed[0]).moved);
  EXPECT_TRUE(harness_->run_until(harness_->computing(stayed[0]))) << "unharmed";
}

}  // namespace
}  // namespace gpusched
