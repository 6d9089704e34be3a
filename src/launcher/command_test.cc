#include "launcher/command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobdir/cgroup.h"

namespace gpusched {
namespace {

class Command : public ::testing::Test {
 protected:
  Command() {
    order_.argv = {"true"};
    order_.working_directory = "/";
    plan_.order = &order_;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    theirs_.reset(ends[0]);
    release_.reset(ends[1]);
    plan_.wait_fd = theirs_.get();
    plan_.release_fd = release_.get();
  }
  CommandOrder order_;
  CommandPlan plan_;
  Fd theirs_, release_;
};

TEST_F(Command, AGroupThatHasVanishedIsToldBeforeAnythingRuns) {
  const CgroupBase base = find_cgroup_base("/no/such/place/" + std::to_string(::getpid()));
  if (base.path.find("/gpusched-") == std::string::npos) GTEST_SKIP() << base.explanation;
  ASSERT_EQ(::mkdir(base.path.c_str(), 0755), 0);
  const Fd leaf(::open(base.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::rmdir(base.path.c_str()), 0);
  plan_.leaf_fd = leaf.get();
  const auto started = start_command(plan_);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kNotFound);
  EXPECT_NE(started.error().message.find("control group"), std::string::npos);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "nothing was started";
}

TEST_F(Command, WithoutAProcessToBeHadItSaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs another user, whose processes can be counted";
  const pid_t child = ::fork();
  if (child == 0) {
    // Of this user there is one process, which is all that it may have.
    const rlimit one{1, 1};
    ::setrlimit(RLIMIT_NPROC, &one);
    if (::setresuid(54321, 54321, 54321) != 0) ::_exit(3);
    const auto started = start_command(plan_);
    ::_exit(!started && started.error().code == ErrorCode::kBusy ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace gpusched
