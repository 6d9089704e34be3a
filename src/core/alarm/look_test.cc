#include "core/alarm/look.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/alarm_play.h"
#include "tests/support/core_words.h"

namespace gpusched {
namespace {

using testing::AlarmPlay;
using testing::expect_words;
using testing::kFirstCard;
using testing::kSecond;

TEST(AlarmLook, HeatIsAnAlarmOnceItHasLasted) {
  AlarmPlay watch;
  watch.facts.cards[0].temperature = 91;
  EXPECT_TRUE(watch.pass(300).empty());
  const auto told = watch.pass(1);
  ASSERT_EQ(told.size(), 1U);
  expect_words(told[0].notice.what);
  expect_words(told[0].notice.advice);
  EXPECT_EQ(told[0].notice.subject, "card 0");
  EXPECT_EQ(told[0].notice.card, kFirstCard);
  EXPECT_EQ(told[0].receivers, std::vector<std::string>{"ops"});
  EXPECT_FALSE(told[0].notice.advice.empty());
  // When it began, not when it was told.
  EXPECT_EQ(told[0].notice.since, watch.now.wall - Seconds{300});
  EXPECT_TRUE(watch.pass(3600).empty());
}

TEST(AlarmLook, APeakIsNone) {
  AlarmPlay watch;
  for (int i = 0; i < 20; ++i) {
    watch.facts.cards[0].temperature = 91;
    EXPECT_TRUE(watch.pass(299).empty());
    watch.facts.cards[0].temperature = 84;
    EXPECT_TRUE(watch.pass(1).empty());
  }
  EXPECT_TRUE(watch.alarms.empty());
}

TEST(AlarmLook, TheCardsOwnLimitCounts) {
  AlarmPlay watch;
  watch.facts.cards[0].slowdown = 100;
  watch.facts.cards[0].temperature = 94;
  EXPECT_TRUE(watch.pass(600).empty());
  watch.facts.cards[0].temperature = 95;
  EXPECT_EQ(watch.pass(301).size(), 1U);
}

TEST(AlarmLook, ItIsOverOnceItIsWellForLong) {
  AlarmPlay watch;
  watch.facts.cards[0].temperature = 91;
  watch.pass(400);
  watch.facts.cards[0].temperature = 83;  // Cooler, but not yet well.
  EXPECT_TRUE(watch.pass(3600).empty());
  EXPECT_TRUE(watch.on("temperature", "card 0"));
  watch.facts.cards[0].temperature = 70;
  EXPECT_TRUE(watch.pass(60).empty());
  const auto told = watch.pass(1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].notice.resolved);
  EXPECT_EQ(told[0].notice.thread, "temperature/card 0");
  EXPECT_TRUE(watch.alarms.empty());
}

TEST(AlarmLook, ItsWordsAreOfNowWhileItWaitsToBeOver) {
  AlarmPlay watch;
  watch.facts.cards[0].temperature = 91;
  watch.pass(400);
  watch.facts.cards[0].temperature = 40;
  watch.pass(5);
  const Alarm& alarm = watch.alarms.at({"temperature", "card 0"});
  EXPECT_EQ(alarm.value, 40);
  expect_words(alarm.what);
  watch.facts.cards[0].temperature = 92;
  watch.pass(5);
  EXPECT_EQ(watch.alarms.at({"temperature", "card 0"}).value, 92);
  expect_words(watch.alarms.at({"temperature", "card 0"}).what);
}

TEST(AlarmLook, ItBeganWhenItWasRead) {
  AlarmPlay watch;
  watch.rule("temperature").hold = Seconds{10};
  watch.pass(10);
  const Now read = watch.now;
  watch.pass(4);
  watch.facts.cards[0].read_at = read.boot;
  watch.facts.cards[0].temperature = 91;
  watch.pass(10);
  ASSERT_TRUE(watch.on("temperature", "card 0"));
  EXPECT_EQ(watch.alarms.at({"temperature", "card 0"}).since, read.wall);
}

TEST(AlarmLook, ACardThatNobodyMissesIsNotLost) {
  AlarmPlay watch;
  watch.facts.cards[0].condition = CardCondition::kGone;
  EXPECT_EQ(watch.pass(10).size(), 1U);
  watch.facts.not_missed = {kFirstCard};
  const auto told = watch.pass(1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].notice.resolved);
  expect_words(told[0].notice.what);
  EXPECT_TRUE(watch.pass(1000).empty());
  // As does one that no driver lists any more.
  watch.facts.cards[1].condition = CardCondition::kGone;
  EXPECT_EQ(watch.pass(10).size(), 1U);
  watch.restart();
  watch.facts.cards.resize(1);
  EXPECT_TRUE(watch.pass(1000).empty());
  watch.facts.not_missed.insert(kSecond);
  EXPECT_EQ(watch.pass(1).size(), 1U);
  EXPECT_TRUE(watch.alarms.empty());
}

