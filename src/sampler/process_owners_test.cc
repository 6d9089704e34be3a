#include "sampler/process_owners.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "os/clock.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

using watch::Evidence;

constexpr Now kNow{Wall{std::chrono::hours{500'000}}, Boot{std::chrono::hours{10}}};
constexpr AttemptId kSeven{JobId{7}, 1};

// A tree of its own under the name of /proc.
class ProcessOwnersTest : public ::testing::Test {
 protected:
  struct Process {
    int parent = 1;
    long ticks = 360'000;  // An hour after the boot.
    int uid = 1000;
    std::string command = std::string("python\0train.py\0", 16);
    std::string cgroup = "0::/user.slice\n";
    std::string environment = {};
  };
  void add(int pid, const Process& process) {
    const std::string place = root_ / std::to_string(pid);
    std::filesystem::create_directories(place);
    std::ofstream(place + "/stat")
        << fmt::format("{} (name) with (parens) S {} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {} 0 0\n",
                       pid, process.parent, process.ticks);
    std::ofstream(place + "/status")
        << fmt::format("Name:\tx\nUmask:\t0022\nUid:\t{}\t0\t0\t0\n", process.uid);
    std::ofstream(place + "/cmdline") << process.command;
    std::ofstream(place + "/cgroup") << process.cgroup;
    std::ofstream(place + "/environ") << process.environment;
  }
  void remove(int pid) { std::filesystem::remove_all(root_ / std::to_string(pid)); }
  watch::ProcessOwner owner(int pid, Microseconds later = {}) {
    return owners_.owner_of(pid, {kNow.wall + later, kNow.boot + later});
  }
  void run(std::vector<watch::RunningAttempt> attempts, std::string cgroup = {}) {
    owners_.set_jobs({std::move(attempts), std::move(cgroup)});
  }

  TemporaryDirectory root_;
  ProcessOwners owners_{ProcDirectory(root_.path())};
};

TEST_F(ProcessOwnersTest, KnowsUserCommandAndStart) {
  add(50, {.uid = 0});
  const auto found = owner(50);
  EXPECT_EQ(found.uid, 0u);
  EXPECT_EQ(found.user, "root");
  EXPECT_EQ(found.command, "python train.py");
  EXPECT_EQ(found.started, Boot{std::chrono::hours{1}});
  EXPECT_EQ(found.started_wall, kNow.wall - std::chrono::hours{9});
  EXPECT_FALSE(found.attempt);
  EXPECT_FALSE(found.container);
}

TEST_F(ProcessOwnersTest, WithoutArgumentsItsNameIsShown) {
  add(50, {.command = ""});
  EXPECT_EQ(owner(50).command, "[name) with (parens]");
}

TEST_F(ProcessOwnersTest, OfAProcessThatIsGoneNothingIsKnown) {
  const auto found = owner(50);
  EXPECT_FALSE(found.uid);
  EXPECT_FALSE(found.started);
  EXPECT_FALSE(found.alive);
}

TEST_F(ProcessOwnersTest, BelongsToTheAttemptWhoseGroupItIsIn) {
  run({{kSeven, 40, 1000}}, "/sys/fs/cgroup/gpusched-1");
  add(50, {.cgroup = "0::/gpusched-1/jobs/7.1/inner\n"});
  EXPECT_EQ(owner(50).attempt, kSeven);
  EXPECT_EQ(owner(50).evidence, Evidence::kCgroup);
}

TEST_F(ProcessOwnersTest, TheSameNumberInAnotherDaemonsGroupIsForeign) {
  run({{kSeven, 40, 1000}}, "/sys/fs/cgroup/gpusched-1");
  add(50, {.cgroup = "0::/gpusched-2/jobs/7.1\n"});
  EXPECT_FALSE(owner(50).attempt);
  add(51, {.cgroup = "0::/gpusched-1/jobs/9.9\n"});
  EXPECT_EQ(owner(51).attempt, (AttemptId{JobId{9}, 9})) << "Ended, but still its process.";
}

TEST_F(ProcessOwnersTest, WithoutAGroupOfOursNoGroupIsAJobs) {
  run({{kSeven, 40, 1000}});
  add(50, {.cgroup = "0::/user.slice/mine/jobs/7.1\n"});
  EXPECT_FALSE(owner(50).attempt);
}

TEST_F(ProcessOwnersTest, BelongsToTheShimItDescendsFrom) {
  run({{kSeven, 40, 1000}});
  add(40, {.parent = 1});
  add(41, {.parent = 40});
  add(42, {.parent = 41});
  EXPECT_EQ(owner(42).attempt, kSeven);
  EXPECT_EQ(owner(42).evidence, Evidence::kTree);
}

TEST_F(ProcessOwnersTest, KeepsItsAttemptWhenItIsReparented) {
  run({{kSeven, 40, 1000}});
  add(40, {});
  add(41, {.parent = 40});
  add(42, {.parent = 41});
  ASSERT_EQ(owner(42).attempt, kSeven);
  remove(41);
  add(42, {.parent = 1});
  run({{{JobId{8}, 1}, 60, 1000}, {kSeven, 40, 1000}});
  EXPECT_EQ(owner(42).attempt, kSeven);
  EXPECT_EQ(owner(42, std::chrono::minutes{2}).attempt, kSeven) << "When it is looked at anew.";
  add(43, {.parent = 42});
  EXPECT_EQ(owner(43, std::chrono::minutes{2}).attempt, kSeven) << "And what it forks.";
}

TEST_F(ProcessOwnersTest, ANumberThatWasGivenAwayAgainIsAnotherProcess) {
  run({{kSeven, 40, 1000}});
  add(40, {});
  add(42, {.parent = 40});
  ASSERT_EQ(owner(42).attempt, kSeven);
  add(42, {.parent = 1, .ticks = 400'000, .uid = 0});
  const auto other = owner(42);
  EXPECT_FALSE(other.attempt);
  EXPECT_EQ(other.uid, 0u);
}

TEST_F(ProcessOwnersTest, IsFoundWhenTheListOfJobsComesLater) {
  add(40, {});
  add(42, {.parent = 40});
  EXPECT_FALSE(owner(42).attempt);
  run({{kSeven, 40, 1000}});
  EXPECT_EQ(owner(42).attempt, kSeven);
}

TEST_F(ProcessOwnersTest, ItsEnvironmentCountsOnlyForTheSameUser) {
  const std::string claim("A=b\0GPUSCHED_JOB_ID=7\0GPUSCHED_ATTEMPT=1\0", 42);
  run({{kSeven, 40, 1000}});
  add(50, {.uid = 1000, .environment = claim});
  EXPECT_EQ(owner(50).attempt, kSeven);
  EXPECT_EQ(owner(50).evidence, Evidence::kEnvironment);
  add(51, {.uid = 1001, .environment = claim});
  EXPECT_FALSE(owner(51).attempt);
  run({{kSeven, 40, {}}});
  add(52, {.uid = 1000, .environment = claim});
  EXPECT_FALSE(owner(52).attempt) << "Whose job it is must be known.";
}

TEST_F(ProcessOwnersTest, WhatEndedKeepsItsOwnerWhileTheDriverListsIt) {
  run({{kSeven, 40, 1000}});
  add(40, {});
  add(42, {.parent = 40});
  ASSERT_EQ(owner(42).attempt, kSeven);
  EXPECT_TRUE(owner(42).alive);
  remove(42);
  EXPECT_EQ(owner(42).attempt, kSeven);
  EXPECT_FALSE(owner(42).alive);
  EXPECT_EQ(owners_.known_attempt_of(42), kSeven);
}

TEST_F(ProcessOwnersTest, NamesTheContainer) {
  add(50, {.cgroup = "0::/lxc.payload.box\n"});
  ASSERT_TRUE(owner(50).container);
  EXPECT_EQ(owner(50).container->id, "box");
}

TEST_F(ProcessOwnersTest, AContainerThatAJobMadeIsTheJobs) {
  const std::string box = "0::/machine.slice/libpod-" + std::string(64, 'a') + ".scope\n";
  run({{kSeven, 40, 1000}});
  add(40, {});
  add(50, {.parent = 40, .cgroup = box});
  add(51, {.parent = 1, .cgroup = box});
  EXPECT_FALSE(owner(51).attempt);
  ASSERT_EQ(owner(50).attempt, kSeven);
  EXPECT_EQ(owner(51, std::chrono::minutes{2}).attempt, kSeven);
  add(52, {.parent = 1, .cgroup = "0::/machine.slice/libpod-" + std::string(64, 'b') + ".scope\n"});
  EXPECT_FALSE(owner(52).attempt);
  add(53, {.parent = 1, .cgroup = "0::/user.slice" + box.substr(3)});
  EXPECT_FALSE(owner(53).attempt) << "the same name elsewhere is another group";
}

TEST_F(ProcessOwnersTest, RootInAContainerMayNameAnAttemptForItsOwner) {
  const std::string id(64, 'b');
  const std::string variables("GPUSCHED_JOB_ID=7\0GPUSCHED_ATTEMPT=1\0", 37);
  run({{kSeven, 40, 1000}});
  add(50, {.uid = 0, .cgroup = "0::/docker/" + id + "\n", .environment = variables});
  add(51, {.uid = 0, .environment = variables});
  EXPECT_EQ(owner(50).attempt, kSeven);
  EXPECT_FALSE(owner(51).attempt);
}

TEST_F(ProcessOwnersTest, WhatOutlivesItsAttemptIsForeignFromThenOn) {
  add(40, {});
  add(50, {.parent = 40});
  run({{kSeven, 40, 1000}});
  EXPECT_EQ(owner(50).attempt, kSeven);
  remove(40);
  add(50, {.parent = 1});
  run({});
  EXPECT_FALSE(owners_.owner_of(50, kNow, false).attempt);
  EXPECT_FALSE(owners_.owner_of(50, kNow, true).attempt);
}

TEST_F(ProcessOwnersTest, TheContainerThatEverythingRunsInIsNobodys) {
  const std::string box = "0::/docker/" + std::string(64, 'a') + "\n";
  run({{kSeven, 40, 1000}});
  add(40, {.cgroup = box});
  add(50, {.parent = 40, .cgroup = box});
  add(51, {.parent = 1, .cgroup = box});
  ASSERT_EQ(owner(50).attempt, kSeven);
  EXPECT_FALSE(owner(51).attempt);
}

TEST_F(ProcessOwnersTest, WhatItFoundOutItDoesNotReadAgain) {
  add(50, {});
  ASSERT_EQ(owner(50).command, "python train.py");
  std::ofstream(root_ / "50/cmdline") << "other";
  EXPECT_EQ(owner(50).command, "python train.py");
  EXPECT_EQ(owner(50, std::chrono::minutes{2}).command, "other");
}

TEST_F(ProcessOwnersTest, OfAProcessThatIsKnownToLiveNothingIsRead) {
  run({});
  add(40, {.uid = 0});
  add(42, {.parent = 40, .uid = 0});
  ASSERT_FALSE(owner(42).attempt);
  remove(42);
  add(42, {.ticks = 400'000, .uid = 0, .command = "other"});
  EXPECT_EQ(owners_.owner_of(42, kNow, true).command, "python train.py");
  EXPECT_EQ(owners_.owner_of(42, kNow, false).command, "other");
  add(42, {.parent = 40, .ticks = 400'000, .uid = 0});
  run({{kSeven, 40, 0}});
  EXPECT_EQ(owners_.owner_of(42, kNow, true).attempt, kSeven) << "A new list is news.";
}

TEST_F(ProcessOwnersTest, ALoopOfParentsEnds) {
  run({{kSeven, 40, 1000}});
  add(60, {.parent = 61});
  add(61, {.parent = 60});
  EXPECT_FALSE(owner(60).attempt);
}

TEST(ProcDirectory, ReadsThisVeryProcess) {
  const ProcDirectory proc;
  const auto stat = proc.stat(::getpid());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, ::getppid());
  EXPECT_LE(stat->started, read_clock().boot);
  EXPECT_EQ(proc.uid(::getpid()), ::getuid());
  EXPECT_NE(proc.command(::getpid()).find("sampler_test"), std::string::npos);
}

TEST(MakePrintable, CutsAndReplaces) {
  EXPECT_EQ(make_printable("a\nb\x1b[31m\x7f", 100), "a?b?[31m?");
  EXPECT_EQ(make_printable("größe ✓", 100), "größe ✓");
  EXPECT_EQ(make_printable("bad \xff", 100), "bad ?");
  EXPECT_EQ(make_printable("0123456789", 8), "01234...");
  EXPECT_EQ(make_printable("0123ö6789", 8), "0123...") << "Not in the middle of a character.";
}

TEST(UserNames, ASlowNameServiceHoldsNobodyUp) {
  std::mutex gate;
  std::unique_lock closed(gate);
  UserNames names([&](std::uint32_t) {
    const std::lock_guard wait(gate);
    return std::string("late");
  });
  EXPECT_EQ(names.name_of(7), std::nullopt);
  closed.unlock();
  const Boot deadline = read_clock().boot + std::chrono::seconds{20};
  while (names.name_of(7) != "late" && read_clock().boot < deadline) {
  }
  EXPECT_EQ(names.name_of(7), "late");
}

}  // namespace
}  // namespace gpusched::testing
