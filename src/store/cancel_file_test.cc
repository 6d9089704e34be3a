#include "store/cancel_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

std::vector<KeptCancel> cancels(std::uint64_t first, int count) {
  std::vector<KeptCancel> all;
  for (int i = 0; i < count; ++i) {
    KeptCancel one{{JobId{first + static_cast<std::uint64_t>(i)}, i}, {}};
    if (i % 2 == 0) one.grace = Seconds{i};
    all.push_back(one);
  }
  return all;
}

class CancelFiles : public ::testing::Test {
 protected:
  CancelFile open() { return std::move(*CancelFile::open(directory_.path())); }
  std::string path() const { return directory_.path() + "/" + kCancelsName; }
  TemporaryDirectory directory_;
};

TEST_F(CancelFiles, KeepsWhatItIsGivenUntilItIsCleared) {
  EXPECT_TRUE(open().kept().empty());
  CancelFile file = open();
  ASSERT_TRUE(file.keep(cancels(1, 3), 7));
  ASSERT_TRUE(file.keep(cancels(10, 2), 8));
  ASSERT_TRUE(file.keep(cancels(10, 2), 8)) << "Said twice.";
  const CancelFile again = open();
  EXPECT_EQ(again.kept(), file.kept());
  EXPECT_EQ(again.kept().size(), 5u);
  EXPECT_EQ(again.commits(), 8u);
  file.clear();
  EXPECT_TRUE(open().kept().empty());
}

TEST_F(CancelFiles, HasItsRoomFromTheStartAndTakesNoMore) {
  CancelFile file = open();
  const auto size = std::filesystem::file_size(path());
  ASSERT_TRUE(file.keep(cancels(1, 2000), 1));
  const auto many = file.keep(cancels(1'000'000'000'000, 10'000), 1);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::kStorageFull);
  EXPECT_EQ(file.kept().size(), 2000u) << "As if it had not been asked.";
  EXPECT_EQ(open().kept().size(), 2000u);
  EXPECT_EQ(std::filesystem::file_size(path()), size);
}

TEST_F(CancelFiles, ATornWriteLeavesTheOneBefore) {
  CancelFile file = open();
  ASSERT_TRUE(file.keep(cancels(1, 1), 1));
  ASSERT_TRUE(file.keep(cancels(2, 1), 1));
  std::fstream raw(path(), std::ios::in | std::ios::out | std::ios::binary);
  raw.seekp(20);  // The second write is in the first place.
  raw.put('x');
  raw.close();
  EXPECT_EQ(open().kept(), cancels(1, 1));
}

TEST_F(CancelFiles, NothingIsKeptInAFileThatWasRemoved) {
  CancelFile file = open();
  std::filesystem::remove(path());
  EXPECT_FALSE(file.keep(cancels(1, 1), 1));
  EXPECT_TRUE(file.kept().empty());
}

}  // namespace
}  // namespace gpusched::testing
