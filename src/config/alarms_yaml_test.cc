#include "config/alarms_yaml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "config/config_file.h"
#include "config/reload.h"
#include "config/values.h"

namespace gpusched {
namespace {

constexpr const char* kSomeReceivers =
    "receivers: {ops: {channel: log}, ml1: {channel: log}, mail: {channel: log}, "
    "a: {channel: log}, \"null\": {channel: log}}\n";

AlarmRules alarms_in(const std::string& text) {
  const Result<Config> config = parse_config(kSomeReceivers + text, "file");
  EXPECT_TRUE(config) << config.error().message;
  return config ? config->alarms : AlarmRules();
}

std::string alarms_fault(const std::string& text) {
  const Result<Config> config = parse_config(text, "file");
  return config ? "accepted" : config.error().message;
}

TEST(AlarmsYaml, WhatIsNotSaidHasItsDefault) {
  EXPECT_EQ(alarms_in(""), AlarmRules());
  EXPECT_EQ(alarms_in("alarms: {}\n"), AlarmRules());
  EXPECT_EQ(alarms_in("alarms: on\n"), AlarmRules());
}

TEST(AlarmsYaml, ReadsRules) {
  const AlarmRules rules = alarms_in(R"(alarms:
  receivers: [ops]
  temperature: {above: 70, clear: 60, for: 10s, clear_for: 0s, severity: critical, repeat: 1h}
  foreign_vram: {above: 4G, receivers: [ml1, ops], inhibited_by: []}
  disk_low: {below: 10G}
  store_slow: {above: 0.25}
  long_wait: off
  weekly_report: {weekly: "fri 17:30"}
  warm: {kind: temperature, above: 50, severity: info}
)");
  EXPECT_EQ(rules.receivers, std::vector<std::string>{"ops"});
  const AlarmRule& hot = *rules.find("temperature");
  EXPECT_EQ(hot.threshold, 70.0);
  EXPECT_EQ(hot.clear_at, 60.0);
  EXPECT_EQ(hot.hold, Seconds{10});
  EXPECT_EQ(hot.clear_for, Seconds{0});
  EXPECT_EQ(hot.severity, Severity::kCritical);
  EXPECT_EQ(hot.repeat, Seconds{3600});
  EXPECT_EQ(rules.receivers_of(hot), std::vector<std::string>{"ops"});
  const AlarmRule& foreign = *rules.find("foreign_vram");
  EXPECT_EQ(foreign.threshold, 4.0 * (1ULL << 30));
  EXPECT_EQ(rules.receivers_of(foreign), (std::vector<std::string>{"ml1", "ops"}));
  EXPECT_TRUE(foreign.inhibited_by.empty());
  EXPECT_EQ(rules.find("store_slow")->threshold, 0.25);
  EXPECT_FALSE(rules.find("long_wait")->enabled);
  EXPECT_TRUE(rules.find("weekly_report")->enabled);
  EXPECT_EQ(weekly_text(rules.find("weekly_report")->weekly), "fri 17:30");
  const AlarmRule& warm = *rules.find("warm");
  EXPECT_EQ(warm.kind, AlarmKind::kTemperature);
  EXPECT_EQ(warm.hold, rules.find("throttling")->hold * 5);
}

TEST(AlarmsYaml, WhatIsShownReadsBackAsItself) {
  for (const char* text :
       {"alarms: off\n", "alarms: {temperature: {above: 70.5, clear: 60}, xid: off}\n",
        "alarms: {receivers: [ops, \"null\"], own: {kind: disk_low, below: 123456}}\n",
        "alarms: {weekly_report: {receivers: [a]}, store_slow: {above: 0.001, for: 90s}}\n",
        "alarms: {over_quota: {inhibited_by: [disk_low], repeat: 0s}}\n"}) {
    const Result<Config> config = parse_config(std::string(kSomeReceivers) + text, "file");
    ASSERT_TRUE(config) << config.error().message;
    const Result<Config> again = parse_config(config_text(*config), "shown");
    ASSERT_TRUE(again) << again.error().message << config_text(*config);
    EXPECT_EQ(again->alarms, config->alarms) << config_text(*config);
  }
}

TEST(AlarmsYaml, AMistakeHasItsLineAndColumn) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"alarms:\n  temprature: off\n", "file:2:3: unknown rule \"alarms.temprature\""},
      {"alarms:\n  temperature: {above: hot}\n",
       "file:2:24: alarms.temperature.above: \"hot\" is not a number"},
      {"alarms:\n  temperature: {above: 500}\n", "file:2:24: alarms.temperature.above: 500 is not"},
      {"alarms:\n  temperature: {abvoe: 5}\n",
       "file:2:17: unknown setting \"alarms.temperature.abvoe\"; did you mean \"above\"?"},
      {"alarms:\n  temperature: {below: 5}\n", "this rule has above"},
      {"alarms:\n  disk_low: {above: 5G}\n", "this rule has below"},
      {"alarms:\n  xid: {above: 5}\n", "compares nothing with a number"},
      {"alarms:\n  xid: {for: soon}\n", "file:2:14: alarms.xid.for: "},
      {"alarms:\n  xid: {for: 5m, for: 6m}\n", "\"alarms.xid.for\" is set twice"},
      {"alarms: {xid: off, xid: on}\n", "\"alarms.xid\" is set twice"},
      {"alarms: {xid: maybe}\n", "file:1:15: alarms.xid must be on, off"},
      {"alarms: {xid: }\n", "alarms.xid must be on, off"},
      {"alarms: {xid: {severity: loud}}\n", "is not info, warning or critical"},
      {"alarms: {xid: {receivers: ops}}\n", "alarms.xid.receivers must be a list"},
      {"alarms: {xid: {receivers: [\"a b\"]}}\n", "must be a list of names"},
      {"alarms: {xid: {inhibited_by: [nothing]}}\n", "there is no rule \"nothing\""},
      {"alarms:\n  ecc: {inhibited_by: [xid]}\n  xid: {inhibited_by: [ecc]}\n",
       "file:2:23: alarms.ecc.inhibited_by: ecc is not told during xid, xid not during ecc, so that"
       " none of them might be told"},
      {"alarms: {card_lost: {inhibited_by: [temperature]}}\n",
       "card_lost is not told during temperature, temperature not during card_lost"},
      {"alarms:\n  a: {kind: ecc, inhibited_by: [b]}\n  b: {kind: ecc, inhibited_by: [c]}\n"
       "  c: {kind: ecc, inhibited_by: [disk_low, a]}\n",
       "a is not told during b, b not during c, c not during a"},
      {"alarms: {xid: {weekly: \"mon 8:00\"}}\n", "only a weekly_report has it"},
      {"alarms: {weekly_report: {weekly: \"someday\"}}\n", "is not like mon 08:00"},
      {"alarms: {own: {kind: heat}}\n", "alarms.own.kind: there is no \"heat\""},
      {"alarms: {xid: {kind: xid}}\n", "its kind is its name"},
      {"alarms: {vram_full: {above: 90, clear: 95}}\n", "clear must not be above"},
      {"alarms: {disk_low: {below: 3G, clear: 2G}}\n", "clear must not be below"},
      {"alarms: [xid]\n", "alarms must be a map of rules"},
      {"alarms:\n  receivers: [nobody]\n",
       "file:2:3: alarms.receivers: there is no receiver \"nobody\""},
      {"alarms: {xid: {receivers: [nobody]}}\n",
       "alarms.xid.receivers: there is no receiver \"nobody\""},
      {"alarms: sometimes\n", "must be a map of rules, or off"},
  };
  for (const auto& [text, words] : mistakes) {
    EXPECT_NE(alarms_fault(text).find(words), std::string::npos) << text << alarms_fault(text);
  }
}

