#include "daemon/disk_use.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

namespace fs = std::filesystem;

class DiskUseTest : public ::testing::Test {
 protected:
  fs::path job(int id) {
    const fs::path place = fs::path(directory_.path()) / std::to_string(id);
    fs::create_directories(place / "checkpoint");
    return place;
  }
  static void write(const fs::path& file, std::size_t bytes) {
    std::ofstream(file) << std::string(bytes, 'x');
  }
  DiskCount count(const DiskCountMost& most = {}) {
    auto all = count_job_files(directory_.path(), most);
    return all[::getuid()];
  }

  TemporaryDirectory directory_;
};

TEST_F(DiskUseTest, CountsCheckpointsAndLogsOfAllJobsOfAUser) {
  const std::uint64_t empty = [this] {
    job(1);
    fs::create_directories(job(2) / "1");
    return count().bytes;
  }();
  write(job(1) / "checkpoint" / "state.pt", 1 << 20);
  write(job(2) / "1" / "log", 1 << 20);
  const std::uint64_t more = count().bytes - empty;
  EXPECT_GE(more, 2U << 20);
  EXPECT_LE(more, 3U << 20);
}

TEST_F(DiskUseTest, AFileWithoutContentIsNotFree) {
  const fs::path place = job(1) / "checkpoint";
  const std::uint64_t before = count().bytes;
  for (int i = 0; i < 100; ++i) write(place / std::to_string(i), 0);
  EXPECT_GE(count().bytes - before, 100U * 4096);
}

TEST_F(DiskUseTest, FollowsNoLink) {
  TemporaryDirectory elsewhere;
  write(fs::path(elsewhere.path()) / "large", 4 << 20);
  const fs::path place = job(1) / "checkpoint";
  fs::create_directory_symlink(elsewhere.path(), place / "link");
  fs::create_symlink(fs::path(elsewhere.path()) / "large", place / "file");
  fs::create_directory_symlink(place, place / "round");
  EXPECT_LT(count().bytes, 1U << 20);
}

TEST_F(DiskUseTest, StopsAtWhatIsTooMuch) {
  const fs::path place = job(1) / "checkpoint";
  for (int i = 0; i < 50; ++i) write(place / std::to_string(i), 0);
  EXPECT_LE(count({.bytes = 20 * 4096}).entries, 25U);
  EXPECT_GE(count({.bytes = 0, .entries = 10}).bytes, kUncountable);
}

TEST_F(DiskUseTest, WhatIsTooDeepIsMoreThanCanBeCounted) {
  fs::path place = job(1) / "checkpoint";
  for (int i = 0; i < 10; ++i) place /= "d";
  fs::create_directories(place);
  EXPECT_LT(count({.bytes = 0, .entries = 1000, .depth = 12}).bytes, kUncountable);
  EXPECT_GE(count({.bytes = 0, .entries = 1000, .depth = 5}).bytes, kUncountable);
}

TEST_F(DiskUseTest, NothingIsThereWhereThereIsNoDirectory) {
  EXPECT_TRUE(count_job_files(directory_.path() + "/none", {}).empty());
}

}  // namespace
}  // namespace gpusched::testing
