#include "store/message_row.h"

#include <gtest/gtest.h>

#include "sim/memory_store.h"
#include "store/sqlite_store_harness.h"

namespace gpusched::testing {
namespace {

Message full_message(std::uint64_t id) {
  Message made{.id = id, .receiver = "mail", .address = "ml1@lab.org"};
  made.notice = {.thread = "job 7",
                 .group = "notify/ml1/fail",
                 .severity = Severity::kCritical,
                 .resolved = true,
                 .rule = "notify",
                 .subject = "job 7",
                 .what = "job 7 of ml1 failed: \"é\"",
                 .whom = "ml1",
                 .since = wall(1),
                 .advice = "gpusched logs 7",
                 .job = JobId{7},
                 .card = CardNumber{0},
                 .attachment = "a\nb\n"};
  made.times = 10'000;
  made.others = {"job 8 failed", "job 9 failed"};
  made.at = wall(2);
  made.last_at = wall(3);
  made.due = wall(4);
  made.tries = 5;
  made.error = "no answer";
  return made;
}

const Message kPlain{.id = 4, .receiver = "ops"};

void write_messages(Store& store) {
  Commit commit;
  commit.messages.put = {full_message(3), kPlain, full_message(60)};
  ASSERT_TRUE(store.commit(commit));
  Commit change;
  change.messages.put = {full_message(3)};
  change.messages.put[0].tries = 6;
  change.messages.removed = {60, 99};
  ASSERT_TRUE(store.commit(change));
}

void expect_messages(const Result<StoreImage>& image) {
  ASSERT_TRUE(image);
  Message later = full_message(3);
  later.tries = 6;
  EXPECT_EQ(image->messages, (std::vector<Message>{later, kPlain}));
  // The number of one that is gone is not given again.
  EXPECT_EQ(image->next_trail_sequence, 61U);
}

TEST_F(SqliteStoreTest, KeepsMessagesAndNeverReusesTheirNumbers) {
  auto store = opened(directory_.path());
  ASSERT_TRUE(store->load());
  write_messages(*store);
  store.reset();
  expect_messages(opened(directory_.path())->load());
}

TEST(MemoryStoreOfMessages, KeepsThemAndNeverReusesTheirNumbers) {
  MemoryStore store;
  write_messages(store);
  expect_messages(store.load());
}

}  // namespace
}  // namespace gpusched::testing
