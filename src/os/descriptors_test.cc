#include "os/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "os/fd.h"

namespace gpusched {
namespace {

// Limits belong to a process, so each look is in one of its own. Returns what it exits with.
int in_child(const std::function<int()>& look) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(look());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

rlimit limit_now() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

TEST(Descriptors, TheSoftLimitIsRaisedAndGivenBack) {
  const auto look = [] {
    rlimit small = limit_now();
    if (small.rlim_max < 40) return 0;
    small.rlim_cur = 32;
    ::setrlimit(RLIMIT_NOFILE, &small);
    if (raise_descriptor_limit() < small.rlim_max) return 1;
    if (limit_now().rlim_cur < small.rlim_max) return 2;
    if (descriptors_for_child() != "GPUSCHED_DESCRIPTORS=32:" + std::to_string(small.rlim_max)) {
      return 3;
    }
    give_back_descriptor_limit();
    if (limit_now().rlim_cur != 32 || limit_now().rlim_max != small.rlim_max) return 4;
    return std::getenv(kDescriptorsVariable) == nullptr ? 0 : 5;
  };
  EXPECT_EQ(in_child(look), 0);
}

TEST(Descriptors, WithoutTheVariableNothingIsGivenBack) {
  const auto look = [] {
    const rlim_t before = limit_now().rlim_cur;
    give_back_descriptor_limit();
    return limit_now().rlim_cur == before ? 0 : 1;
  };
  EXPECT_EQ(in_child(look), 0);
}

TEST(Descriptors, AnUnreadableVariableChangesNothing) {
  const auto look = [] {
    const rlim_t before = limit_now().rlim_cur;
    ::setenv(kDescriptorsVariable, "many", 1);
    give_back_descriptor_limit();
    return limit_now().rlim_cur == before ? 0 : 1;
  };
  EXPECT_EQ(in_child(look), 0);
}

TEST(Descriptors, OpenOnesAreCounted) {
  const std::uint64_t before = open_descriptors();
  const Fd one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(open_descriptors(), before + 1);
}

}  // namespace
}  // namespace gpusched
