// Alarms and silences in the database.
#include <gtest/gtest.h>

#include "store/sqlite_store_harness.h"

namespace gpusched::testing {
namespace {

using AlarmRowTest = SqliteStoreTest;

TEST_F(AlarmRowTest, TheyAreReadAsTheyWereWritten) {
  Commit commit;
  commit.alarms.put = {alarm("card 0"), alarm("card 1"), {.key = {"xid", "card 1"}}};
  commit.silences.put = {{.id = 1}, silence(2)};
  Commit change;
  change.alarms.removed = {{"temperature", "card 1"}, {"never", "never"}};
  change.silences.removed = {1, 99};
  {
    auto store = opened(directory_.path());
    ASSERT_TRUE(store->load());
    ASSERT_TRUE(store->commit(commit));
    ASSERT_TRUE(store->commit(change));
  }
  const auto image = opened(directory_.path())->load();
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->alarms, (std::vector<Alarm>{alarm("card 0"), {.key = {"xid", "card 1"}}}));
  EXPECT_EQ(image->silences, (std::vector<Silence>{silence(2)}));
}

}  // namespace
}  // namespace gpusched::testing
