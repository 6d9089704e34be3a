#include "launcher/attempt_entries.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

namespace fs = std::filesystem;

class SpareEntriesTest : public ::testing::Test {
 protected:
  std::string path(const std::string& below) const { return place_ / below; }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(place_.path()), fs::directory_iterator()));
  }
  TemporaryDirectory place_;
  Fd jobs_{::open(place_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(SpareEntriesTest, BecomeTheFirstAttemptsByOneRename) {
  const auto spare = make_spare_entries(jobs_.get());
  ASSERT_TRUE(spare);
  ASSERT_TRUE(take_spare_entries(jobs_.get(), *spare, {JobId{7}, 1}));
  EXPECT_EQ(entries(), 1u);
  for (const char* name : {"7/1/log", "7/1/control", "7/checkpoint"}) {
    EXPECT_TRUE(fs::exists(path(name))) << name;
  }
  const auto mode = [&](const char* name) {
    struct stat about {};
    ::stat(path(name).c_str(), &about);
    return about.st_mode & 0777;
  };
  EXPECT_EQ(mode("7"), 0711u);
  EXPECT_EQ(mode("7/1"), 0711u);
  EXPECT_EQ(mode("7/1/log"), 0600u);
  EXPECT_EQ(mode("7/checkpoint"), 0700u);
}

TEST_F(SpareEntriesTest, TheirDraftIsTheClaimOnceItIsFilled) {
  const auto spare = make_spare_entries(jobs_.get());
  ASSERT_TRUE(spare);
  ASSERT_TRUE(take_spare_entries(jobs_.get(), *spare, {JobId{7}, 1}));
  const int directory = spare->directory.get();
  ASSERT_TRUE(fill_draft(directory, spare->draft, {true, 42, "boot", "/leaf"}));
  const auto posted = post_claim(directory, spare->draft);
  ASSERT_TRUE(posted && *posted);
  const auto text = read_file(directory, "claim");
  ASSERT_TRUE(text && *text);
  EXPECT_EQ(parse_claim(**text)->pid, 42);
  EXPECT_TRUE(*claim_is_held(directory));
}

TEST_F(SpareEntriesTest, ALaterAttemptDoesNotTakeThem) {
  const auto spare = make_spare_entries(jobs_.get());
  ASSERT_TRUE(spare);
  EXPECT_FALSE(take_spare_entries(jobs_.get(), *spare, {JobId{7}, 2}));
  EXPECT_EQ(entries(), 0u) << "Nothing is left of them.";
}

TEST_F(SpareEntriesTest, WhatIsThereAlreadyIsNotReplaced) {
  fs::create_directories(path("7/1"));
  std::ofstream(path("7/1/exit")) << "precious";
  std::ofstream(path("8")) << "a file";
  for (const std::uint64_t job : {7, 8}) {
    const auto spare = make_spare_entries(jobs_.get());
    ASSERT_TRUE(spare);
    EXPECT_FALSE(take_spare_entries(jobs_.get(), *spare, {JobId{job}, 1}));
  }
  EXPECT_TRUE(fs::exists(path("7/1/exit")));
  EXPECT_TRUE(fs::is_regular_file(path("8")));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(SpareEntriesTest, ThoseOfAKilledSpareAreRemoved) {
  ASSERT_TRUE(make_spare_entries(jobs_.get()));
  fs::create_directories(path("7/1"));
  remove_lost_spares(jobs_.get());
  EXPECT_EQ(entries(), 1u);
  EXPECT_TRUE(fs::exists(path("7/1")));
}

TEST_F(SpareEntriesTest, WhatWasRemovedAsLostCannotBeTakenAnyMore) {
  const auto spare = make_spare_entries(jobs_.get());
  ASSERT_TRUE(spare);
  remove_lost_spares(jobs_.get());
  EXPECT_FALSE(take_spare_entries(jobs_.get(), *spare, {JobId{7}, 1}));
  EXPECT_EQ(entries(), 0u);
}

}  // namespace
}  // namespace gpusched::testing
