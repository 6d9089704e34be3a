#include "core/alarm/subject.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

class AlarmSubjects : public ::testing::Test {
 protected:
  std::string fault(const std::string& rule, const std::string& subject) {
    Silence silence{.rule = rule, .subject = subject};
    return fault_of_silence(rules_, state_, silence).value_or("");
  }

  State state_ = machine(2, 24);
  AlarmRules rules_;
};

TEST_F(AlarmSubjects, WhatCanBeAnAlarmCanBeSilenced) {
  ask().submit(state_, at_second(0));
  for (const auto& [rule, subject] : {std::pair("temperature", "card 1"),
                                      {"temperature", ""},
                                      {"", ""},
                                      {"card_lost", "the cards"},
                                      {"idle_holder", "job 1"},
                                      {"idle_holder", "process 4711"},
                                      {"disk_low", "the machine"},
                                      {"job_failed", "user ml1"},
                                      {"failures_in_row", "train.py of lab"},
                                      {"over_quota", "tenant lab"},
                                      {"", "card 0"},
                                      {"", "user ml1"}}) {
    EXPECT_EQ(fault(rule, subject), "") << rule << " " << subject;
  }
}

TEST_F(AlarmSubjects, WhatNeverIsAnAlarmIsRefused) {
  rules_.all[4].enabled = false;  // ecc
  for (const auto& [rule, subject] : {std::pair("temperature", "card 7"),
                                      {"temperature", "user ml1"},
                                      {"", "gpu 0"},
                                      {"idle_holder", "job 9"},
                                      {"failures_in_row", "train.py"},
                                      {"weekly_report", ""},
                                      {"ecc", "card 0"}}) {
    expect_words(fault(rule, subject));
  }
}

TEST_F(AlarmSubjects, WhatIsOnCanAlwaysBeSilenced) {
  AlarmsSeen seen;
  seen.changes.put = {{.key = {"card_lost", "card 5"}, .what = "gone"}};
  apply(state_, seen, at_second(0));
  EXPECT_EQ(fault("card_lost", "card 5"), "");
}

TEST_F(AlarmSubjects, AnotherSilenceOrAnInhibitionKeepsItQuiet) {
  const AlarmKey hot{"temperature", "card 0"};
  std::map<AlarmKey, Alarm> alarms{{hot, {.key = hot}}};
  std::map<std::uint64_t, Silence> silences{{3, {.id = 3, .rule = "temperature"}}};
  EXPECT_EQ(quiet_without(rules_, {alarms, silences}, hot, 3), "");
  silences[4] = {.id = 4, .rule = {}, .subject = "card 0"};
  EXPECT_EQ(quiet_without(rules_, {alarms, silences}, hot, 3), "silence 4");
  silences.erase(4);
  alarms[{"card_lost", "card 0"}] = {};
  EXPECT_EQ(quiet_without(rules_, {alarms, silences}, hot, 3), "inhibited by card_lost");
}

}  // namespace
}  // namespace gpusched::testing
