#include "os/small_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>

#include "os/fd.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

TEST(SmallFile, IsReadWholeOrAsFarAsAskedFor) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/file";
  const std::string content(10'000, 'x');
  std::ofstream(path) << content;
  EXPECT_EQ(read_small_file(path), content);
  EXPECT_EQ(read_small_file(path, 5000), content.substr(0, 5000));
  const Fd open(::open(directory.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(read_small_file_in(open.get(), "file", 3), "xxx");
}

TEST(SmallFile, ThatCannotBeReadIsEmpty) {
  const TemporaryDirectory directory;
  EXPECT_EQ(read_small_file(directory.path() + "/none"), "");
  EXPECT_EQ(read_small_file(directory.path()), "");
}

}  // namespace
}  // namespace gpusched::testing
