#include "store/sqlite_store_harness.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "store/migrations.h"
#include "store/place.h"
#include "tests/support/store_contract.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

class SqliteHarness {
 public:
  SqliteHarness() { restart(); }
  Store& store() { return *store_; }
  StoreImage restart() {
    store_.reset();
    store_ = opened(directory_.path());
    Result<StoreImage> image = store_->load();
    EXPECT_TRUE(image) << image.error().message;
    return std::move(image).value_or(StoreImage{});
  }
  std::string new_path() { return directory_ / ("backup" + std::to_string(++paths_)); }
  std::unique_ptr<Store> restored(const std::string& path) {
    std::filesystem::copy_file(path, copy_ / kDatabaseName);
    return opened(copy_.path());
  }

 private:
  TemporaryDirectory directory_;
  TemporaryDirectory copy_;
  std::unique_ptr<SqliteStore> store_;
  int paths_ = 0;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, StoreContract, SqliteHarness);

TEST_F(SqliteStoreTest, WritesOneSpecAndOneEnvironmentForAnArray) {
  auto store = opened(directory_.path());
  ASSERT_TRUE(store->load());
  const auto shared = spec("array", environment("one"));
  for (std::uint64_t slice = 0; slice < 3; ++slice) {
    std::vector<Job> jobs;
    for (std::uint64_t i = 1; i <= 100; ++i) jobs.push_back(job(slice * 100 + i, shared));
    ASSERT_TRUE(store->commit(commit_of(std::move(jobs))));
  }
  ASSERT_TRUE(store->commit(commit_of({job(301, spec("other", environment("one")))})));
  EXPECT_EQ(count("jobs"), 301);
  EXPECT_EQ(count("specs"), 2);
  EXPECT_EQ(count("environments"), 1);
}

TEST_F(SqliteStoreTest, WhatOnlyEndedJobsHaveIsReadByNameWhenSomebodyAsks) {
  Job ended = job(1, spec("ended", environment("one")));
  ended.state = Ended{};
  ASSERT_TRUE(opened(directory_.path())->load());
  {
    auto store = opened(directory_.path());
    ASSERT_TRUE(store->load());
    ASSERT_TRUE(store->commit(commit_of({ended, job(2, spec("waits", environment("two")))})));
  }
  auto store = opened(directory_.path());
  const auto image = store->load();
  ASSERT_TRUE(image);
  EXPECT_TRUE(image->jobs[0].spec->environment->away);
  EXPECT_EQ(image->jobs[0].spec->environment->hash, "hash-of-one");
  EXPECT_EQ(image->jobs[1].spec->environment->variables, environment("two")->variables);
  const auto read = store->environments({"hash-of-one", "unknown", "hash-of-one"});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->at("hash-of-one")->variables, environment("one")->variables);
  EXPECT_FALSE(read->at("hash-of-one")->away);
}

TEST_F(SqliteStoreTest, RemovesSpecsAndEnvironmentsWithTheirLastJob) {
  auto store = opened(directory_.path());
  ASSERT_TRUE(store->load());
  const auto shared = spec("array", environment("one"));
  ASSERT_TRUE(store->commit(
      commit_of({job(1, shared), job(2, shared), job(3, spec("x", environment("two")))})));
  Commit removal;
  removal.jobs.removed = {JobId{1}};
  ASSERT_TRUE(store->commit(removal));
  EXPECT_EQ(count("specs"), 2);
  removal.jobs.removed = {JobId{2}};
  ASSERT_TRUE(store->commit(removal));
  EXPECT_EQ(count("specs"), 1);
  EXPECT_EQ(count("environments"), 1);
  // The spec is still in memory; its row is not taken to be there.
  ASSERT_TRUE(store->commit(commit_of({job(4, shared)})));
  EXPECT_EQ(count("specs"), 2);
  EXPECT_EQ(count("environments"), 2);
  store.reset();
  EXPECT_EQ(opened(directory_.path())->load()->jobs.size(), 2u);
}

TEST_F(SqliteStoreTest, RemovesTheSpecThatAChangeLeftUnused) {
  auto store = opened(directory_.path());
  ASSERT_TRUE(store->load());
  ASSERT_TRUE(store->commit(commit_of({job(1, spec("before", environment("one")))})));
  Commit change;
  change.jobs.put = {job(1, spec("after", environment("two")))};
  ASSERT_TRUE(store->commit(change));
  EXPECT_EQ(count("specs"), 1);
  EXPECT_EQ(count("environments"), 1);
}

