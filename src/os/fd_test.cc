#include "os/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace gpusched {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
Fd open_null() { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

TEST(Fd, ClosesWhenItGoesOutOfScope) {
  int number = -1;
  {
    const Fd fd = open_null();
    number = fd.get();
    ASSERT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, MovingLeavesTheSourceEmpty) {
  Fd first = open_null();
  const int number = first.get();
  const Fd second = std::move(first);
  EXPECT_FALSE(first.valid());
  EXPECT_EQ(second.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(Fd, AssigningClosesWhatWasHeld) {
  Fd fd = open_null();
  const int number = fd.get();
  fd = open_null();
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, ReleaseGivesUpOwnership) {
  int number = -1;
  {
    Fd fd = open_null();
    number = fd.release();
  }
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

}  // namespace
}  // namespace gpusched
