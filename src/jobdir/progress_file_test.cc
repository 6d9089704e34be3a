#include "jobdir/progress_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "jobdir/job_directory.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

TEST(ProgressFile, IsTwoNumbersAndPerhapsSomeWords) {
  ReportedProgress read;
  EXPECT_TRUE(parse_progress("12 500\n", read));
  EXPECT_EQ(read.step, 12u);
  EXPECT_EQ(read.total, 500u);
  EXPECT_EQ(read.said, "");
  EXPECT_TRUE(parse_progress("  500\t500 loss=0.3\tacc=1 \nmore", read));
  EXPECT_EQ(read.said, "loss=0.3 acc=1") << "a tab could move a cursor";
  EXPECT_TRUE(parse_progress("1 2 " + std::string(1000, 'x'), read));
  EXPECT_EQ(read.said, std::string(120, 'x'));
  for (const char* text : {"", "12", "12 0", "501 500", "-1 5", "a b", "1/2", "12 5x", "0x1 5",
                           "99999999999999999999999 5"}) {
    EXPECT_FALSE(parse_progress(text, read)) << text;
  }
}

TEST(ProgressFile, IsAPlainFileOfTheSubmitterAndNoLink) {
  const TemporaryDirectory state;
  const std::filesystem::path place = checkpoint_directory(state.path(), JobId{7});
  const auto uid = static_cast<std::uint32_t>(::getuid());
  EXPECT_FALSE(read_progress(state.path(), JobId{7}, uid)) << "no directory";
  std::filesystem::create_directories(place);
  EXPECT_FALSE(read_progress(state.path(), JobId{7}, uid)) << "no file";
  std::ofstream(place / "elsewhere") << "1 2\n";
  std::filesystem::create_symlink("elsewhere", place / "progress");
  EXPECT_FALSE(read_progress(state.path(), JobId{7}, uid)) << "a link";
  std::filesystem::remove(place / "progress");
  std::ofstream(place / "progress") << "3 4\n";
  const auto read = read_progress(state.path(), JobId{7}, uid);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->step, 3u);
  EXPECT_FALSE(read_progress(state.path(), JobId{7}, uid + 1)) << "somebody else's";
}

}  // namespace
}  // namespace gpusched::testing
