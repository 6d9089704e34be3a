#include "store/row_text.h"

#include <gtest/gtest.h>

#include "store/past_runs_row.h"

namespace gpusched {
namespace {

TEST(RowText, WritesAGrantCompactly) {
  Grant grant;
  grant.cpus = 4;
  grant.ram_bytes = 1024;
  grant.cards = {{.card = CardNumber{3}, .vram_bytes = 99, .share_percent = 50, .whole = true}};
  EXPECT_EQ(grant_to_text(grant), "4,1024;3,99,50,1");
  EXPECT_EQ(grant_from_text("4,1024;3,99,50,1"), grant);
  EXPECT_EQ(grant_from_text("0,0"), Grant{});
  grant.mps = true;
  EXPECT_EQ(grant_to_text(grant), "4,1024,1;3,99,50,1");
  EXPECT_EQ(grant_from_text("4,1024,1;3,99,50,1"), grant);
}

TEST(RowText, RefusesAGrantThatMakesNoSense) {
  for (const char* text : {"", "1", "1,", "1,2,3", "a,b", "1,2;", "1,2;3", "1,2;3,4,5",
                           "1,2;3,4,5,6,7", "-1,2", "1,2;;3,4,5,6", "1,99999999999999999999999"}) {
    // A single trailing separator ends nothing.
    if (std::string_view(text) == "1,2;") continue;
    EXPECT_EQ(grant_from_text(text), std::nullopt) << text;
  }
}

TEST(RowText, BringsBackAnyTaskValues) {
  const TaskValues values = {{"a", "1"}, {"", ""}, {"tab\t", "\\t\n"}, {"b", "\xff"}};
  EXPECT_EQ(task_values_from_text(task_values_to_text(values)), values);
  EXPECT_EQ(task_values_to_text({{"lr", "0.1"}}), "lr\t0.1\n");
  EXPECT_EQ(task_values_from_text(""), TaskValues{});
}

TEST(RowText, RefusesTaskValuesThatMakeNoSense) {
  for (const char* text : {"a", "a\n", "a\tb\\", "a\t\\x\n"}) {
    EXPECT_EQ(task_values_from_text(text), std::nullopt) << text;
  }
}

TEST(RowText, BringsBackWhoIsAside) {
  Aside aside{.phase = AsidePhase::kPaused, .mechanism = Mechanism::kCheckpoint};
  aside.for_job = JobId{7};
  aside.since = Wall{Seconds{5}};
  aside.host_bytes = 99;
  Presence presence{.away = Seconds{3}};
  presence.failed = {Wall{Seconds{6}}, "no room, for now"};
  const auto expect_kept = [&] {
    presence.place = aside;
    EXPECT_EQ(presence_from_text(presence_to_text(presence), aside.phase), presence);
  };
  for (const AsideWhy why :
       {AsideWhy::kRoom, AsideWhy::kIdle, AsideWhy::kPressure, AsideWhy::kStill}) {
    aside.why = why;
    expect_kept();
  }
  for (bool Aside::*flag : {&Aside::by_hand, &Aside::wanted, &Aside::ends}) {
    aside.*flag = true;
    expect_kept();
  }
  presence.refused = true;
  presence.failed.reset();
  aside.over_limit_until = Wall{Seconds{9}};
  expect_kept();
}

TEST(RowText, BringsBackWhoIsOnItsCardsAgain) {
  Presence presence{.place = OnCards{Wall{Seconds{5}}, true}, .away = Seconds{3}, .refused = true};
  EXPECT_EQ(presence_from_text(presence_to_text(presence), std::nullopt), presence);
}

// What earlier versions have written.
TEST(RowText, ReadsWhoWasAsideBefore) {
  const auto paused = presence_from_text("freeze 1 0 5 0 0 0 ", AsidePhase::kPausing);
  ASSERT_TRUE(paused && paused->aside());
  EXPECT_EQ(*paused->aside(), (Aside{.by_hand = true, .since = Wall{Microseconds{5}}}));
  EXPECT_EQ(paused->failed, std::nullopt);
  EXPECT_FALSE(presence_from_text("freeze x 0 5 0 0 0 ", AsidePhase::kPausing));
  const auto pressed = presence_from_text("limit=8 checkpoint 65 4 5 6 7 9 no room", {});
  ASSERT_TRUE(pressed);
  const FailedMove failed{Wall{Microseconds{9}}, "no room"};
  EXPECT_EQ(*pressed, (Presence{.place = OnCards{.since = Wall{Microseconds{5}}},
                                .away = Microseconds{6},
                                .failed = failed}))
      << "What it had while it was away is over.";
}

TEST(RowText, KeepsEnvironmentsByteByByte) {
  Environment environment;
  environment.variables = {"A=1", "B=", "C=\xff\n", ""};
  const std::string bytes = environment_to_bytes(environment);
  EXPECT_EQ(bytes, std::string("A=1\0B=\0C=\xff\n\0\0", 13));
  EXPECT_EQ(environment_from_bytes(bytes), environment.variables);
}

TEST(RowText, HasAWordForEveryEnumValue) {
  for (const HoldReason why : {HoldReason::kUser, HoldReason::kCrashGuard}) {
    EXPECT_EQ(hold_of_word(hold_word(why)), why);
  }
  for (const StopReason why : {StopReason::kNone, StopReason::kCancel, StopReason::kRequeue}) {
    EXPECT_EQ(stop_of_word(stop_word(why).value_or("")), why);
  }
  EXPECT_EQ(outcome_of_word("cancelled"), Outcome::kCancelled);
  EXPECT_EQ(outcome_of_word("running"), std::nullopt);
}

TEST(RowText, PastRunsAreReadAsTheyWereWrittenAndDamageIsSeen) {
  std::vector<PastRun> runs(2);
  runs[0].attempt = {JobId{7}, 2};
  runs[0].end = RunEnd::kOutOfMemory;
  runs[0].peak_vram_bytes = 99;
  runs[1].load_percent = 12.5;
  runs[1].duration = Microseconds{1234567};
  const std::string text = past_runs_to_text(runs);
  EXPECT_EQ(text, "7.2,out_of_memory,99,,0;0.0,completed,0,12.5,1234567");
  EXPECT_EQ(past_runs_from_text(text), runs);
  EXPECT_EQ(past_runs_from_text(""), std::vector<PastRun>());
  for (const char* damaged : {"7", "7.2", "7.2,gone,1,,0", "7.2,cut,x,,0", "7.2,cut,1,,",
                              "7.2,cut,1", "7.2,cut,1,x,0", "7.2,cut,1,,0;;", ";"}) {
    EXPECT_FALSE(past_runs_from_text(damaged)) << damaged;
  }
}

}  // namespace
}  // namespace gpusched
