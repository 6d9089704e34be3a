// The power is cut at random points of a random workload: what was acknowledged must be there
// after the restart, and the commit under way must be there whole or not at all.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "sim/memory_store.h"
#include "store/sqlite_store.h"
#include "tests/support/store_values.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/unreliable_disk.h"

namespace gpusched::testing {
namespace {

// Commits as a busy daemon makes them.
class Workload {
 public:
  explicit Workload(std::uint64_t seed) : random_(seed) {}

  Commit next() {
    Commit commit;
    const std::uint64_t kind = random_() % 10;
    if (kind < 4 || jobs_.empty()) {
      submit(commit, kind == 0 ? 200 : 1 + random_() % 3);
    } else if (kind < 9) {
      change(commit);
    } else {
      remove(commit);
    }
    return commit;
  }

 private:
  void submit(Commit& commit, std::uint64_t count) {
    const auto shared =
        spec("s" + std::to_string(random_()), environment(random_() % 2 ? "a" : "b"));
    commit.submissions.put = {submission(++last_submission_, last_job_ + 1, count)};
    for (std::uint64_t i = 0; i < count; ++i) {
      const Job made = job(++last_job_, shared);
      jobs_[made.id] = made;
      put(commit, made);
    }
  }
  void change(Commit& commit) {
    Job& changed = any_job();
    switch (random_() % 3) {
      case 0:
        changed.state = Held{};
        break;
      case 1:
        changed.spec = spec("changed", environment("c"));
        break;
      default:
        changed.priority = static_cast<int>(random_() % 100);
    }
    put(commit, changed);
  }
  void remove(Commit& commit) {
    for (std::uint64_t i = 0; i < 20 && !jobs_.empty(); ++i) {
      const JobId id = any_job().id;
      commit.jobs.removed.push_back(id);
      jobs_.erase(id);
    }
  }
  void put(Commit& commit, const Job& each) {
    commit.trail.push_back(entry(++last_trail_, number_of(each.id), "changed"));
    commit.jobs.put.push_back(each);
  }
  Job& any_job() {
    auto at = jobs_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_() % jobs_.size()));
    return at->second;
  }

  std::mt19937_64 random_;
  std::map<JobId, Job> jobs_;
  std::uint64_t last_job_ = 0;
  std::uint64_t last_submission_ = 0;
  std::uint64_t last_trail_ = 0;
};

std::string text_of_directory(const std::string& directory) {
  auto store = SqliteStore::open({.directory = directory});
  if (!store) return store.error().message;
  const Result<StoreImage> image = (*store)->load();
  return image ? text_of(**store, *image) : image.error().message;
}

std::string text_of_model(MemoryStore& model) {
  const StoreImage image = model.load().value();
  return text_of(model, image);
}

void play(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const TemporaryDirectory directory;
  const TemporaryDirectory after;
  UnreliableDisk disk;
  MemoryStore model;
  std::mt19937_64 random(seed);
  const bool while_opening = seed % 8 == 0;
  if (while_opening) disk.cut_power_after(static_cast<int>(random() % 30));
  auto store = SqliteStore::open({.directory = directory.path(), .vfs = disk.name()});
  Commit under_way;
  if (store && (*store)->load()) {
    if (!while_opening) disk.cut_power_after(static_cast<int>(random() % 600));
    Workload workload(seed);
    for (under_way = workload.next(); (*store)->commit(under_way); under_way = workload.next()) {
      ASSERT_TRUE(model.commit(under_way));
    }
  }
  ASSERT_TRUE(disk.power_is_out());
  disk.power_cut(directory.path(), after.path(), seed);
  const std::string found = text_of_directory(after.path());
  const std::string without = text_of_model(model);
  ASSERT_TRUE(model.commit(under_way));
  if (found != text_of_model(model)) {
    EXPECT_EQ(found, without);
  }
}

