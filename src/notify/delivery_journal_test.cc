#include "notify/delivery_journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

TEST(DeliveryJournal, IsReadLineByLineAndHalfALineSaysNothing) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/outbox.done";
  std::ofstream(path) << "7 delivered\nx delivered\n8 again\n9 refused\n\n10 smoke\n11 deliv";
  const auto read = DeliveryJournal(path).read();
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ((*read)[0].id, 7U);
  EXPECT_EQ((*read)[0].result, DeliveryResult::kDelivered);
  EXPECT_EQ((*read)[1].result, DeliveryResult::kAgain);
  EXPECT_EQ((*read)[2].result, DeliveryResult::kRefused);
}

TEST(DeliveryJournal, IsEmptyBeforeTheFirstAndAfterItWasCleared) {
  const testing::TemporaryDirectory directory;
  const DeliveryJournal journal(directory.path() + "/outbox.done");
  EXPECT_TRUE(journal.read()->empty());
  EXPECT_TRUE(journal.clear());
  std::ofstream(directory.path() + "/outbox.done") << "7 delivered\n";
  EXPECT_EQ(journal.read()->size(), 1U);
  EXPECT_TRUE(journal.clear());
  EXPECT_TRUE(journal.read()->empty());
}

TEST(DeliveryJournal, HasOneLockAtATime) {
  const testing::TemporaryDirectory directory;
  const DeliveryJournal journal(directory.path() + "/outbox.done");
  {
    auto mine = journal.lock();
    ASSERT_TRUE(mine && *mine);
    const Fd handed_on(::dup((*mine)->get()));
    (*mine)->reset();
    auto theirs = journal.lock();
    ASSERT_TRUE(theirs);
    EXPECT_FALSE(*theirs);
  }
  auto free = journal.lock();
  ASSERT_TRUE(free);
  EXPECT_TRUE(*free);
}

}  // namespace
}  // namespace gpusched