TEST(AlarmLook, WhatIsUnknownNeitherRaisesNorEnds) {
  AlarmPlay watch;
  watch.facts.cards[0].temperature = 91;
  watch.pass(200);
  watch.facts.cards[0].temperature.reset();
  EXPECT_TRUE(watch.pass(3600).empty());
  watch.facts.cards[0].temperature = 91;
  // The time in which nobody knew does not count.
  EXPECT_TRUE(watch.pass(100).empty());
  EXPECT_EQ(watch.pass(5).size(), 1U);
  watch.facts.cards[0].temperature.reset();
  EXPECT_TRUE(watch.pass(3600).empty());
  EXPECT_TRUE(watch.on("temperature", "card 0"));
  // Nor does a card that is not listed at all.
  watch.facts.cards.resize(1);
  watch.facts.cards[0].number = kSecond;
  EXPECT_TRUE(watch.pass(3600).empty());
  EXPECT_TRUE(watch.on("temperature", "card 0"));
}

TEST(AlarmLook, AClockThatJumpsRaisesAndEndsNothing) {
  AlarmPlay watch;
  watch.rule("long_wait").threshold = 7200;
  watch.facts.longest_wait = {JobId{7}, "ml1", "ml1", watch.now.wall - Seconds{3600}, 1};
  watch.facts.cards[0].temperature = 91;
  watch.pass(100);
  watch.now.wall += Seconds{30 * 24 * 3600};
  EXPECT_TRUE(watch.pass(200).empty());
  EXPECT_TRUE(watch.alarms.empty());
  EXPECT_EQ(watch.pass(1).size(), 1U);  // The heat, in its time.
  watch.now.wall -= Seconds{90 * 24 * 3600};
  EXPECT_TRUE(watch.pass(300).empty());
  EXPECT_EQ(watch.alarms.size(), 1U);
  // What came after the jump is reckoned by the clock of then.
  watch.facts.longest_wait->since = watch.now.wall;
  watch.pass(7200 - 60);
  EXPECT_FALSE(watch.on("long_wait", "the machine"));
  watch.pass(120);
  EXPECT_TRUE(watch.on("long_wait", "the machine"));
}

TEST(AlarmLook, ASilenceIsNotEndedByAClockThatJumps) {
  AlarmPlay watch;
  watch.facts.cards[0].condition = CardCondition::kGone;
  watch.pass(1);
  watch.silence("card_lost", Seconds{3600});
  watch.pass(10);
  watch.now.wall += Seconds{24 * 3600};
  EXPECT_TRUE(watch.pass(3000).empty());
  EXPECT_EQ(watch.silences.size(), 1U);
  EXPECT_EQ(watch.pass(700).size(), 1U);
  EXPECT_TRUE(watch.silences.empty());
}

