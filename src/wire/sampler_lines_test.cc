#include "wire/sampler_lines.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace gpusched::watch {
namespace {

constexpr Now kNow{Wall{Microseconds{1'767'254'400'123'000}}, Boot{Microseconds{86'400'000'001}}};

// What a line means, written again: equal lines mean equal values.
std::string again(const Report& report) {
  const auto read = read_report(write_report(report));
  return read ? write_report(*read) : "error: " + read.error().message;
}
std::string again(const Order& order) {
  const auto read = read_order(write_order(order));
  return read ? write_order(*read) : "error: " + read.error().message;
}

CardSample full_sample() {
  CardSample s;
  s.vram_bytes = 150'754'820'096;
  s.reserved_bytes = 1;
  s.used_bytes = 0;
  s.busy_percent = 62.5;
  s.memory_busy_percent = 1;
  s.sm_active_percent = 40.25;
  s.dram_active_percent = 3;
  s.power_watts = 512.5;
  s.power_limit_watts = 700;
  s.energy_joules = 1e9;
  s.temperature_c = -3;
  s.memory_temperature_c = 60;
  s.slowdown_temperature_c = 87;
  s.fan_percent = 30;
  s.core_clock_mhz = 1980;
  s.memory_clock_mhz = 3201;
  s.throttle = kThrottlePower | kThrottlePowerBrake;
  s.ecc_corrected = 5;
  s.ecc_uncorrected = 0;
  s.rows_pending = true;
  s.rows_failed = false;
  s.pcie_generation = 5;
  s.pcie_width = 16;
  s.pcie_sent_mib_s = 12.5;
  s.pcie_received_mib_s = 0;
  s.mig = false;
  s.persistence = true;
  s.accounting = false;
  s.compute_mode = ComputeMode::kExclusiveProcess;
  s.recovery = Recovery::kDrainAndReset;
  return s;
}

WatchedProcess full_process() {
  WatchedProcess process;
  process.seen = {4711, ProcessKind::kMps, 1 << 20, 33.0, 0.0, "python"};
  process.owner.uid = 1000;
  process.owner.user = "lab";
  process.owner.command = "python train.py --name \"a b\"";
  process.owner.started = Boot{Microseconds{10'000}};
  process.owner.started_wall = kNow.wall;
  process.owner.attempt = AttemptId{JobId{7}, 2};
  process.owner.evidence = Evidence::kTree;
  process.owner.container =
      Container{Container::Kind::kContainerd, "abc", "pod-1", "/kubepods/abc"};
  process.owner.alive = false;
  return process;
}

TEST(SamplerLines, LongCommandsAreCutSoThatTheLineCanBeRead) {
  WatchedProcess process = full_process();
  process.owner.command = std::string(4096, 'x');
  const SampleReport report{CardNumber{3},  "GPU-1", kNow,
                            Cause::kPeriod, {},      std::vector<WatchedProcess>(1000, process)};
  const auto read = read_report(write_report(report));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<SampleReport>(*read).processes->size(), 1000U);
}

TEST(SamplerLines, EveryReportIsReadAsItWasWritten) {
  CardIdentity card{"GPU-1", "00000000:3B:00.0",  "NVIDIA H200", Vendor::kNvidia, 100, 1, 0,
                    false,   {"00000000:5E:00.0"}};
  const std::vector<Report> reports = {
      CardsReport{{{CardNumber{3}, card, "nvml"}}, {{"nvml", "580.1", "", false}}},
      CardsReport{{}, {{"nvml", "", "no NVIDIA driver library", true}}},
      SampleReport{CardNumber{3}, "GPU-1", kNow, Cause::kExit, full_sample(), {{full_process()}}},
      SampleReport{CardNumber{3}, "GPU-1", kNow, Cause::kPeriod, {}, std::nullopt},
      UnknownReport{CardNumber{0}, "GPU-1", kNow, "has not answered"},
      AsleepReport{CardNumber{0}, "GPU-1", kNow},
      GoneReport{CardNumber{0}, "GPU-1", kNow, "GPU is lost"},
      EventReport{CardNumber{0}, kNow, {"GPU-1", CardEvent::Kind::kXid, 79}},
      EventReport{std::nullopt, kNow, {"", CardEvent::Kind::kOther, 0}},
      EndedReport{
          CardNumber{0}, "GPU-1", kNow, {{{12, 1 << 30, 50.0, 1234}, AttemptId{JobId{7}, 1}}}},
      ComplaintReport{"card 1: open: GPU is lost"},
  };
  for (const Report& report : reports) {
    EXPECT_EQ(again(report), write_report(report));
    EXPECT_EQ(read_report(write_report(report))->index(), report.index());
  }
}

TEST(SamplerLines, EveryOrderIsReadAsItWasWritten) {
  using std::chrono::milliseconds;
  const std::vector<Order> orders = {
      PeriodOrder{true, milliseconds{250}, milliseconds{10'000}, milliseconds{2000}},
      PeriodOrder{},
      SampleNowOrder{CardNumber{1}},
      SampleNowOrder{},
      JobsOrder{{{AttemptId{JobId{7}, 1}, 4700, 1000}, {AttemptId{JobId{8}, 3}, 4701, {}}},
                "/sys/fs/cgroup/gpusched-12ab"},
      QuitOrder{},
  };
  for (const Order& order : orders) {
    EXPECT_EQ(again(order), write_order(order));
    EXPECT_EQ(read_order(write_order(order))->index(), order.index());
  }
}

TEST(SamplerLines, AbsentStaysApartFromZeroAndFromNone) {
  SampleReport report{CardNumber{0}, "GPU-1", kNow, Cause::kPeriod, {}, std::nullopt};
  report.sample.used_bytes = 0;
  auto read = std::get<SampleReport>(*read_report(write_report(report)));
  EXPECT_EQ(read.sample.used_bytes, 0u);
  EXPECT_FALSE(read.sample.vram_bytes);
  EXPECT_FALSE(read.sample.throttle);
  EXPECT_FALSE(read.processes);
  report.processes.emplace();
  report.sample.throttle = 0;
  read = std::get<SampleReport>(*read_report(write_report(report)));
  ASSERT_TRUE(read.processes);
  EXPECT_TRUE(read.processes->empty());
  EXPECT_EQ(read.sample.throttle, 0u);
}

TEST(SamplerLines, ValuesComeThroughUnchanged) {
  const SampleReport report{CardNumber{9},  "GPU-1",       kNow,
                            Cause::kReturn, full_sample(), {{full_process()}}};
  const auto read = std::get<SampleReport>(*read_report(write_report(report)));
  EXPECT_EQ(read.card, CardNumber{9});
  EXPECT_EQ(read.at.boot, kNow.boot);
  EXPECT_EQ(read.at.wall, kNow.wall);
  EXPECT_EQ(read.cause, Cause::kReturn);
  EXPECT_EQ(read.sample.temperature_c, -3);
  EXPECT_EQ(read.sample.throttle, kThrottlePower | kThrottlePowerBrake);
  EXPECT_EQ(read.sample.recovery, Recovery::kDrainAndReset);
  const ProcessOwner& owner = read.processes->at(0).owner;
  EXPECT_EQ(owner.attempt, (AttemptId{JobId{7}, 2}));
  EXPECT_EQ(owner.container, full_process().owner.container);
  EXPECT_EQ(owner.started, full_process().owner.started);
  EXPECT_FALSE(owner.alive);
}

TEST(SamplerLines, WhatANewerWriterAddsIsPassedOver) {
  const auto read = read_report(
      R"({"v":1,"type":"unknown","card":0,"at":"2026-01-01T08:00:00Z","boot_us":1,"new":[1]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(std::holds_alternative<UnknownReport>(*read));
  const auto other = read_report(R"({"v":1,"type":"weather","sun":true})");
  ASSERT_TRUE(other);
  EXPECT_EQ(std::get<OtherReport>(*other).type, "weather");
  EXPECT_EQ(std::get<OtherOrder>(*read_order(R"({"v":1,"type":"dance"})")).type, "dance");
}

TEST(SamplerLines, WhatMakesNoSenseIsRefusedWithASentence) {
  const auto words = [](std::string_view line) {
    const auto read = read_report(line);
    return read ? "read" : read.error().message;
  };
  EXPECT_NE(words("garbage"), "read");
  EXPECT_EQ(words("[]"), "the line must be an object");
  EXPECT_EQ(words(R"({"type":"cards"})"), "v must be there");
  EXPECT_EQ(words(R"({"v":2,"type":"cards"})"), "version 2 is not known");
  EXPECT_EQ(words(R"({"v":1,"type":"sample"})"), "sample: card must be there");
  EXPECT_EQ(words(R"({"v":1,"type":"cards","cards":7})"), "cards: cards must be a list");
  EXPECT_EQ(words(R"({"v":1,"type":"complaint","sentence":7})"),
            "complaint: sentence must be a string");
  EXPECT_EQ(words(R"({"v":1,"type":"sample","card":70000})"),
            "sample: card must be a whole number up to 65535");
  EXPECT_EQ(words(std::string(kSamplerLineMost + 1, ' ')), "a line of more than 1 MiB");
}

// The page and the code say the same.
TEST(SamplerLines, TheExamplesOfTheDocumentAreRead) {
  std::ifstream page(GPUSCHED_SOURCE_DIRECTORY "/docs/sampler-protocol.md");
  std::string line;
  int seen = 0;
  while (std::getline(page, line)) {
    if (!line.starts_with("{\"v\":1")) continue;
    ++seen;
    const auto report = read_report(line);
    const auto order = read_order(line);
    ASSERT_TRUE(report && order) << line;
    if (std::holds_alternative<OtherReport>(*report)) {
      EXPECT_EQ(write_order(*order), line);
    } else {
      EXPECT_EQ(write_report(*report), line);
    }
  }
  EXPECT_EQ(seen, 6);
}

}  // namespace
}  // namespace gpusched::watch
