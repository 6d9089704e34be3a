#include "sim/memory_store.h"

#include <gtest/gtest.h>

#include "tests/support/store_contract.h"

namespace gpusched::testing {
namespace {

class MemoryHarness {
 public:
  MemoryHarness() { restart(); }
  Store& store() { return store_; }
  StoreImage restart() { return store_.load().value(); }
  std::string new_path() { return "backup" + std::to_string(++paths_); }
  std::unique_ptr<Store> restored(const std::string& path) { return store_.restored(path); }

 private:
  MemoryStore store_;
  int paths_ = 0;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, StoreContract, MemoryHarness);

TEST(MemoryStore, APowerCutTakesWhatWasNotSynced) {
  MemoryStore store;
  ASSERT_TRUE(store.commit(commit_of({job(1)})));
  store.stage(commit_of({job(2)}));
  store.drop_unsynced();
  EXPECT_EQ(store.load()->jobs.size(), 1u);
}

TEST(MemoryStore, AKilledDaemonLeavesWhatWasNotSynced) {
  MemoryStore store;
  store.stage(commit_of({job(1)}));
  EXPECT_EQ(store.load()->jobs.size(), 1u);
  store.drop_unsynced();
  EXPECT_EQ(store.load()->jobs.size(), 1u);
}

TEST(MemoryStore, FailsAsOftenAsItIsToldAndThenWorks) {
  MemoryStore store;
  store.fail_next(2, ErrorCode::kStorageFull);
  for (int i = 0; i < 2; ++i) {
    const Committed done = store.commit(commit_of({job(1)}));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::kStorageFull);
  }
  EXPECT_TRUE(store.load()->jobs.empty());
  EXPECT_TRUE(store.commit(commit_of({job(1)})));
  EXPECT_EQ(store.load()->jobs.size(), 1u);
}

}  // namespace
}  // namespace gpusched::testing
