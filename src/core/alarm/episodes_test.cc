// What happens once: failures, errors of the driver, reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/alarm_play.h"
#include "tests/support/core_words.h"

namespace gpusched {
namespace {

using testing::AlarmPlay;
using testing::expect_words;
using testing::kFirstCard;

TEST(AlarmLook, TenThousandFailuresAreOneMessageThatCountsThem) {
  AlarmPlay watch;
  std::vector<AlarmNotice> told;
  for (int i = 0; i < 50; ++i) {
    watch.facts.ended = {{.user = "ml1",
                          .tenant = "lab",
                          .program = "train.py",
                          .failed = 200,
                          .failed_last = 200,
                          .last_failed = JobId{static_cast<std::uint64_t>(200 * i + 200)},
                          .how = "ended with exit code 1"}};
    for (AlarmNotice& one : watch.pass(1)) told.push_back(std::move(one));
  }
  for (AlarmNotice& one : watch.pass(3600)) told.push_back(std::move(one));
  std::erase_if(told, [](const AlarmNotice& one) { return one.notice.rule != "job_failed"; });
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].notice.job, JobId{10000});
  expect_words(told[0].notice.what);
  EXPECT_EQ(told[0].notice.whom, "ml1");
  EXPECT_LE(watch.alarms.size(), 1U);  // failures_in_row stays for a day.
  EXPECT_LT(watch.writes, 20);
}

TEST(AlarmLook, AFailureIsToldHoweverSoonItIsOver) {
  AlarmPlay watch;
  watch.rule("job_failed").clear_for = Seconds{0};
  watch.facts.ended = {{.user = "ml1", .tenant = "lab", .program = "a", .failed = 1}};
  EXPECT_TRUE(watch.pass(1).empty());
  watch.now.boot += Seconds{63};  // Somebody kept the daemon from looking.
  watch.now.wall += Seconds{63};
  EXPECT_EQ(watch.pass(3600).size(), 1U);
  EXPECT_TRUE(watch.alarms.empty());
}

TEST(AlarmLook, MoreFailuresAfterTheMessageAreCountedAtTheEnd) {
  AlarmPlay watch;
  watch.rule("failures_in_row").enabled = false;
  const EndedFact one{.user = "ml1",
                      .tenant = "lab",
                      .program = "a",
                      .failed = 1,
                      .failed_last = 1,
                      .went_well = false,
                      .last_failed = JobId{5},
                      .how = "ended with exit code 1"};
  watch.facts.ended = {one};
  EXPECT_EQ(watch.pass(120).size(), 1U);
  watch.facts.ended = {one};
  const auto told = watch.pass(3600);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].notice.resolved);
  expect_words(told[0].notice.what);
  // Another day, another count.
  watch.facts.ended = {one};
  const auto again = watch.pass(120);
  ASSERT_EQ(again.size(), 1U);
  expect_words(again[0].notice.what);
}

TEST(AlarmLook, FailuresInARowEndWithASuccess) {
  AlarmPlay watch;
  watch.rule("job_failed").enabled = false;
  EndedFact bad{.user = "ml1", .tenant = "lab", .program = "train.py", .failed = 1};
  bad.failed_last = 1;
  EndedFact good{.user = "ml1", .tenant = "lab", .program = "train.py"};
  good.went_well = true;
  for (int i = 0; i < 10; ++i) {
    watch.facts.ended = {bad};
    watch.pass(1);
    watch.facts.ended = {bad};
    watch.pass(1);
    watch.facts.ended = {good};
    EXPECT_TRUE(watch.pass(1).empty());
  }
  for (int i = 0; i < 3; ++i) {
    watch.facts.ended = {bad};
    EXPECT_EQ(watch.pass(1).size(), i == 2 ? 1U : 0U);
  }
  EXPECT_EQ(watch.alarms.begin()->first.rule, "failures_in_row");
  watch.restart();
  EXPECT_TRUE(watch.pass(100).empty());
  watch.facts.ended = {good};
  EXPECT_EQ(watch.pass(1).size(), 1U);
  EXPECT_TRUE(watch.alarms.empty());
}

TEST(AlarmLook, AnXidThatIsAProgramsFaultCountsWithThreeUsers) {
  AlarmPlay watch;
  for (const char* user : {"ml1", "ml1", "ml2"}) {
    watch.facts.xids = {{.card = kFirstCard, .number = 31, .users = {user}}};
    EXPECT_TRUE(watch.pass(60).empty());
  }
  watch.facts.xids = {{.card = kFirstCard, .number = 31, .users = {"ml3"}}};
  EXPECT_EQ(watch.pass(1).size(), 1U);
  EXPECT_EQ(watch.alarms.at({"xid", "card 0"}).severity, Severity::kWarning);
  // A worse one is told at once.
  watch.facts.xids = {{.card = kFirstCard, .number = 48, .users = {}}};
  const auto told = watch.pass(1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].notice.severity, Severity::kCritical);
  watch.pass(3700);
  EXPECT_TRUE(watch.alarms.empty());
}

TEST(AlarmLook, AReportIsSentOnceAWeekAndNotTwiceAfterARestart) {
  AlarmPlay watch;
  watch.rule("weekly_report").enabled = true;
  watch.facts.report = [] { return std::string("sums"); };
  int reports = 0;
  // 1,700,000,000 is a Tuesday, 22:13. Four weeks in steps of an hour.
  for (int hour = 0; hour < 4 * 7 * 24; ++hour) {
    if (hour % 50 == 0) watch.restart();
    watch.now.boot += Seconds{3599};
    watch.now.wall += Seconds{3599};
    for (const AlarmNotice& one : watch.pass(1)) {
      EXPECT_EQ(one.notice.rule, "weekly_report");
      EXPECT_EQ(one.notice.attachment, "sums");
      const auto since_monday =
          (watch.now.wall.time_since_epoch() - Seconds{4 * 24 * 3600}) % Seconds{7 * 24 * 3600};
      EXPECT_GE(since_monday, Seconds{8 * 3600});
      EXPECT_LT(since_monday, Seconds{10 * 3600});
      ++reports;
    }
  }
  EXPECT_EQ(reports, 4);
}

}  // namespace
}  // namespace gpusched
