#include "jobdir/process_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "jobdir/cgroup.h"
#include "os/clock.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

// `cat` on a pipe that this process holds: lives until it is told otherwise.
class Child {
 public:
  explicit Child(std::vector<std::string> variables, bool own_session = true) {
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    if (own_session) ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    input_.reset(ends[1]);
    const Fd theirs(ends[0]);
    ::posix_spawn_file_actions_adddup2(&files, theirs.get(), 0);
    std::vector<char*> environment;
    for (std::string& one : variables) environment.push_back(one.data());
    environment.push_back(nullptr);
    std::string program = "cat";
    char* argv[] = {program.data(), nullptr};
    ::posix_spawn(&pid_, "/bin/cat", &files, &attributes, argv, environment.data());
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  Fd input_;
};

bool contains(const std::vector<pid_t>& list, pid_t pid) {
  return std::find(list.begin(), list.end(), pid) != list.end();
}

TEST(ProcessTree, FindsDescendants) {
  const Child child({});
  EXPECT_TRUE(contains(descendants_of(::getpid()), child.pid()));
  EXPECT_FALSE(contains(descendants_of(child.pid()), child.pid()));
}

TEST(ProcessTree, FindsALostSessionByItsNumberAndBirth) {
  const Child child({});
  const Boot now = read_clock().boot;
  EXPECT_TRUE(contains(find_lost_tree({{JobId{1}, 1}, "/c", child.pid(), now}), child.pid()));
}

TEST(ProcessTree, LeavesASessionAloneWhoseNumberWasGivenAway) {
  const Child child({});
  const Boot long_ago = read_clock().boot - Seconds{3600};
  EXPECT_TRUE(find_lost_tree({{JobId{1}, 1}, "/c", child.pid(), long_ago}).empty());
}

TEST(ProcessTree, FindsWhatCarriesTheAttemptInItsEnvironment) {
  const Child ours({"GPUSCHED_ATTEMPT=2", "GPUSCHED_CHECKPOINT_DIR=/state/jobs/5/checkpoint"});
  const Child other_attempt(
      {"GPUSCHED_ATTEMPT=3", "GPUSCHED_CHECKPOINT_DIR=/state/jobs/5/checkpoint"});
  const Child other_daemon(
      {"GPUSCHED_ATTEMPT=2", "GPUSCHED_CHECKPOINT_DIR=/else/jobs/5/checkpoint"});
  // Started long before: of another directory that was at this path.
  const Boot later = read_clock().boot + Seconds{3600};
  EXPECT_TRUE(find_lost_tree({{JobId{5}, 2}, "/state/jobs/5/checkpoint", 999'999, later}).empty());
  const auto found = find_lost_tree({{JobId{5}, 2}, "/state/jobs/5/checkpoint", 0, Boot{}});
  EXPECT_EQ(found, std::vector<pid_t>{ours.pid()});
}

TEST(Cgroup, SaysWhatThisMachineOffers) {
  const CgroupBase base = find_cgroup_base("/state");
  EXPECT_FALSE(base.explanation.empty());
  if (base.path.find("gpusched-") != std::string::npos) {
    EXPECT_NE(base.path, find_cgroup_base("/other").path);
  }
}

TEST(Cgroup, AnUnwritableBaseMeansNone) {
  CgroupBase base;
  base.path = "/proc/no/such/group";
  const CgroupBase prepared = prepare_cgroups(base, false);
  EXPECT_EQ(prepared.path, "");
  EXPECT_NE(prepared.explanation.find("/proc/no/such/group"), std::string::npos);
}

TEST(Cgroup, AWholeLeafIsFrozenKilledAndRemoved) {
  const testing::TemporaryDirectory state;
  const CgroupBase base = prepare_cgroups(find_cgroup_base(state.path()), false);
  if (base.path.find("gpusched-") == std::string::npos) GTEST_SKIP() << base.explanation;
  const std::string path = base.path + "/jobs/1.1";
  {
    auto leaf = make_leaf(path, {2, 1 << 30});
    ASSERT_TRUE(leaf) << leaf.error().message;
    EXPECT_TRUE(leaf_is_empty(leaf->get()));
    const Child child({});
    std::ofstream(path + "/cgroup.procs") << child.pid();
    EXPECT_FALSE(leaf_is_empty(leaf->get()));
    EXPECT_FALSE(remove_leaf(path));
    EXPECT_TRUE(freeze_leaf(leaf->get(), true));
    EXPECT_TRUE(kill_leaf(leaf->get()));
    EXPECT_TRUE(wait_until_leaf_is_empty(leaf->get(), 10'000));
    EXPECT_EQ(oom_kills_in(leaf->get()), 0U);
    // A leaf of the same name that was left behind does not stand in the way.
    std::filesystem::create_directory(path + "/inner");
    EXPECT_TRUE(make_leaf(path, {}));
  }
  leave_cgroups(base);
  EXPECT_TRUE(std::filesystem::exists(base.path)) << "a leaf is still there";
  EXPECT_TRUE(remove_leaf(path));
  leave_cgroups(base);
  EXPECT_FALSE(std::filesystem::exists(base.path));
}

}  // namespace
}  // namespace gpusched
