#include "store/mark.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "store/place.h"
#include "store/sqlite_store.h"
#include "tests/support/store_values.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/unreliable_disk.h"

namespace gpusched::testing {
namespace {

TEST(Mark, ReadsWhatItWrote) {
  const StoreMark mark{7, 12, 3, 99};
  EXPECT_EQ(mark_from_text(mark_to_text(mark)), mark);
}

TEST(Mark, NoticesEveryFlippedBit) {
  const std::string text = mark_to_text({7, 12, 3, 99});
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(mark_from_text(flipped)) << bit;
  }
  EXPECT_FALSE(mark_from_text(""));
  EXPECT_FALSE(mark_from_text(text.substr(0, text.size() - 1)));
}

TEST(Mark, ATornWriteLeavesTheOneBefore) {
  const TemporaryDirectory directory;
  {
    auto file = MarkFile::open(directory.path()).value();
    file.write({1, 2, 1, 1});
    file.write({2, 3, 1, 1});
    file.write({3, 4, 1, 1});  // Over the first one.
  }
  std::fstream raw(directory / kMarkName, std::ios::in | std::ios::out | std::ios::binary);
  raw.seekp(5);
  raw << "XX";
  raw.close();
  EXPECT_EQ(MarkFile::open(directory.path()).value().found(), (StoreMark{2, 3, 1, 1}));
}

// A store whose daemon was killed: its log is as it was.
class OlderStore : public ::testing::Test {
 protected:
  OlderStore() {
    auto store = SqliteStore::open({.directory = directory_.path()}).value();
    EXPECT_TRUE(store->load());
    for (std::uint64_t i = 1; i <= 20; ++i) EXPECT_TRUE(store->commit(commit_of({job(i)})));
    std::filesystem::copy(directory_.path(), pristine_.path());
    std::filesystem::copy(directory_.path(), killed_.path());
  }
  std::string log() { return killed_ / (std::string(kDatabaseName) + "-wal"); }
  StoreImage loaded() {
    auto store = SqliteStore::open({.directory = killed_.path()});
    EXPECT_TRUE(store) << store.error().message;
    auto image = (*store)->load();
    EXPECT_TRUE(image) << image.error().message;
    return std::move(image).value_or(StoreImage{});
  }
  TemporaryDirectory directory_;
  TemporaryDirectory pristine_;
  TemporaryDirectory killed_;
};

TEST_F(OlderStore, AHealthyOneHasLostNothing) {
  const StoreImage image = loaded();
  EXPECT_FALSE(image.loss);
  EXPECT_EQ(image.jobs.size(), 20u);
}

TEST_F(OlderStore, AFlippedBitInTheLogIsNoticed) {
  std::ifstream file(log(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  file.close();
  // Where the last frame ends: zeros follow, which were there beforehand.
  const std::size_t used = whole.find_last_not_of('\0') + 1;
  for (std::size_t at = 40; at < used; at += used / 60) {
    for (const auto& each : std::filesystem::directory_iterator(killed_.path())) {
      std::filesystem::remove_all(each.path());
    }
    std::filesystem::copy(pristine_.path(), killed_.path());
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    std::ofstream(log(), std::ios::binary) << flipped;
    const StoreImage image = loaded();
    ASSERT_TRUE(image.loss || image.jobs.size() == 20u) << "at " << at;
    EXPECT_EQ(image.next_job, JobId{21}) << "at " << at;
  }
}

TEST_F(OlderStore, ALostLogIsNoticedAndNoNumberIsGivenAgain) {
  std::filesystem::remove(log());
  {
    auto store = SqliteStore::open({.directory = killed_.path()}).value();
    const auto image = store->load();
    ASSERT_TRUE(image) << image.error().message;
    ASSERT_TRUE(image->loss);
    EXPECT_LT(image->loss->commits_found, image->loss->commits_known);
    EXPECT_EQ(image->loss->commits_known, 20u);
    EXPECT_EQ(image->next_job, JobId{21});
    ASSERT_TRUE(store->commit({}));
  }
  EXPECT_TRUE(std::filesystem::exists(killed_ / "gpusched.db.older-1"));
  const StoreImage again = loaded();
  EXPECT_FALSE(again.loss) << "It was said once.";
  EXPECT_EQ(again.next_job, JobId{21});
}

TEST_F(OlderStore, ABackupThatWasPutBackIsNoticed) {
  {
    auto store = SqliteStore::open({.directory = killed_.path()}).value();
    ASSERT_TRUE(store->load());
    ASSERT_TRUE(store->backup(killed_ / "copy.db"));
    ASSERT_TRUE(store->commit(commit_of({job(21)})));
  }
  for (const char* name : {"gpusched.db", "gpusched.db-wal", "gpusched.db-shm"}) {
    std::filesystem::remove(killed_ / name);
  }
  std::filesystem::rename(killed_ / "copy.db", killed_ / "gpusched.db");
  const StoreImage image = loaded();
  ASSERT_TRUE(image.loss);
  EXPECT_EQ(image.loss->next_job_found, JobId{21});
  EXPECT_EQ(image.next_job, JobId{22});
}

TEST_F(OlderStore, KeepsWhatTimeItWas) {
  {
    auto store = SqliteStore::open({.directory = killed_.path()}).value();
    ASSERT_TRUE(store->load());
    Commit commit = commit_of({job(21)});
    commit.clock = Wall{Seconds{1'800'000'000}};
    ASSERT_TRUE(store->commit(commit));
  }
  EXPECT_EQ(loaded().clock, Wall{Seconds{1'800'000'000}});
}

// Acknowledged into a file that nobody will find again.
TEST_F(OlderStore, ADeletedDatabaseTakesNoCommits) {
  auto store = SqliteStore::open({.directory = killed_.path()}).value();
  ASSERT_TRUE(store->load());
  std::filesystem::rename(killed_ / "gpusched.db", killed_ / "elsewhere");
  const auto refused = store->commit(commit_of({job(21)}));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("no longer there"), std::string::npos);
  std::ofstream(killed_ / "gpusched.db") << "another";
  EXPECT_NE(store->commit(commit_of({job(21)})).error().message.find("another file"),
            std::string::npos);
  std::filesystem::rename(killed_ / "elsewhere", killed_ / "gpusched.db");
  EXPECT_TRUE(store->commit(commit_of({job(21)})));
}

// A disk whose syncs fail for good, and a daemon that is killed right after the refusal.
TEST(RefusedCommits, NeverComeBackHoweverOftenSyncsFail) {
  for (const int before : {0, 1, 7, 300}) {
    const TemporaryDirectory directory;
    const TemporaryDirectory after;
    UnreliableDisk disk;
    auto store = SqliteStore::open({.directory = directory.path(), .vfs = disk.name()}).value();
    ASSERT_TRUE(store->load());
    std::uint64_t next = 1;
    for (int i = 0; i < before; ++i) ASSERT_TRUE(store->commit(commit_of({job(next++)})));
    disk.fail_syncs(1'000'000);
    for (int i = 0; i < 3; ++i) ASSERT_FALSE(store->commit(commit_of({job(next)})));
    std::filesystem::copy(directory.path(), after.path());
    const auto image = SqliteStore::open({.directory = after.path()}).value()->load();
    ASSERT_TRUE(image);
    EXPECT_EQ(image->jobs.size(), static_cast<std::size_t>(before));
    EXPECT_FALSE(image->loss);
    // And when syncs work again, so does the store.
    disk.fail_syncs(0);
    const auto done = store->commit(commit_of({job(next)}));
    ASSERT_TRUE(done) << done.error().message;
  }
}

// An empty commit after a failure is a real one: else a dead disk looks well every other second.
TEST(RefusedCommits, AnEmptyCommitTellsWhetherTheDiskWorksAgain) {
  const TemporaryDirectory directory;
  UnreliableDisk disk;
  auto store = SqliteStore::open({.directory = directory.path(), .vfs = disk.name()}).value();
  ASSERT_TRUE(store->load());
  ASSERT_TRUE(store->commit({}));
  disk.fail_syncs(1'000'000);
  EXPECT_TRUE(store->commit({})) << "Nothing to write, nothing known to be wrong.";
  ASSERT_FALSE(store->commit(commit_of({job(1)})));
  EXPECT_FALSE(store->commit({}));
  EXPECT_FALSE(store->commit({}));
  disk.fail_syncs(0);
  EXPECT_TRUE(store->commit({}));
}

}  // namespace
}  // namespace gpusched::testing
