#include "simdriver/scenario.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpusched::simdriver {
namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

Scenario scenario_of(const std::string& text) {
  auto read = read_scenario(text, "test.yaml");
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : Scenario{};
}

TEST(Scenario, DescribesCardsInAFewWords) {
  const auto scenario = describe_scenario("2x24G,1x80G:H100");
  ASSERT_TRUE(scenario);
  ASSERT_EQ(scenario->cards.size(), 3u);
  EXPECT_EQ(scenario->name, "2x24G,1x80G:H100");
  EXPECT_EQ(scenario->cards[0].vram_bytes, 24 * kGibibyte);
  EXPECT_STREQ(scenario->cards[2].model, "H100");
  EXPECT_EQ(scenario->cards[2].vram_bytes, 80 * kGibibyte);
  EXPECT_NE(scenario->cards[2].features & kHasGpm, 0u);
  EXPECT_EQ(scenario->cards[0].features & kHasEcc, 0u);
}

TEST(Scenario, GivesEveryCardAUuidOfItsOwnThatStaysTheSame) {
  const auto first = describe_scenario("4x24G");
  const auto again = describe_scenario("4x24G");
  ASSERT_TRUE(first && again);
  for (std::size_t card = 0; card < 4; ++card) {
    EXPECT_STREQ(first->cards[card].uuid, again->cards[card].uuid);
    for (std::size_t other = 0; other < card; ++other) {
      EXPECT_STRNE(first->cards[card].uuid, first->cards[other].uuid);
    }
  }
}

TEST(Scenario, InstalledOnesAreWhatTheirNamesSay) {
  const auto plain = find_scenario("2x24G", SCENARIO_DIRECTORY);
  ASSERT_TRUE(plain) << plain.error().message;
  // The same cards as the words describe: a state directory may have seen either.
  EXPECT_STREQ(plain->cards[1].uuid, describe_scenario("2x24G")->cards[1].uuid);

  const auto desktop = find_scenario("8xRTX4090", SCENARIO_DIRECTORY);
  ASSERT_TRUE(desktop) << desktop.error().message;
  ASSERT_EQ(desktop->cards.size(), 8u);
  EXPECT_EQ(desktop->cards[0].features & (kHasEcc | kHasGpm), 0u);
  EXPECT_EQ(desktop->cards[0].nvlink_links, 0u);
  ASSERT_EQ(desktop->processes.size(), 1u);
  EXPECT_EQ(desktop->processes[0].kind, ProcessKind::kGraphics);
  EXPECT_LT(desktop->driver_version, "570");

  const auto server = find_scenario("8xH200", SCENARIO_DIRECTORY);
  ASSERT_TRUE(server) << server.error().message;
  ASSERT_EQ(server->cards.size(), 8u);
  EXPECT_EQ(server->cards[0].features & (kHasEcc | kHasGpm), kHasEcc | kHasGpm);
  EXPECT_EQ(server->cards[3].nvlink_peers, 0xf7u);
}

TEST(Scenario, ReadsEverythingThatAFileMaySay) {
  const Scenario scenario = scenario_of(R"(
name: mixed
driver: 535.43
cuda: 12.2
persistence: false
accounting: true
old_process_stride: true
checkpoint: {out: 2G, in: 4G, fixed_ms: 10}
missing: [nvmlDeviceGetMemoryInfo_v2]
cards:
  - {vram: 24G, uuid: GPU-00000000-0000-0000-0000-00000000000a}
  - {count: 2, model: NVIDIA A100, vram: 40G, reserved: 1G, nvlink: {links: 12}, gpm: true,
     power: {idle: 50, limit: 400}, temperature: {ambient: 20, full_load: 60}, pcie: {width: 8},
     clocks: {core: 1000}, mig: false}
processes:
  - {card: 2, vram: 3G, util: 12.5, name: server, user: somebody, pid: 77}
)");
  EXPECT_EQ(scenario.cuda_version, 12020u);
  EXPECT_TRUE(scenario.accounting && scenario.old_process_stride && !scenario.persistence);
  EXPECT_EQ(scenario.checkpoint_out_mib_s, 2048u);
  ASSERT_EQ(scenario.cards.size(), 3u);
  EXPECT_EQ(scenario.cards[0].uuid_bytes[15], 0x0a);
  EXPECT_EQ(scenario.cards[1].nvlink_peers, 0x4u);
  EXPECT_EQ(scenario.cards[2].features & (kHasGpm | kHasMig), kHasGpm);
  EXPECT_EQ(scenario.cards[2].limit_mw, 400000u);
  EXPECT_EQ(scenario.cards[2].pcie_width, 8u);
  ASSERT_EQ(scenario.processes.size(), 1u);
  EXPECT_EQ(scenario.processes[0].busy_permille, 125u);
  EXPECT_EQ(scenario.processes[0].pid, 77);
}

TEST(Scenario, MistakesAreNamedWithTheirLine) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"cards: [{vram: 24G}]\n", "name: a scenario has a name"},
      {"name: x\n", "cards: at least one is needed"},
      {"name: x\ncards: [{vram: much}]\n", "test.yaml:2: vram:"},
      {"name: x\ncards: [{vram: 1G, reserved: 2G}]\n", "above what is reserved"},
      {"name: x\ncards: [{vram: 1G, colour: red}]\n", "there is no 'colour' here"},
      {"name: x\ncards: [{vram: 1G, count: 65}]\n", "between 1 and 64 cards"},
      {"name: x\ncards: [{vram: 1G}]\nprocesses: [{card: 1}]\n", "no such card"},
      {"name: x\ncards: [{vram: 1G, uuid: abc}]\n", "expected GPU-"},
      {"name: x\ncuda: new\ncards: [{vram: 1G}]\n", "expected a version"},
      {"name: x\ncards: [{vram: 1G}\n", "test.yaml:"},
      {"name: x\ncards: 2\n", "cards: expected a list"},
      {"- 1\n", "expected `key: value` pairs"},
  };
  for (const auto& [text, words] : mistakes) {
    const auto read = read_scenario(text, "test.yaml");
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find(words), std::string::npos) << read.error().message;
  }
}

TEST(Scenario, AnotherContentHasAnotherDigest) {
  const Scenario one = scenario_of("name: x\ncards: [{vram: 24G}]\n");
  const Scenario same = scenario_of("name: x\ncards:\n  - vram: 24G\n");
  const Scenario larger = scenario_of("name: x\ncards: [{vram: 25G}]\n");
  EXPECT_EQ(digest_of(one), digest_of(same));
  EXPECT_NE(digest_of(one), digest_of(larger));
}

TEST(Scenario, AnUnknownNameSaysWhatWasLookedFor) {
  const auto none = find_scenario("9xNothing", SCENARIO_DIRECTORY);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("nor is there a scenario of that name"), std::string::npos);
}

}  // namespace
}  // namespace gpusched::simdriver