TEST(AlarmLook, ACardThatIsLostInhibitsItsOtherAlarms) {
  AlarmPlay watch;
  watch.facts.cards[0].temperature = 91;
  watch.facts.cards[1].temperature = 91;
  watch.pass(299);
  watch.facts.cards[0].condition = CardCondition::kGone;
  watch.facts.cards[0].reason = "XID 79";
  const auto told = watch.pass(60);
  std::multiset<std::string> threads;
  for (const AlarmNotice& one : told) threads.insert(one.notice.thread);
  EXPECT_EQ(threads, (std::multiset<std::string>{"card_lost/card 0", "temperature/card 1"}));
  EXPECT_EQ(watch.alarms.at({"temperature", "card 0"}).quiet_because, "inhibited by card_lost");
  EXPECT_EQ(watch.alarms.at({"temperature", "card 0"}).told_at, std::nullopt);
  // Back, and still hot: now it is told.
  watch.facts.cards[0].condition = CardCondition::kOk;
  const auto after = watch.pass(1);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_TRUE(std::ranges::any_of(after, [](const AlarmNotice& one) {
    return one.notice.thread == "temperature/card 0" && !one.notice.resolved;
  }));
}

TEST(AlarmLook, WhoWasNotToldDoesNotHearOfTheEnd) {
  AlarmPlay watch;
  watch.facts.cards[0].condition = CardCondition::kGone;
  watch.facts.cards[0].temperature = 91;
  watch.pass(400);
  watch.facts.cards[0].temperature = 40;
  EXPECT_TRUE(watch.pass(100).empty());
  EXPECT_FALSE(watch.on("temperature", "card 0"));
}

TEST(AlarmLook, AStalledSamplerInhibitsAllOfTheCards) {
  AlarmPlay watch;
  watch.facts.sampler_silent = Seconds{31};
  for (CardFacts& card : watch.facts.cards) card.condition = CardCondition::kUnknown;
  const auto told = watch.pass(1000);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].notice.rule, "sampler_stalled");
  EXPECT_EQ(watch.alarms.size(), 3U);
}

TEST(AlarmLook, ASilenceHasAnEndAndWhatIsStillOnIsToldThen) {
  AlarmPlay watch;
  watch.silence("temperature", Seconds{1000});
  watch.facts.cards[0].temperature = 91;
  EXPECT_TRUE(watch.pass(990).empty());
  EXPECT_EQ(watch.alarms.at({"temperature", "card 0"}).quiet_because, "silence 1");
  const auto told = watch.pass(20);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_FALSE(told[0].notice.resolved);
  EXPECT_TRUE(watch.silences.empty());
  // And one that was told before is told again.
  watch.silence("", Seconds{100});
  EXPECT_TRUE(watch.pass(99).empty());
  EXPECT_EQ(watch.pass(5).size(), 1U);
}

TEST(AlarmLook, ASilenceThatIsTakenBackTellsAtOnce) {
  AlarmPlay watch;
  watch.silence("card_lost", Seconds{1000});
  watch.facts.cards[0].condition = CardCondition::kGone;
  EXPECT_TRUE(watch.pass(10).empty());
  watch.silences.clear();
  EXPECT_EQ(watch.pass(1).size(), 1U);
}

TEST(AlarmLook, ARestartTellsNothingTwice) {
  AlarmPlay watch;
  watch.facts.cards[0].condition = CardCondition::kGone;
  watch.facts.ended = {{.user = "ml1", .tenant = "ml1", .program = "a", .failed = 1}};
  watch.pass(100);
  const auto before = watch.alarms;
  watch.restart();
  watch.facts.cards.clear();  // Nothing was seen yet.
  EXPECT_TRUE(watch.pass(5).empty());
  EXPECT_EQ(watch.alarms, before);
  watch.facts.cards.resize(1);
  watch.facts.cards[0].number = kFirstCard;
  watch.facts.cards[0].condition = CardCondition::kOk;
  const auto told = watch.pass(1);
  ASSERT_EQ(told.size(), 1U);  // Back: who was told before the restart hears of it.
  EXPECT_TRUE(told[0].notice.resolved);
  EXPECT_TRUE(watch.pass(3600).empty());
  EXPECT_TRUE(watch.alarms.empty());
}