TEST(AlarmsYaml, ReceiversThatNobodyKnowsAreNamed) {
  const AlarmRules rules = alarms_in("alarms: {receivers: [ops], xid: {receivers: [mail]}}\n");
  const std::vector<std::string> both = {"mail", "ops"};
  EXPECT_EQ(check_receivers(rules, both), std::nullopt);
  EXPECT_NE(check_receivers(rules, std::span(both).first(1))->find("alarms.receivers"),
            std::string::npos);
  EXPECT_NE(check_receivers(rules, std::span(both).last(1))->find("alarms.xid.receivers"),
            std::string::npos);
}

TEST(AlarmsYaml, TheyChangeWithoutARestart) {
  const Config running = *parse_config("", "file");
  const Config wanted = *parse_config("alarms: {xid: off}\n", "file");
  const auto changes = changes_between(running, wanted);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].setting, "alarms");
  EXPECT_FALSE(changes[0].at_restart);
  EXPECT_EQ(with_live_settings(running, wanted).alarms, wanted.alarms);
}

// docs/alarms.md has a row for each kind, made of the table in the code.
TEST(AlarmsYaml, TheDocumentHasTheDefaults) {
  std::ifstream file(std::string(GPUSCHED_SOURCE_DIR) + "/docs/alarms.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const AlarmKindRow& row : alarm_kinds()) {
    const AlarmRule rule = default_rule(row);
    const std::string value = row.threshold ? std::string(row.below ? "below " : "from ") +
                                                  alarm_value_text(row.unit, *row.threshold)
                                            : std::string("–");
    const std::string over =
        row.clear_part == 1 ? "–" : std::to_string(std::lround(row.clear_part * 100)) + " %";
    std::string inhibited;
    for (const std::string& name : rule.inhibited_by) {
      inhibited += (inhibited.empty() ? "`" : ", `") + name + "`";
    }
    const std::string line = "| `" + rule.name + "` | " + std::string(row.watches) + " | " + value +
                             " | " + over + " | " + exact_duration(rule.hold) + " | " +
                             exact_duration(rule.clear_for) + " | " +
                             (rule.enabled ? std::string(severity_name(rule.severity)) : "off") +
                             " | " + (inhibited.empty() ? "–" : inhibited) + " |";
    EXPECT_NE(text.str().find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace gpusched
