#include "notify/delivery_journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

TEST(DeliveryJournal, IsReadLineByLineAndHalfALineSaysNothing) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/outbox.done";
  std::ofstream(path) << "7 1700 delivered\nx 1700 delivered\n8 1701 again\n9 1702 refused\n\n"
                         "10 1703 smoke\n12 delivered\n14 17 00 delivered\n"
                         "15 ../x delivered\n11 1700 deliv";
  const auto read = DeliveryJournal(path).read();
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ((*read)[0].id, 7U);
  EXPECT_EQ((*read)[0].mark, "1700");
  EXPECT_EQ((*read)[0].result, DeliveryResult::kDelivered);
  EXPECT_EQ((*read)[1].result, DeliveryResult::kAgain);
  EXPECT_EQ((*read)[2].result, DeliveryResult::kRefused);
}

TEST(DeliveryJournal, IsEmptyBeforeTheFirstAndAfterItWasCleared) {
  const testing::TemporaryDirectory directory;
  const DeliveryJournal journal(directory.path() + "/outbox.done");
  EXPECT_TRUE(journal.read()->empty());
  EXPECT_TRUE(journal.clear());
  std::ofstream(directory.path() + "/outbox.done") << "7 1700 delivered\n";
  EXPECT_EQ(journal.read()->size(), 1U);
  EXPECT_TRUE(journal.clear());
  EXPECT_TRUE(journal.read()->empty());
}

// A message of another store may have the number: it was made at another time.
TEST(DeliveryJournal, AMarkTellsMessagesOfOneNumberApart) {
  const Message one{.id = 7, .notice = {}, .at = Wall{Microseconds{1'767'254'400'123'456}}};
  Message other = one;
  other.last_at = one.at + Seconds{9};
  EXPECT_EQ(mark_of(one), mark_of(other)) << "what is counted in it changes nothing";
  other.at += Microseconds{1};
  EXPECT_NE(mark_of(one), mark_of(other));
  EXPECT_TRUE(is_mark(mark_of(one)));
}

TEST(DeliveryJournal, ThatIsNoRegularFileIsRefusedAndNotWaitedFor) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.path() + "/outbox.done";
  const DeliveryJournal journal(path);
  const auto refused = [&] {
    const auto lock = journal.lock();
    const auto read = journal.read();
    const auto clear = journal.clear();
    return !lock && !read && !clear &&
           lock.error().message.find("regular file") != std::string::npos;
  };
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(refused());
  // With somebody at its other end, too.
  const Fd reader(::open(path.c_str(), O_RDWR));
  EXPECT_TRUE(refused());
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
  EXPECT_TRUE(refused());
  ASSERT_EQ(::rmdir(path.c_str()), 0);
  ASSERT_EQ(::symlink("elsewhere", path.c_str()), 0);
  EXPECT_FALSE(journal.lock());
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
