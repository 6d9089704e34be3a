#include "config/card_rules_yaml.h"

#include <gtest/gtest.h>

#include "config/config_file.h"

namespace gpusched {
namespace {

constexpr const char* kRules =
    "gpus:\n"
    "  expect: 8\n"
    "  cards:\n"
    "    - match: {number: 0}\n"
    "      alias: left\n"
    "      tags: [display, small]\n"
    "      manage: off\n"
    "    - match: {model: \"RTX 4090\"}\n"
    "      vram_cap: 20G\n"
    "      jobs_most: 2\n"
    "      sharing: off\n"
    "      mps: limits\n"
    "      share_cap_percent: 80\n"
    "      headroom: 1G\n";

TEST(CardRulesInYaml, ReadsAllThatARuleMaySay) {
  const auto config = parse_config(kRules, "f.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->rules.cards_expected, 8);
  ASSERT_EQ(config->card_rules.size(), 2U);
  const CardRule& first = config->card_rules[0];
  EXPECT_EQ(first.match.number, 0);
  EXPECT_EQ(first.alias, "left");
  EXPECT_EQ(first.tags, (std::vector<std::string>{"display", "small"}));
  EXPECT_EQ(first.manage, false);
  EXPECT_FALSE(first.vram_cap_bytes);
  const CardRule& second = config->card_rules[1];
  EXPECT_EQ(second.match.model, "RTX 4090");
  EXPECT_EQ(second.vram_cap_bytes, 20ULL << 30);
  EXPECT_EQ(second.jobs_most, 2);
  EXPECT_EQ(second.sharing, false);
  EXPECT_EQ(second.mps, MpsUse::kLimits);
  EXPECT_EQ(second.share_cap_percent, 80);
  EXPECT_EQ(second.headroom_bytes, 1ULL << 30);
}

TEST(CardRulesInYaml, WhatIsWrittenReadsBack) {
  const auto config = parse_config(kRules, "f.yaml");
  ASSERT_TRUE(config);
  const std::string written = config_text(*config);
  EXPECT_NE(written.find("  cards:\n    - match: {number: 0}\n      alias: \"left\"\n"),
            std::string::npos)
      << written;
  const auto again = parse_config(written, "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->card_rules, config->card_rules);
}

TEST(CardRulesInYaml, AMatchMayNameSeveralThings) {
  const auto config =
      parse_config("gpus: {cards: [{match: {uuid: GPU-3f, model: a100}, alias: big}]}", "f");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->card_rules[0].match.uuid, "GPU-3f");
  EXPECT_EQ(config->card_rules[0].match.model, "a100");
}

TEST(CardRulesInYaml, EveryMistakeHasItsPlace) {
  const std::string head = "gpus:\n  cards:\n";
  const std::pair<const char*, const char*> kMistakes[] = {
      {"    - match: {numbr: 0}",
       "3:15: unknown setting \"gpus.cards.match.numbr\"; did you mean "
       "\"gpus.cards.match.number\"?"},
      {"    - match: {number: 0}\n      vramcap: 1G",
       "4:7: unknown setting \"gpus.cards.vramcap\"; did you mean \"gpus.cards.vram_cap\"?"},
      {"    - number: 0",
       "3:7: unknown setting \"gpus.cards.number\"; did you mean "
       "\"gpus.cards.match.number\"?"},
      {"    - match: {number: x}", "3:23: gpus.cards.match.number: \"x\" is not a whole number"},
      {"    - match: {number: -1}", "3:23: gpus.cards.match.number: -1 is not from 0 to 65535"},
      {"    - match: {}", "3:7: gpus.cards: the rule does not say for which cards"},
      {"    - alias: left", "3:7: gpus.cards: the rule does not say for which cards"},
      {"    - match: 0", "3:14: gpus.cards.match must be like {number: 0}"},
      {"    - match: {model: \"\"}", "3:22: gpus.cards.match.model: must have 1 to 64"},
      {"    - left", "3:7: gpus.cards: a rule begins with"},
      {"    - match: {number: 0}\n      alias: 7", "4:14: gpus.cards.alias: \"7\" looks like a"},
      {"    - match: {number: 0}\n      alias: a b", "4:14: gpus.cards.alias: \"a b\" is no name"},
      {"    - match: {number: 0}\n      alias: [a]", "4:14: gpus.cards.alias must be a single"},
      {"    - match: {number: 0}\n      alias:", "4:7: \"gpus.cards.alias\" has no value"},
      {"    - match: {number: 0}\n      tags: small", "4:13: gpus.cards.tags must be a list"},
      {"    - match: {number: 0}\n      tags: [[a]]", "4:14: gpus.cards.tags must be a list of"},
      {"    - match: {number: 0}\n      tags: [\"\"]", "4:13: gpus.cards.tags: \"\" is no name"},
      {"    - match: {number: 0}\n      manage: maybe",
       "4:15: gpus.cards.manage: \"maybe\" is nei"},
      {"    - match: {number: 0}\n      vram_cap: 1",
       "4:17: gpus.cards.vram_cap: 1 is not from 1M"},
      {"    - match: {number: 0}\n      jobs_most: 0", "4:18: gpus.cards.jobs_most: 0 is not from"},
      {"    - match: {number: 0}\n      share_cap_percent: 101", "4:26: gpus.cards.share_cap_perc"},
      {"    - match: {number: 0}\n      headroom: -1", "4:17: gpus.cards.headroom: "},
      {"    - match: {number: 0}\n      alias: a\n      alias: b",
       "5:7: \"gpus.cards.alias\" is set twice"},
      {"    - match: {number: 0}\n      jobs_most: 1\n    - match: {number: 0}\n      jobs_most: 2",
       "6:18: gpus.cards.jobs_most: the rule in line 3 says 1 for the same match {number: 0}"},
      {"    - match: {number: 0}\n      alias: left\n    - match: {number: 1}\n      alias: left",
       "6:14: gpus.cards.alias: the rule in line 3 gives \"left\" to {number: 0} already"},
      {"    - match: {number: 0}\n      alias: left\n    - match: {alias: lfet}",
       "5:22: gpus.cards.match.alias: no rule further up gives the alias \"lfet\"; did you mean "
       "\"left\"?"},
  };
  for (const auto& [text, message] : kMistakes) {
    const auto config = parse_config(head + text, "f");
    const std::string said = config ? "no error" : config.error().message;
    const std::string expected = std::string("f:") + message;
    EXPECT_EQ(said.substr(0, expected.size()), expected) << text;
  }
}

TEST(CardRulesInYaml, TheListMustBeOne) {
  for (const char* text : {"gpus: {cards: 5}", "gpus: {cards: {number: 0}}"}) {
    const auto config = parse_config(text, "f");
    ASSERT_FALSE(config);
    EXPECT_NE(config.error().message.find("must be a list of rules"), std::string::npos);
  }
  const auto many = parse_config("gpus: {expect: many}", "f");
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message, "f:1:16: gpus.expect: \"many\" is not a whole number");
}

TEST(CardRulesInYaml, RulesForTheSameCardsMayAddToEachOther) {
  EXPECT_TRUE(
      parse_config("gpus: {cards: [{match: {number: 0}, jobs_most: 1}, "
                   "{match: {number: 0}, alias: left, jobs_most: 1}, "
                   "{match: {alias: left}, sharing: off}]}",
                   "f"));
}

}  // namespace
}  // namespace gpusched