TEST_F(SqliteStoreTest, LeavesNoTraceOfARemovedEnvironment) {
  {
    auto store = opened(directory_.path());
    ASSERT_TRUE(store->load());
    auto secret = std::make_shared<Environment>();
    secret->hash = "h";
    secret->variables = {"TOKEN=correct-horse-battery-staple"};
    ASSERT_TRUE(store->commit(commit_of({job(1, spec("s", secret))})));
    Commit removal;
    removal.jobs.removed = {JobId{1}};
    ASSERT_TRUE(store->commit(removal));
  }
  std::ifstream file(database(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(bytes.find("correct-horse"), std::string::npos);
}

TEST_F(SqliteStoreTest, KeepsItsFilesPrivate) {
  const mode_t before = ::umask(0);
  auto store = opened(directory_.path());
  ASSERT_TRUE(store->load());
  ASSERT_TRUE(store->commit(commit_of({job(1)})));
  ASSERT_TRUE(store->backup(directory_ / "copy.db"));
  ::umask(before);
  for (const auto& file : std::filesystem::directory_iterator(directory_.path())) {
    EXPECT_EQ(file.status().permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << file.path();
  }
}

TEST_F(SqliteStoreTest, MakesARestoredFilePrivateAgain) {
  make_store();
  ::chmod(database().c_str(), 0644);
  ASSERT_NE(opened(directory_.path()), nullptr);
  struct stat status {};
  ASSERT_EQ(::stat(database().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(SqliteStoreTest, AFullDatabaseRefusesAndRecovers) {
  auto store = opened(directory_.path(), /*most_pages=*/40);
  ASSERT_TRUE(store->load());
  std::uint64_t next = 1;
  Committed done;
  while (next < 10'000 && (done = store->commit(commit_of({job(next)})))) ++next;
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kStorageFull);
  expect_contains(done.error().message, "the disk is full");
  EXPECT_EQ(count("jobs"), static_cast<std::int64_t>(next - 1));
  EXPECT_EQ(count("trail"), static_cast<std::int64_t>(next - 1));

  Commit removal;
  for (std::uint64_t i = 1; i < next; ++i) removal.jobs.removed.push_back(JobId{i});
  ASSERT_TRUE(store->commit(removal));
  ASSERT_TRUE(store->commit(commit_of({job(next)})));
  EXPECT_EQ(count("jobs"), 1);
  EXPECT_EQ(count("specs"), 1);
}

TEST_F(SqliteStoreTest, AFullDatabaseKeepsCancelsUntilACommitTakesThemIn) {
  auto store = opened(directory_.path(), /*most_pages=*/40);
  ASSERT_TRUE(store->load());
  Commit more = commit_of({job(1)});
  Committed done;
  for (std::uint64_t next = 2; next < 10'000 && done; ++next) {
    more = commit_of({job(next)});
    more.cancels = {{{JobId{1}, 1}, Seconds{5}}};
    done = store->commit(more);
  }
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().cancels_kept);
  more.cancels.clear();
  const Committed without = store->commit(more);
  ASSERT_FALSE(without);
  EXPECT_FALSE(without.error().cancels_kept);

  const std::vector<KeptCancel> kept = {{{JobId{1}, 1}, Seconds{5}}};
  store = opened(directory_.path());
  EXPECT_EQ(store->load()->cancels, kept);
  store = opened(directory_.path());
  EXPECT_EQ(store->load()->cancels, kept) << "Nobody has taken them in.";
  // One that is killed right after its commit may not have cleared them.
  std::filesystem::copy_file(directory_ / kCancelsName, directory_ / "before");
  more.has_kept_cancels = true;
  ASSERT_TRUE(store->commit(more));
  std::filesystem::copy_file(directory_ / "before", directory_ / kCancelsName,
                             std::filesystem::copy_options::overwrite_existing);
  store = opened(directory_.path());
  EXPECT_TRUE(store->load()->cancels.empty());
}

TEST_F(SqliteStoreTest, ADeletedLogTakesNothingMoreAndLosesNothing) {
  auto store = opened(directory_.path());
  ASSERT_TRUE(store->load());
  ASSERT_TRUE(store->commit(commit_of({job(1)})));
  std::filesystem::remove(directory_ / "gpusched.db-wal");
  const Committed done = store->commit(commit_of({job(2)}));
  ASSERT_FALSE(done);
  expect_contains(done.error().message, "no longer there");
  store = opened(directory_.path());
  const auto image = store->load();
  ASSERT_TRUE(image);
  EXPECT_FALSE(image->loss);
  ASSERT_EQ(image->jobs.size(), 1u);
  EXPECT_EQ(image->jobs[0].id, JobId{1});
}

TEST_F(SqliteStoreTest, AFullDiskRefusesAndRecovers) {
  const std::string disk = directory_ / "disk";
  std::filesystem::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "needs root";
  struct Unmount {
    std::string at;
    ~Unmount() { ::umount2(at.c_str(), MNT_DETACH); }
  } unmount{disk};
  std::ofstream(disk + "/ballast") << std::string(400'000, 'x');
  auto store = opened(disk);
  ASSERT_TRUE(store->load());
  std::uint64_t next = 1;
  Committed done;
  while (next < 10'000 && (done = store->commit(commit_of({job(next)})))) ++next;
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kStorageFull) << done.error().message;
  EXPECT_FALSE(store->commit(commit_of({job(next)})));

  std::filesystem::remove(disk + "/ballast");
  done = store->commit(commit_of({job(next)}));
  ASSERT_TRUE(done) << done.error().message;
  store.reset();
  store = opened(disk);
  EXPECT_EQ(store->load()->jobs.size(), next);
}

TEST_F(SqliteStoreTest, ReadsTrailsAndBacksUpWhileCommitsGoOn) {
  auto store = opened(directory_.path());
  ASSERT_TRUE(store->load());
  ASSERT_TRUE(store->commit(commit_of({job(1)})));
  std::jthread other([&] {
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(store->backup(directory_ / ("copy" + std::to_string(i))));
      EXPECT_EQ(store->trail(JobId{1}, 0, 10)->size(), 1u);
    }
  });
  for (std::uint64_t i = 2; i < 100; ++i) ASSERT_TRUE(store->commit(commit_of({job(i)})));
}

TEST_F(SqliteStoreTest, ABackupThatCannotBeWrittenLeavesNothing) {
  make_store();
  auto store = opened(directory_.path());
  const Result<void> done = store->backup(directory_ / "none/copy.db");
  ASSERT_FALSE(done);
  expect_contains(done.error().message, "none/copy.db: No such file or directory");
}

}  // namespace
}  // namespace gpusched::testing