TEST(PowerCut, LosesNothingAcknowledgedAndKeepsNothingInPart) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    play(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

class OneStore : public ::testing::Test {
 protected:
  OneStore() {
    store_ = SqliteStore::open({.directory = directory_.path(), .vfs = disk_.name()}).value();
    EXPECT_TRUE(store_->load());
    EXPECT_TRUE(store_->commit(commit_of({job(1)})));
  }
  TemporaryDirectory directory_;
  TemporaryDirectory after_;
  UnreliableDisk disk_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(OneStore, AOneJobCommitCostsOneSync) {
  const int before = disk_.syncs();
  ASSERT_TRUE(store_->commit(commit_of({job(2)})));
  EXPECT_EQ(disk_.syncs(), before + 1);
}

// A lease dies with the machine, so its commit need not outlive it; the daemon's death it does.
TEST_F(OneStore, ACommitOfLeasesCostsNoSyncAndOutlivesTheProcess) {
  Job held = job(2);
  auto spec = std::make_shared<JobSpec>(*held.spec);
  spec->lease = std::make_shared<LeaseTerms>(
      LeaseTerms{.pid = 7, .pid_started = 1234, .application = "trainer", .by_turns = true});
  held.spec = spec;
  Commit commit = commit_of({held});
  commit.outlives_machine = false;
  const int before = disk_.syncs();
  ASSERT_TRUE(store_->commit(commit));
  EXPECT_EQ(disk_.syncs(), before);
  std::filesystem::copy(directory_.path(), after_.path());
  const auto image = SqliteStore::open({.directory = after_.path()}).value()->load();
  ASSERT_EQ(image->jobs.size(), 2u);
  ASSERT_TRUE(image->jobs.back().spec->lease);
  EXPECT_EQ(*image->jobs.back().spec->lease, *spec->lease);
  // The next commit of a job takes it along.
  ASSERT_TRUE(store_->commit(commit_of({job(3)})));
  EXPECT_EQ(disk_.syncs(), before + 1);
  TemporaryDirectory cut;
  disk_.power_cut(directory_.path(), cut.path(), 7);
  EXPECT_EQ(SqliteStore::open({.directory = cut.path()}).value()->load()->jobs.size(), 3u);
}

// The log holds the whole commit, only the sync failed: nobody may find it there later.
TEST_F(OneStore, ACommitWhoseSyncFailedNeverComesBack) {
  disk_.fail_syncs(1);
  const Committed done = store_->commit(commit_of({job(2)}));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kIo);
  // Killed now; the system's cache is written out whole.
  std::filesystem::copy(directory_.path(), after_.path());
  auto next = SqliteStore::open({.directory = after_.path()}).value();
  EXPECT_EQ(next->load()->jobs.size(), 1u);
}

TEST_F(OneStore, TakesCommitsAgainOnceSyncsWorkAgain) {
  disk_.fail_syncs(3);
  EXPECT_FALSE(store_->commit(commit_of({job(2)})));
  EXPECT_FALSE(store_->commit(commit_of({job(2)})));
  const Committed done = store_->commit(commit_of({job(2), job(3)}));
  ASSERT_TRUE(done) << done.error().message;
  store_.reset();
  EXPECT_EQ(SqliteStore::open({.directory = directory_.path()}).value()->load()->jobs.size(), 3u);
}

// The test of the test: without syncs the same disk does lose things.
TEST_F(OneStore, TheDiskLosesWhatIsNotSynced) {
  store_.reset();
  Database database = Database::open(directory_ / "gpusched.db", disk_.name()).value();
  ASSERT_TRUE(database.run("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;"));
  ASSERT_TRUE(database.run("INSERT INTO groups VALUES('a', 1, 0)"));
  disk_.power_cut(directory_.path(), after_.path(), 7);
  EXPECT_TRUE(SqliteStore::open({.directory = after_.path()}).value()->load()->groups.empty());
}

}  // namespace
}  // namespace gpusched::testing
