#include "notifier/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "os/small_file.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::notifier {
namespace {

TEST(Journal, HoldsItsLockAndWritesLines) {
  const testing::TemporaryDirectory place;
  const std::string path = place / "journal";
  const int file = ::open(path.c_str(), O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
  Journal journal = Journal::take(file);
  const Fd other(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_NE(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_TRUE(journal.write({.id = 7, .result = DeliveryResult::kDelivered, .mark = "17-a"}));
  EXPECT_TRUE(journal.write({.id = 8, .result = DeliveryResult::kRefused}));
  EXPECT_EQ(read_small_file(path), "7 17-a delivered\n8 - refused\n");
  journal.leave();
  EXPECT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
}

TEST(Journal, IsNothingWithoutADescriptor) { EXPECT_TRUE(Journal::take(-1).write({.id = 7})); }

}  // namespace
}  // namespace gpusched::notifier
