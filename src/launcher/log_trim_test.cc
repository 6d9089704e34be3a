#include "launcher/log_trim.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jobdir/log_file.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(LogCut, ASmallLogIsLeftAlone) {
  EXPECT_EQ(plan_cut(0, kMiB, 0), std::nullopt);
  EXPECT_EQ(plan_cut(kMiB, kMiB, 0), std::nullopt);
  EXPECT_EQ(plan_cut(100 * kMiB, 0, 0), std::nullopt) << "no limit";
}

TEST(LogCut, KeepsTheFirstQuarterAndTheEnd) {
  EXPECT_EQ(plan_cut(2 * kMiB, kMiB, 0), (LogCut{kMiB / 4, 2 * kMiB - kMiB / 8 * 5}));
}

TEST(LogCut, WhatIsLeftIsNeverMoreThanTheLimit) {
  for (const std::uint64_t limit : {16 * 1024UL, 100'000UL, kMiB}) {
    std::uint64_t hole_end = 0;
    for (std::uint64_t size = 0; size < 20 * limit; size += 999) {
      if (const auto cut = plan_cut(size, limit, hole_end)) hole_end = cut->hole_end;
      const std::uint64_t removed = hole_end == 0 ? 0 : hole_end - limit / 4 / 4096 * 4096;
      EXPECT_LE(size - removed, limit) << size;
    }
  }
}

TEST(LogCut, WaitsForSomeGrowthBeforeItCutsAgain) {
  const LogCut first = *plan_cut(2 * kMiB, kMiB, 0);
  EXPECT_EQ(plan_cut(2 * kMiB + kMiB / 8, kMiB, first.hole_end), std::nullopt);
  const auto second = plan_cut(2 * kMiB + kMiB / 4, kMiB, first.hole_end);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->hole_begin, first.hole_begin);
  EXPECT_GT(second->hole_end, first.hole_end);
}

TEST(LogCut, TinyLimitsStillLeaveRoomForTheMarker) {
  for (std::uint64_t limit = 1; limit < 20'000; limit += 777) {
    for (std::uint64_t size = 0; size < 100'000; size += 1001) {
      const auto cut = plan_cut(size, limit, 0);
      if (!cut) continue;
      EXPECT_GE(cut->hole_begin, kMarkerSize);
      EXPECT_LT(cut->hole_begin, cut->hole_end);
      EXPECT_LE(cut->hole_end, size);
      EXPECT_EQ(cut->hole_begin % 4096, 0U);
      EXPECT_EQ(cut->hole_end % 4096, 0U);
    }
  }
}

TEST(LogCut, TheMarkerIsALineOfFixedLength) {
  for (const std::uint64_t removed : {std::uint64_t{1}, ~std::uint64_t{0}}) {
    const std::string marker = removal_marker(removed);
    EXPECT_EQ(marker.size(), kMarkerSize);
    EXPECT_EQ(marker.front(), '\n');
    EXPECT_EQ(marker.back(), '\n');
    EXPECT_NE(marker.find(std::to_string(removed) + " bytes"), std::string::npos);
  }
}

TEST(LogTrim, AJobThatIsOverBeforeTheFirstLookLeavesNoMoreThanItMay) {
  const testing::TemporaryDirectory place;
  const Fd directory(::open(place.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Fd writer(::open((place / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  LogTrim trim(directory.get(), 64 * 1024, Boot{Seconds{1}});
  const std::string much(1'000'000, 'x');
  ASSERT_EQ(::write(writer.get(), much.data(), much.size()), 1'000'000);
  trim.finish();
  struct stat about {};
  ASSERT_EQ(::fstat(writer.get(), &about), 0);
  EXPECT_EQ(about.st_size, 1'000'000);
  EXPECT_LE(about.st_blocks * 512, 64 * 1024 + 4096);
}

TEST(LogTrim, PunchesTheMiddleOutWhileTheWriterGoesOn) {
  const testing::TemporaryDirectory place;
  const Fd directory(::open(place.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Fd writer(::open((place / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  Boot now{Seconds{1}};
  LogTrim trim(directory.get(), 64 * 1024, now);
  std::string line(99, '.');
  line += "\n";
  for (int i = 0; i < 20'000; ++i) {
    const std::string number = std::to_string(i);
    line.replace(0, number.size(), number);
    ASSERT_EQ(::write(writer.get(), line.data(), line.size()), 100);
    if (trim.fd() >= 0) {
      pollfd ready{trim.fd(), POLLIN, 0};
      if (::poll(&ready, 1, 0) > 0) trim.on_readable(now);
    }
    now += std::chrono::milliseconds{10};
    trim.on_time(now);
  }
  now += Seconds{20};
  trim.on_time(now);

  struct stat about {};
  ASSERT_EQ(::fstat(writer.get(), &about), 0);
  EXPECT_EQ(about.st_size, 2'000'000) << "offsets stay what they were";
  EXPECT_LE(about.st_blocks * 512, 64 * 1024 + 4096) << "the middle takes no room";
  const Fd reader(::open((place / "log").c_str(), O_RDONLY | O_CLOEXEC));
  std::string all;
  for (std::uint64_t offset = 0;;) {
    const auto piece = read_log(reader.get(), offset, 4096);
    ASSERT_TRUE(piece);
    if (piece->bytes.empty()) break;
    all += piece->bytes;
    offset = piece->next_offset;
  }
  EXPECT_EQ(all.compare(0, 2, "0."), 0);
  EXPECT_NE(all.find("19999."), std::string::npos);
  EXPECT_NE(all.find("[gpusched: "), std::string::npos);
  EXPECT_EQ(all.find('\0'), std::string::npos);
  EXPECT_LT(all.size(), 80U * 1024);
}

}  // namespace
}  // namespace gpusched
