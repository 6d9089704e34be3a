#include "core/model/presence.h"

#include <gtest/gtest.h>

#include "core/model/job.h"

namespace gpusched {
namespace {

Wall second(int at) { return Wall{Seconds{at}}; }

Job running_job() {
  Job job;
  job.state = Running{.grant = {}, .started_at = second(0)};
  return job;
}

TEST(Presence, OneThatWasNeverMovedIsOnItsCards) {
  const Job job = running_job();
  EXPECT_EQ(presence_of(job), nullptr);
  EXPECT_FALSE(is_aside(job));
  EXPECT_STREQ(state_name(job.state), "running");
  EXPECT_EQ(away_for(job, second(9)), Seconds{0});
}

TEST(Presence, TimesAsideAddUp) {
  Job job = running_job();
  set_aside(job, {.since = second(10)});
  EXPECT_STREQ(state_name(job.state), "pausing");
  EXPECT_EQ(away_for(job, second(13)), Seconds{3});
  return_to_cards(job, second(15));
  set_aside(job, {.phase = AsidePhase::kPaused, .since = second(20)});
  EXPECT_EQ(away_for(job, second(22)), Seconds{7});
  EXPECT_EQ(ran_for(std::get<Running>(job.state), second(22)), Seconds{15});
  return_to_cards(job, second(22));
  EXPECT_STREQ(state_name(job.state), "running");
  EXPECT_EQ(presence_of(job)->back()->since, second(22));
  EXPECT_EQ(away_for(job, second(99)), Seconds{7});
}

TEST(Presence, WhoIsBackRemembersThatItOnlyStoodStill) {
  Job job = running_job();
  set_aside(job, {.why = AsideWhy::kStill, .since = second(1)});
  EXPECT_TRUE(stands_still(job));
  return_to_cards(job, second(2));
  EXPECT_FALSE(stands_still(job));
  EXPECT_TRUE(presence_of(job)->back()->stood_still);
}

TEST(Presence, ARefusalLastsAndAFailureIsOverWithTheNextMove) {
  Job job = running_job();
  set_aside(job, {.since = second(1)});
  Presence& presence = return_to_cards(job, second(2));
  presence.refused = true;
  presence.failed = {second(2), "busy"};
  set_aside(job, {.since = second(3)});
  EXPECT_TRUE(presence_of(job)->refused);
  EXPECT_FALSE(presence_of(job)->failed);
}

TEST(Presence, ACopyOfAJobKeepsItsOwn) {
  Job job = running_job();
  set_aside(job, {.since = second(1)});
  const Job before = job;
  change_aside(job).by_hand = true;
  EXPECT_FALSE(aside_of(before)->by_hand);
  EXPECT_TRUE(aside_of(job)->by_hand);
}

}  // namespace
}  // namespace gpusched
