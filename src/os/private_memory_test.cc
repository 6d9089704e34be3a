#include "os/private_memory.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpusched {
namespace {

TEST(PrivateMemory, IsInNoCoreFileAndNoProgramThatIsStartedIsChanged) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool was = ::prctl(PR_GET_DUMPABLE) == 1;
    const bool is = keep_memory_private() && ::prctl(PR_GET_DUMPABLE) == 0;
    ::_exit(was && is ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(::prctl(PR_GET_DUMPABLE), 1) << "of one process, not of all";
}

}  // namespace
}  // namespace gpusched
