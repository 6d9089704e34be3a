// Moves of processes that nobody supervises, the holders of leases, and of jobs that stay awake.
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "jobdir/process_tree.h"
#include "jobdir/thread_look.h"
#include "launch/move_harness.h"
#include "tests/support/eventually.h"

namespace gpusched {
namespace {

class MovesOfHolders : public ::testing::Test {
 protected:
  ~MovesOfHolders() override {
    for (const pid_t pid : spawned_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  // A process of one's own that has memory on a card, and the order that moves it.
  pid_t spawn_holder(std::uint64_t vram, const char* busy_threads = "0") {
    std::vector<std::string> words{SIMJOB_PROGRAM,
                                   "--vram",
                                   "4G",
                                   "--seconds",
                                   "0",
                                   "--step-ms",
                                   "10",
                                   "--busy-threads",
                                   busy_threads,
                                   "--steps-file",
                                   harness_.steps_file(one_)};
    std::vector<std::string> variables = harness_.driver().environment();
    std::vector<char*> arguments, environment;
    for (std::string& word : words) arguments.push_back(word.data());
    for (std::string& variable : variables) environment.push_back(variable.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    pid_t pid = 0;
    EXPECT_EQ(
        ::posix_spawn(&pid, arguments[0], nullptr, nullptr, arguments.data(), environment.data()),
        0);
    spawned_.push_back(pid);
    EXPECT_TRUE(harness_.run_until([&] { return harness_.held_on_card() >= vram; }));
    return pid;
  }
  static std::uint64_t ticks_of(pid_t pid) {
    const auto entry = find_process(pid);
    const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    return static_cast<std::uint64_t>(entry->started.time_since_epoch().count()) * per_second /
           1'000'000;
  }
  MoveOrder order_for(pid_t pid) {
    MoveOrder order = harness_.move_order(one_, true);
    order.holder = {pid, ticks_of(pid)};
    return order;
  }
  template <class T>
  T answer(bool out, const MoveOrder& order) {
    const auto count = [&] { return std::ranges::count_if(harness_.reports(), is_about_move); };
    const long before = count();
    out ? harness_.mover().move_aside(order) : harness_.mover().bring_back(order);
    EXPECT_TRUE(harness_.run_until([&] { return count() > before; }));
    const T* found = std::get_if<T>(&harness_.reports().back());
    EXPECT_NE(found, nullptr);
    return found == nullptr ? T{} : *found;
  }

  MoveHarness harness_{false};
  const AttemptId one_{JobId{1}, 1};
  std::vector<pid_t> spawned_;
};

TEST_F(MovesOfHolders, AHolderLeavesAndComesBackAndIsNeverStopped) {
  const pid_t pid = spawn_holder(kMoveVram);
  const MoveOrder order = order_for(pid);
  EXPECT_EQ(answer<MovedAside>(true, order).bytes, kMoveVram);
  EXPECT_EQ(harness_.held_on_card(), 0U);
  EXPECT_FALSE(find_process(pid)->stopped);
  const auto look = look_at_threads({pid, true}, list_processes(), Boot{});
  ASSERT_TRUE(look);
  EXPECT_FALSE(look->threads.empty());
  answer<BroughtBack>(false, order);
  EXPECT_EQ(harness_.held_on_card(), kMoveVram);
  EXPECT_TRUE(harness_.run_until(harness_.computing(one_)));
}

TEST_F(MovesOfHolders, AHolderThatIsNotKnownToLiveOnIsStoppedMeanwhile) {
  const pid_t pid = spawn_holder(kMoveVram, "4");
  const MoveOrder order = order_for(pid);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(answer<MovedAside>(true, order).bytes, kMoveVram);
    EXPECT_TRUE(find_process(pid)->stopped);
    answer<BroughtBack>(false, order);
    EXPECT_TRUE(harness_.run_until(harness_.computing(one_)));
  }
}

TEST_F(MovesOfHolders, AnotherProcessOfTheSameNumberIsNotTouched) {
  const pid_t pid = spawn_holder(kMoveVram);
  MoveOrder order = order_for(pid);
  order.holder->started += 1;
  const auto failed = answer<MoveFailed>(true, order);
  EXPECT_EQ(failed.left, MoveLeft::kRunning);
  EXPECT_NE(failed.error.find("has ended"), std::string::npos) << failed.error;
  EXPECT_EQ(harness_.held_on_card(), kMoveVram);
}

TEST_F(MovesOfHolders, WhoIsApartStaysOnItsCards) {
  spawn_holder(kMoveVram);
  const pid_t other = spawn_holder(2 * kMoveVram);
  // This test is the parent of both; it is what holds.
  MoveOrder order = order_for(::getpid());
  order.apart = {other};
  // The daemon's own process is apart, too, but as the holder itself it is meant.
  EXPECT_EQ(answer<MovedAside>(true, order).bytes, kMoveVram);
  EXPECT_EQ(harness_.held_on_card(), kMoveVram);
  answer<BroughtBack>(false, order);
}

TEST_F(MovesOfHolders, AMoveOfAHolderGoesOnUnderTheNextDaemon) {
  const pid_t pid = spawn_holder(kMoveVram);
  const MoveOrder order = order_for(pid);
  answer<MovedAside>(true, order);
  harness_.restart();
  EXPECT_EQ(answer<MovedAside>(true, order).bytes, kMoveVram) << "it is there already";
  answer<BroughtBack>(false, order);
  EXPECT_TRUE(harness_.run_until(harness_.computing(one_)));
}

TEST_F(MovesOfHolders, AMoverThatDiesIsFollowedByAnother) {
  for (const char* step : {"begun", "locked:1", "checkpointed:1", "restored:1", "unlocked:1"}) {
    std::vector<std::string> variables = harness_.driver().environment();
    variables.push_back(std::string("GPUSCHED_MOVER_DIES_AT=") + step);
    harness_.set_mover({"", variables, 0});
    const pid_t pid = spawn_holder(kMoveVram);
    const MoveOrder order = order_for(pid);
    EXPECT_EQ(answer<MovedAside>(true, order).bytes, kMoveVram) << step;
    answer<BroughtBack>(false, order);
    EXPECT_TRUE(harness_.run_until(harness_.computing(one_))) << step;
    const std::string mark = harness_.attempt_path(one_) + "/died." + step;
    EXPECT_EQ(::access(mark.c_str(), F_OK), 0) << "never reached: " << step;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    spawned_.clear();
    ASSERT_TRUE(harness_.run_until([&] { return harness_.held_on_card() == 0; }));
  }
}

TEST_F(MovesOfHolders, AJobThatIsToStayAwakeIsNotFrozen) {
  harness_.launcher().launch(harness_.card_order(one_));
  ASSERT_TRUE(harness_.run_until([&] { return harness_.held_on_card() >= kMoveVram; }));
  MoveOrder order = harness_.move_order(one_, true);
  order.awake = true;
  EXPECT_EQ(answer<MovedAside>(true, order).bytes, kMoveVram);
  const int pid = static_cast<int>(parse_status(harness_.read(one_, "status"))->pid);
  EXPECT_FALSE(find_process(pid)->stopped);
  answer<BroughtBack>(false, order);
  EXPECT_TRUE(harness_.run_until(harness_.computing(one_)));
}

// A thread that waits for `lock`, and how it looks.
ThreadLook look_at_waiting(std::mutex& lock) {
  std::atomic<int> id{0};
  lock.lock();
  std::thread waiting([&] {
    id = static_cast<int>(::syscall(SYS_gettid));
    const std::lock_guard guard(lock);
  });
  ThreadLook seen;
  testing::eventually([&] {
    const auto look = look_at_threads({::getpid(), true}, list_processes(), Boot{});
    for (const ThreadLook& thread : look->threads) {
      if (thread.id == id) seen = thread;
    }
    return seen.wait == ThreadWait::kFutex;
  });
  lock.unlock();
  waiting.join();
  return seen;
}

TEST(ThreadLook, SeesWhoWaitsForALockAndWhere) {
  std::mutex lock;
  const ThreadLook seen = look_at_waiting(lock);
  EXPECT_EQ(seen.wait, ThreadWait::kFutex);
  EXPECT_EQ(seen.address, reinterpret_cast<std::uintptr_t>(&lock));
  EXPECT_GE(seen.turns, 1U);
}

TEST(ThreadLook, SeesNobodyWhereNobodyIs) {
  EXPECT_FALSE(look_at_threads({4'000'000, true}, list_processes(), Boot{}));
}

}  // namespace
}  // namespace gpusched