TEST(AlarmLook, ItIsToldAgainWhileItIsOnAndNotSooner) {
  AlarmPlay watch;
  watch.rule("card_lost").repeat = Seconds{1000};
  watch.facts.cards[0].condition = CardCondition::kGone;
  EXPECT_EQ(watch.pass(1000).size(), 1U);
  EXPECT_EQ(watch.pass(1).size(), 1U);
  watch.restart();
  EXPECT_TRUE(watch.pass(990).empty());
  EXPECT_EQ(watch.pass(20).size(), 1U);
}

TEST(AlarmLook, CardsWithOneCauseAreOneGroup) {
  AlarmPlay watch;
  for (CardFacts& card : watch.facts.cards) card.temperature = 91;
  const auto told = watch.pass(301);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].notice.group, told[1].notice.group);
  EXPECT_NE(told[0].notice.thread, told[1].notice.thread);
}

TEST(AlarmLook, ARuleThatIsSwitchedOffEndsItsAlarmsQuietly) {
  AlarmPlay watch;
  watch.facts.cards[0].condition = CardCondition::kGone;
  watch.pass(1);
  watch.rule("card_lost").enabled = false;
  EXPECT_TRUE(watch.pass(1).empty());
  EXPECT_TRUE(watch.alarms.empty());
}

TEST(AlarmLook, WhatIsQuietChangesNoRow) {
  AlarmPlay watch;
  watch.facts.cards[0].condition = CardCondition::kGone;
  watch.facts.cards[1].temperature = 91;
  watch.pass(400);
  const int writes = watch.writes;
  watch.pass(1000);
  EXPECT_EQ(watch.writes, writes);
}

TEST(AlarmLook, HighLoadIsNoAlarm) {
  AlarmPlay watch;
  for (CardFacts& card : watch.facts.cards) {
    card.busy_percent = 100;
    card.whole_bytes = card.used_bytes.emplace(24ULL << 30);
    card.held_bytes = card.used_by_jobs.emplace(24ULL << 30);
  }
  EXPECT_TRUE(watch.pass(7200).empty());
  EXPECT_TRUE(watch.alarms.empty());
}

// However values come and go: rows and messages agree. Who is told of an end was told before, each
// end once, and nobody is told of what goes on before it was told to be over.
RC_GTEST_PROP(AlarmLookProperty, EveryEndAnswersOneBeginning, ()) {
  AlarmPlay watch;
  watch.rule("temperature").hold = Seconds{*rc::gen::inRange(0, 4)};
  watch.rule("temperature").clear_for = Seconds{*rc::gen::inRange(0, 4)};
  // After a restart only the wall clock can say how long ago it was told.
  watch.rule("temperature").repeat = watch.rule("card_lost").repeat = Seconds{0};
  std::set<std::string> told_on;
  for (const auto& [what, card] : *rc::gen::container<std::vector<std::pair<int, int>>>(
           rc::gen::pair(rc::gen::inRange(0, 9), rc::gen::inRange(0, 2)))) {
    CardFacts& one = watch.facts.cards[static_cast<std::size_t>(card)];
    if (what == 0) one.temperature = 95;
    if (what == 1) one.temperature = 82;
    if (what == 2) one.temperature = 40;
    if (what == 3) one.temperature.reset();
    if (what == 4) one.condition = CardCondition::kGone;
    if (what == 5) one.condition = CardCondition::kOk;
    if (what == 6) watch.restart();
    if (what == 7) watch.now.wall += Seconds{card == 0 ? 100'000 : -50'000};
    for (const AlarmNotice& notice : watch.pass(what == 8 ? 5 : 1)) {
      const std::string& thread = notice.notice.thread;
      RC_ASSERT(!notice.notice.what.empty());
      if (notice.notice.resolved) {
        RC_ASSERT(told_on.erase(thread) == 1U);
      } else {
        RC_ASSERT(told_on.insert(thread).second);
      }
    }
    for (const auto& [key, alarm] : watch.alarms) {
      const bool told = told_on.contains(key.rule + "/" + key.subject);
      RC_ASSERT(told == alarm.told_at.has_value());
      RC_ASSERT(told || !alarm.quiet_because.empty());
    }
    RC_ASSERT(told_on.size() <= watch.alarms.size());
  }
}

}  // namespace
}  // namespace gpusched
