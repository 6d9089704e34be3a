#include "os/process_use.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "os/fd.h"

namespace gpusched {
namespace {

TEST(ProcessUse, IsWhatThisProcessTakes) {
  const ProcessUse before = own_use();
  ASSERT_TRUE(before.cpu_seconds && before.resident_bytes && before.virtual_bytes);
  EXPECT_GT(*before.resident_bytes, 0U);
  EXPECT_GE(*before.virtual_bytes, *before.resident_bytes);
  ASSERT_TRUE(before.open_descriptors && before.descriptors_most);
  const Fd one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(*own_use().open_descriptors, *before.open_descriptors + 1);
  EXPECT_GE(*own_use().cpu_seconds, *before.cpu_seconds);
}

}  // namespace
}  // namespace gpusched
