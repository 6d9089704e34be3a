// Databases and directories that are refused, each with its sentence.
#include "store/sqlite_store_harness.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "store/migrations.h"

namespace gpusched::testing {
namespace {

using RefusedStore = SqliteStoreTest;

TEST_F(RefusedStore, RefusesAFileThatIsNoDatabase) {
  std::ofstream(database()) << std::string(10000, 'x');
  expect_contains(refusal(ErrorCode::kIo), "gpusched.db: this file is not a database");
  std::ifstream file(database());
  EXPECT_EQ(file.peek(), 'x');
}

TEST_F(RefusedStore, RefusesANewerVersionAndLeavesItAlone) {
  make_store();
  change("PRAGMA user_version = 999");
  expect_contains(refusal(ErrorCode::kUnsupported),
                  "made by a newer gpusched (schema 999, this one knows " +
                      std::to_string(schema_steps().size()) + ")");
}

TEST_F(RefusedStore, RefusesADamagedDatabase) {
  {
    auto store = opened(directory_.path());
    ASSERT_TRUE(store->load());
    for (std::uint64_t i = 0; i < 20; ++i) {
      std::vector<Job> jobs;
      for (std::uint64_t j = 1; j <= 50; ++j) jobs.push_back(job(i * 50 + j));
      ASSERT_TRUE(store->commit(commit_of(std::move(jobs))));
    }
  }
  std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(20 * 4096);
  file << std::string(8 * 4096, '\xa5');
  file.close();
  expect_contains(refusal(ErrorCode::kIo), "is damaged");
}

TEST_F(RefusedStore, RefusesATruncatedDatabase) {
  make_store();
  std::filesystem::resize_file(database(), 3 * 4096);
  expect_contains(refusal(ErrorCode::kIo), "damaged");
}

TEST_F(RefusedStore, RefusesRowsThatMakeNoSense) {
  make_store();
  change("UPDATE jobs SET state = 'dancing', granted = '0,0' WHERE id = 2");
  expect_contains(refusal(ErrorCode::kIo), "read job 2 from the store: state 'dancing'");
  change("UPDATE jobs SET state = 'queued' WHERE id = 2; UPDATE specs SET spec = '{' WHERE id = 1");
  expect_contains(refusal(ErrorCode::kIo), "read spec 1 from the store");
  change("DELETE FROM specs WHERE id = 1");
  expect_contains(refusal(ErrorCode::kIo), "read job 1 from the store: its spec is missing");
}

TEST_F(RefusedStore, RefusesWhenTheDatabaseIsGone) {
  make_store();
  std::filesystem::remove(database());
  expect_contains(refusal(ErrorCode::kIo), "the database is gone, but there was one");
  EXPECT_FALSE(std::filesystem::exists(database()));
  std::filesystem::remove(directory_ / kMarkerName);
  EXPECT_EQ(refusal(ErrorCode::kIo), "accepted");
}

TEST_F(RefusedStore, RefusesWhenTheDatabaseIsEmpty) {
  make_store();
  std::filesystem::resize_file(database(), 0);
  expect_contains(refusal(ErrorCode::kIo), "the database is empty, but there was one");
}

TEST_F(RefusedStore, StartsOverAfterACrashBeforeTheFirstStartWasComplete) {
  std::ofstream make(database());
  make.close();
  EXPECT_EQ(refusal(ErrorCode::kIo), "accepted");
}

TEST_F(RefusedStore, RefusesAMissingDirectoryAndAFileInItsPlace) {
  const auto missing = SqliteStore::open({.directory = directory_ / "none"});
  ASSERT_FALSE(missing);
  expect_contains(missing.error().message, "none: No such file or directory");
  std::ofstream(directory_ / "file") << "x";
  const auto file = SqliteStore::open({.directory = directory_ / "file"});
  ASSERT_FALSE(file);
  expect_contains(file.error().message, "it is a file");
}

TEST_F(RefusedStore, RefusesADirectoryItMayNotWrite) {
  if (::geteuid() == 0 && ::seteuid(65534) != 0) GTEST_SKIP() << "cannot become another user";
  const std::string refused = refusal(ErrorCode::kForbidden);
  if (::getuid() == 0) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  expect_contains(refused, "Permission denied");
}

}  // namespace
}  // namespace gpusched::testing
