#include "history/block.h"

#include <gtest/gtest.h>

#include <random>

#include "history/column.h"
#include "history/test_places.h"

namespace gpusched::history {
namespace {

using testing::at;

constexpr std::array kMetrics = {Metric{"plain", 0.1}, Metric{"peaks", 0.5, true}};

Block packed_and_unpacked(const Block& block) {
  Block copy(block.start(), block.width(), block.metrics());
  EXPECT_TRUE(unpack(pack(block, kMetrics), kMetrics, copy));
  return copy;
}

TEST(Column, ComesBackAsItWas) {
  const std::vector<std::vector<std::int64_t>> columns = {{},
                                                          {0},
                                                          {5},
                                                          {0, 0, 0, 0},
                                                          {7, 7, 7, 8, 8, 9, 9, 9, 9},
                                                          {1, -1, 1, -1},
                                                          {INT64_MIN, INT64_MAX, 0, INT64_MIN}};
  for (const auto& column : columns) {
    std::string bytes;
    append_column(bytes, column);
    std::string_view rest = bytes;
    EXPECT_EQ(take_column(rest, column.size()), column);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(Column, WhatDoesNotChangeCostsNextToNothing) {
  std::string bytes;
  append_column(bytes, std::vector<std::int64_t>(60, 0));
  EXPECT_EQ(bytes.size(), 1U);
  bytes.clear();
  append_column(bytes, std::vector<std::int64_t>(60, 1'000'000));
  EXPECT_LE(bytes.size(), 6U);
}

TEST(Column, RefusesBytesThatAreNone) {
  for (const std::string& bytes :
       {std::string(), std::string("\x00", 1), std::string("\x80"), std::string("\xfe\x7f"),
        std::string("\x03"), std::string(20, '\xff')}) {
    std::string_view rest = bytes;
    EXPECT_FALSE(take_column(rest, 5));
  }
}

TEST(Block, KeepsAbsentApartFromZero) {
  Block block(at(0), Seconds{1}, 2);
  block.add(at(0), {0.0, std::nullopt});
  block.add(at(59.9), {std::nullopt, 3.0});
  const Block read = packed_and_unpacked(block);
  EXPECT_EQ(read.cell(0, 0).mean(), 0.0);
  EXPECT_EQ(read.cell(1, 0).mean(), std::nullopt);
  EXPECT_EQ(read.cell(0, 1).mean(), std::nullopt);
  EXPECT_EQ(read.cell(0, 59).mean(), std::nullopt);
  EXPECT_EQ(read.cell(1, 59).mean(), 3.0);
}

TEST(Block, KeepsTheHighestWhereItCounts) {
  Block block(at(0), Seconds{10}, 2);
  for (const double value : {1.0, 9.0, 2.0}) block.add(at(5), {value, value});
  const Block read = packed_and_unpacked(block);
  EXPECT_EQ(read.cell(1, 0).max(), 9.0);
  EXPECT_EQ(read.cell(1, 0).mean(), 4.0);
  EXPECT_EQ(read.cell(0, 0).max(), 4.0);
}

TEST(Block, LeavesOutWhatIsNoNumber) {
  Block block(at(0), Seconds{1}, 2);
  block.add(at(0),
            {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()});
  EXPECT_EQ(block.cell(0, 0).count, 0U);
  EXPECT_EQ(block.cell(1, 0).count, 0U);
}

TEST(Block, SurvivesThePackingWithinHalfAUnit) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Block block(at(0), Seconds{1}, 2);
    const double scale = std::pow(10.0, static_cast<double>(random() % 12));
    for (std::size_t i = random() % 200; i > 0; --i) {
      const double value = scale * static_cast<double>(random() % 1000) / 1000;
      block.add(at(static_cast<double>(random() % 60)), {value, value});
    }
    const Block read = packed_and_unpacked(block);
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      for (const std::size_t metric : {0U, 1U}) {
        const Cell& was = block.cell(metric, bucket);
        const Cell& is = read.cell(metric, bucket);
        ASSERT_EQ(was.count, is.count);
        if (was.count == 0) continue;
        const double slack = kMetrics[metric].unit * 0.5000001 + scale * 1e-9;
        EXPECT_NEAR(*was.mean(), *is.mean(), slack);
        if (metric == 1) {
          EXPECT_NEAR(*was.max(), *is.max(), slack);
        }
      }
    }
  }
}

TEST(Block, DamagedBytesAreRefusedAndNeverHarm) {
  Block block(at(0), Seconds{1}, 2);
  for (int i = 0; i < 60; ++i) block.add(at(i), {i * 1.5, i * i});
  const std::string good = pack(block, kMetrics);
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string bad = good.substr(0, random() % (good.size() + 1));
    for (int i = 0; i < 3 && !bad.empty(); ++i) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    Block read(at(0), Seconds{1}, 2);
    (void)unpack(bad, kMetrics, read);
    (void)pack(read, kMetrics);
  }
}

TEST(Block, ReadsWhatAVersionWithFewerMetricsWrote) {
  Block old(at(0), Seconds{1}, 1);
  old.add(at(0), {4.0});
  const std::string bytes = pack(old, std::span(kMetrics).first(1));
  Block read(at(0), Seconds{1}, 2);
  EXPECT_TRUE(unpack(bytes, kMetrics, read));
  EXPECT_EQ(read.cell(0, 0).mean(), 4.0);
  EXPECT_EQ(read.cell(1, 0).mean(), std::nullopt);
}

TEST(Block, BeginsAtAMultipleOfItsLength) {
  EXPECT_EQ(block_start(at(0), Seconds{1}), at(0));
  EXPECT_EQ(block_start(at(59.999), Seconds{1}), at(0));
  EXPECT_EQ(block_start(at(60), Seconds{1}), at(60));
  EXPECT_EQ(block_start(at(-0.000001), Seconds{1}), at(-60));
  EXPECT_EQ(block_start(Wall{Seconds{-1}}, Seconds{1}), Wall{Seconds{-60}});
}

}  // namespace
}  // namespace gpusched::history
