#include "watch/nvidia_smi_text.h"

#include <gtest/gtest.h>

namespace gpusched::watch {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
const std::vector<std::string> kFew = {"uuid",        "pci.bus_id",      "memory.total",
                                       "memory.used", "utilization.gpu", "name"};

TEST(NvidiaSmiText, ReadsARow) {
  const SmiCards read =
      parse_smi_cards("GPU-1, 00000000:3B:00.0, 24564, 20512, 97, NVIDIA GeForce RTX 4090\n", kFew);
  ASSERT_EQ(read.cards.size(), 1U);
  const SmiCard& card = read.cards[0];
  EXPECT_EQ(card.identity.uuid, "GPU-1");
  EXPECT_EQ(card.identity.pci, "00000000:3B:00.0");
  EXPECT_EQ(card.identity.model, "NVIDIA GeForce RTX 4090");
  EXPECT_EQ(card.identity.vram_bytes, 24564 * kMiB);
  EXPECT_EQ(card.sample.used_bytes, 20512 * kMiB);
  EXPECT_EQ(card.sample.busy_percent, 97);
  EXPECT_TRUE(read.complaints.empty());
}

TEST(NvidiaSmiText, WhatStandsInBracketsIsAbsent) {
  for (const char* word : {"[N/A]", "[Not Supported]", "[Unknown Error]", "N/A", "[GPU is lost]"}) {
    const SmiCards read = parse_smi_cards(
        "GPU-1, 00000000:3B:00.0, 100, " + std::string(word) + ", " + word + ", T\n", kFew);
    ASSERT_EQ(read.cards.size(), 1U) << word;
    EXPECT_FALSE(read.cards[0].sample.used_bytes) << word;
    EXPECT_FALSE(read.cards[0].sample.busy_percent) << word;
  }
}

TEST(NvidiaSmiText, ReadsWindowsLineEndsAndQuotedCommas) {
  const SmiCards read = parse_smi_cards(
      "GPU-1, 00000000:3B:00.0, 100, 1, 5, \"Tesla, \"\"old\"\"\"\r\n"
      "GPU-2, 00000000:3C:00.0, 100, 1, 5, Tesla, old\r\n",
      kFew);
  ASSERT_EQ(read.cards.size(), 2U);
  EXPECT_EQ(read.cards[0].identity.model, "Tesla, \"old\"");
  EXPECT_EQ(read.cards[1].identity.model, "Tesla, old");
}

TEST(NvidiaSmiText, ALineThatIsNoCardIsAComplaint) {
  const SmiCards read = parse_smi_cards(
      "Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.\n"
      "\n[Unknown Error], 00000000:3C:00.0, 1, 1, 1, T\n"
      "MIG-1111, 00000000:3D:00.0, 1, 1, 1, MIG 1g.5gb\n"
      "GPU-2, 00000000:3E:00.0, 100, 1, 5, T\n",
      kFew);
  EXPECT_EQ(read.cards.size(), 1U);
  ASSERT_EQ(read.complaints.size(), 2U);
  EXPECT_NE(read.complaints[0].find("GPU is lost"), std::string::npos);
}

TEST(NvidiaSmiText, RoundedPartsAreNeverMoreThanTheWhole) {
  const SmiCards read = parse_smi_cards(
      "GPU-1, 100, 98, 3, T\n", {"uuid", "memory.total", "memory.used", "memory.reserved", "name"});
  ASSERT_EQ(read.cards.size(), 1U);
  EXPECT_EQ(read.cards[0].sample.used_bytes, 97 * kMiB);
}

TEST(NvidiaSmiText, ReadsReasonsAndModes) {
  const SmiCards read = parse_smi_cards(
      "GPU-1, 0x00000000000000C4, Enabled, Exclusive_Process, T\n"
      "GPU-2, Not Active, Disabled, Something, T\n",
      {"uuid", "clocks_event_reasons.active", "mig.mode.current", "compute_mode", "name"});
  ASSERT_EQ(read.cards.size(), 2U);
  EXPECT_EQ(read.cards[0].sample.throttle,
            kThrottlePower | kThrottleHardThermal | kThrottlePowerBrake);
  EXPECT_EQ(read.cards[0].sample.mig, true);
  EXPECT_EQ(read.cards[0].sample.compute_mode, ComputeMode::kExclusiveProcess);
  EXPECT_FALSE(read.cards[1].sample.throttle);
  EXPECT_EQ(read.cards[1].sample.mig, false);
  EXPECT_FALSE(read.cards[1].sample.compute_mode);
}

TEST(NvidiaSmiText, KnowsTheColumnByItsOlderNameToo) {
  EXPECT_EQ(older_column("clocks_event_reasons.active"), "clocks_throttle_reasons.active");
  EXPECT_EQ(older_column("uuid"), "");
  const SmiCards read =
      parse_smi_cards("GPU-1, 0x1, T\n", {"uuid", "clocks_throttle_reasons.active", "name"});
  ASSERT_EQ(read.cards.size(), 1U);
  EXPECT_EQ(read.cards[0].sample.throttle, kThrottleIdle);
}

TEST(NvidiaSmiText, APercentageOverAHundredIsNotBelieved) {
  const SmiCards read = parse_smi_cards("GPU-1, p, 1, 1, 4294967295, T\n", kFew);
  ASSERT_EQ(read.cards.size(), 1U);
  EXPECT_FALSE(read.cards[0].sample.busy_percent);
  EXPECT_EQ(read.cards[0].identity.pci, "");
}

TEST(NvidiaSmiText, ProcessesOfMigInstancesBelongToTheirCard) {
  const auto found = parse_smi_processes(
      "MIG-GPU-1/7/0, 00000000:3B:00.0, 70, 100\n"
      "MIG-GPU-1/8/0, 00000000:3B:00.0, 70, 50\n"
      "MIG-2222, 00000000:3B:00.0, 71, [N/A]\n"
      "GPU-1, 00000000:3B:00.0, 72, 100\nGPU-1, 00000000:3B:00.0, 72, [N/A]\n"
      "GPU-1, 00000000:3B:00.0, 0, 1\n"
      "GPU-1, 00000000:3B:00.0, -5, 1\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].card_uuid, "GPU-1");
  EXPECT_EQ(found[0].process.vram_bytes, 150 * kMiB);
  EXPECT_EQ(found[1].card_uuid, "");
  EXPECT_EQ(found[1].pci, "00000000:3B:00.0");
  EXPECT_FALSE(found[1].process.vram_bytes);
  EXPECT_FALSE(found[2].process.vram_bytes);
}

TEST(NvidiaSmiText, NamesTheColumnThatAnOldVersionDoesNotKnow) {
  EXPECT_EQ(unknown_column("Field \"memory.reserved\" is not a valid field to query.\n\n"),
            "memory.reserved");
  EXPECT_EQ(unknown_column("GPU-1, 1"), "");
  EXPECT_EQ(unknown_column("\" is not a valid field to query"), "");
}

}  // namespace
}  // namespace gpusched::watch
