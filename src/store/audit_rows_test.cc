// The audit in the database: its bounds, and what a commit that failed leaves behind.
#include <gtest/gtest.h>

#include "store/sqlite_store_harness.h"

namespace gpusched::testing {
namespace {

class AuditRowsTest : public SqliteStoreTest {
 protected:
  AuditRowsTest() : store_(opened(directory_.path())) { EXPECT_TRUE(store_->load()); }
  void add(AuditKind kind, int count, AuditBounds bounds, int second = 1000,
           std::optional<std::uint32_t> uid = {}) {
    Commit commit;
    for (int i = 0; i < count; ++i) {
      AuditEntry entry;
      entry.sequence = next_++;
      entry.kind = kind;
      entry.at = Wall(Seconds(second));
      entry.operation = "cancel_jobs";
      entry.uid = uid;
      commit.audit.push_back(entry);
    }
    commit.audit_bounds = bounds;
    const Committed done = store_->commit(commit);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::vector<std::uint64_t> sequences(bool leases = true) {
    std::vector<std::uint64_t> found;
    const auto entries = store_->audit({.most = 10'000, .leases = leases});
    for (const AuditEntry& one : *entries) found.push_back(one.sequence);
    return found;
  }
  using Numbers = std::vector<std::uint64_t>;

  std::unique_ptr<SqliteStore> store_;
  std::uint64_t next_ = 1;
};

TEST_F(AuditRowsTest, ManyOfOneKindPushOutNoneOfAnother) {
  const AuditBounds bounds{.most = 20};
  add(AuditKind::kChange, 3, bounds);
  for (int i = 0; i < 50; ++i) {
    add(AuditKind::kRefusal, 7, bounds);
    add(AuditKind::kLease, 7, bounds);
  }
  const Numbers all = sequences();
  EXPECT_EQ(all.size(), 3U + 2U + 2U);
  EXPECT_EQ(Numbers(all.end() - 3, all.end()), (Numbers{3, 2, 1}));
  EXPECT_EQ(sequences(false).size(), 3U + 2U);
  add(AuditKind::kChange, 40, bounds);
  EXPECT_EQ(count("audit WHERE kind = 0"), 20);
}

TEST_F(AuditRowsTest, ManyOfOneUserPushOutNoneOfAnother) {
  const AuditBounds bounds{.most = 20};
  add(AuditKind::kChange, 3, bounds, 1000, 1001);
  for (int i = 0; i < 30; ++i) add(AuditKind::kChange, 7, bounds, 1000, 1002);
  EXPECT_EQ(count("audit WHERE uid = 1001"), 3);
  EXPECT_EQ(count("audit"), 20);
  store_.reset();
  store_ = opened(directory_.path());
  ASSERT_TRUE(store_->load());
  add(AuditKind::kChange, 40, bounds, 1000, 1003);
  EXPECT_EQ(count("audit WHERE uid = 1001"), 3) << "counted anew after a restart";
  EXPECT_EQ(count("audit WHERE uid = 1003"), 9);
  EXPECT_EQ(count("audit"), 20);
}

TEST_F(AuditRowsTest, WhatIsTooOldGoesAPartWithEachCommit) {
  add(AuditKind::kChange, 250, {.most = 1000}, 1000);
  add(AuditKind::kChange, 1, {.since = Wall(Seconds(2000)), .most = 1000}, 3000);
  EXPECT_EQ(count("audit"), 251 - 101);
  add(AuditKind::kChange, 1, {.since = Wall(Seconds(2000)), .most = 1000}, 3000);
  add(AuditKind::kChange, 1, {.since = Wall(Seconds(2000)), .most = 1000}, 3000);
  EXPECT_EQ(sequences(), (Numbers{253, 252, 251}));
}

TEST_F(AuditRowsTest, OfACommitThatFailedNothingIsCounted) {
  add(AuditKind::kChange, 2, {.most = 3});
  change("CREATE TRIGGER broken BEFORE INSERT ON groups BEGIN SELECT RAISE(ABORT, 'no'); END");
  Commit broken;
  broken.groups.put = {{"a", 1}};
  AuditEntry entry;
  entry.sequence = 77;
  broken.audit = {entry};
  broken.audit_bounds.most = 3;
  EXPECT_FALSE(store_->commit(broken));
  add(AuditKind::kChange, 1, {.most = 3});
  EXPECT_EQ(sequences(), (Numbers{3, 2, 1}));
}

TEST_F(AuditRowsTest, EntriesComeBackAndAreBroughtUpToDate) {
  Commit commit;
  commit.audit = {audit_entry(1), audit_entry(2)};
  commit.audit[1].result = "begun";
  commit.audit_bounds.most = 100;
  ASSERT_TRUE(store_->commit(commit));
  Commit later;
  later.audit = {commit.audit[1], audit_entry(9)};
  later.audit[0].again = later.audit[1].again = true;
  later.audit[0].result = "done";
  later.audit_bounds.most = 100;
  ASSERT_TRUE(store_->commit(later));
  store_.reset();
  store_ = opened(directory_.path());
  EXPECT_EQ(store_->load()->next_audit, 3U);
  const auto kept = store_->audit({.most = 10});
  ASSERT_EQ(kept->size(), 2U);
  EXPECT_EQ(kept->at(0).result, "done");
  EXPECT_EQ(kept->at(1), audit_entry(1));
}

TEST_F(AuditRowsTest, PagesGoBackFromTheNewest) {
  add(AuditKind::kChange, 2, {.most = 100});
  add(AuditKind::kRefusal, 2, {.most = 100});
  add(AuditKind::kChange, 1, {.most = 100});
  const auto first = store_->audit({.most = 2});
  ASSERT_EQ(first->size(), 2U);
  EXPECT_EQ(first->at(0).sequence, 5U);
  EXPECT_EQ(first->at(1).sequence, 4U);
  const auto second = store_->audit({.before = 4, .most = 2});
  ASSERT_EQ(second->size(), 2U);
  EXPECT_EQ(second->at(0).sequence, 3U);
}

}  // namespace
}  // namespace gpusched::testing
