// GET /v1/report: the sums themselves, and the route over a real socket.
#include <gtest/gtest.h>

#include "api/report.h"
#include "api/test_daemon.h"
#include "core/state/state.h"
#include "http/test_client.h"
#include "json/json_value.h"
#include "wire/message_json.h"

namespace gpusched::testing {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr Wall kSince{Seconds{1'000'000}};
constexpr Wall kUntil{Seconds{1'010'000}};

Job job_of(const char* user) {
  Job job;
  job.spec = std::make_shared<JobSpec>();
  job.owner.user = user;
  return job;
}

// On cards 0 … cards-1, asking for 8 GiB of each.
Grant grant_of(int cards) {
  Grant grant;
  for (int i = 0; i < cards; ++i) {
    grant.cards.push_back(
        {.card = CardNumber{static_cast<std::uint16_t>(i)}, .vram_bytes = 8 * kGiB});
  }
  return grant;
}

Job ended_job(const char* user, int cards, Wall begin, Wall end, const GpuUsage& usage) {
  Job job = job_of(user);
  Ended ended;
  ended.started_at = begin;
  ended.ended_at = end;
  ended.grant = grant_of(cards);
  if (cards > 0) ended.usage = std::make_shared<Usage>(Usage{.gpu = usage});
  job.state = ended;
  return job;
}

JsonValue written(const Report& report) {
  const std::string out = wire::to_json(report.answer(State{}));
  auto value = parse_json(out);
  EXPECT_TRUE(value) << out;
  return *value;
}

double real(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  if (field == nullptr) return -1;
  if (const auto* whole = field->as<std::uint64_t>()) return static_cast<double>(*whole);
  const auto* found = field->as<double>();
  return found == nullptr ? -1 : *found;
}
const JsonArray& rows(const JsonValue& value) { return *value.find("rows")->as<JsonArray>(); }

const GpuUsage kHalf{.peak_vram_bytes = 8 * kGiB, .mean_busy_percent = 50, .energy_joules = 1000};

TEST(Report, TimeAsideIsNotTimeOnACard) {
  Report report({.by = ReportBy::kUser, .since = kSince, .until = kUntil});
  // Of 100 s on two cards it was away for 40.
  Job ended = ended_job("ml1", 2, kSince, kSince + Seconds{100}, GpuUsage{.gpu_seconds = 120});
  ended.moves = 3;
  report.add_ended(ended);
  Job running = job_of("ml1");
  Running state{.grant = grant_of(1), .started_at = kUntil - Seconds{50}};
  state.presence = std::make_shared<const Presence>(
      Presence{.place = Aside{.phase = AsidePhase::kPaused, .since = kUntil - Seconds{20}}});
  running.state = state;
  running.moves = 1;
  report.add_running(running, std::nullopt);
  const JsonValue value = written(report);
  const JsonValue& row = rows(value).at(0);
  EXPECT_DOUBLE_EQ(real(row, "gpu_seconds"), 150);
  EXPECT_DOUBLE_EQ(real(row, "aside_seconds"), 100);
  EXPECT_DOUBLE_EQ(real(row, "moves"), 4);
}

TEST(ReportSums, WeighByTheTimeCardsWereHeld) {
  Report report({.by = ReportBy::kUser, .since = kSince, .until = kUntil});
  report.add_ended(ended_job("ml1", 2, kSince, kSince + Seconds{300}, kHalf));
  GpuUsage all = kHalf;
  all.mean_busy_percent = 100;
  report.add_ended(ended_job("ml1", 1, kSince, kSince + Seconds{200}, all));
  const JsonValue value = written(report);
  ASSERT_EQ(rows(value).size(), 1U);
  const JsonValue& row = rows(value)[0];
  EXPECT_EQ(real(row, "jobs"), 2);
  EXPECT_DOUBLE_EQ(real(row, "gpu_seconds"), 800);
  EXPECT_DOUBLE_EQ(real(row, "mean_busy_percent"), (50.0 * 600 + 100.0 * 200) / 800);
  EXPECT_DOUBLE_EQ(real(row, "energy_joules"), 2000);
  // 8 of 16 GiB for 300 s, 8 of 8 GiB for 200 s.
  EXPECT_DOUBLE_EQ(real(row, "peak_of_asked_percent"), 100.0 * (8 * 500) / (16 * 300 + 8 * 200));
}

TEST(ReportSums, CountOnlyWhatLiesAfterTheBeginning) {
  Report report({.by = ReportBy::kUser, .since = kSince, .until = kUntil});
  report.add_ended(ended_job("ml1", 1, kSince - Seconds{300}, kSince + Seconds{100}, kHalf));
  const JsonValue value = written(report);
  EXPECT_DOUBLE_EQ(real(*value.find("total"), "gpu_seconds"), 100);
  EXPECT_DOUBLE_EQ(real(*value.find("total"), "energy_joules"), 250);
}

TEST(ReportSums, CardsAddUpToTheTotal) {
  Report report({.by = ReportBy::kCard, .since = kSince, .until = kUntil});
  for (const int cards : {0, 1, 2, 3, 3}) {
    Job job = ended_job("ml1", cards, kSince, kSince + Seconds{100}, kHalf);
    job.moves = cards;
    report.add_ended(job);
  }
  const JsonValue value = written(report);
  ASSERT_EQ(rows(value).size(), 4U) << "three cards, and none";
  EXPECT_EQ(real(rows(value)[3], "jobs"), 1);
  for (const char* name : {"jobs", "moves", "gpu_seconds", "energy_joules", "aside_seconds"}) {
    double sum = 0;
    for (const JsonValue& row : rows(value)) sum += std::max(0.0, real(row, name));
    EXPECT_NEAR(sum, real(*value.find("total"), name), 1e-6) << name;
  }
}

TEST(ReportSums, AJobOnTwoCardsIsHalfAJobOfEach) {
  Report report({.by = ReportBy::kCard, .since = kSince, .until = kUntil});
  report.add_ended(ended_job("ml1", 2, kSince, kSince + Seconds{100}, kHalf));
  const JsonValue value = written(report);
  ASSERT_EQ(rows(value).size(), 2U);
  for (const JsonValue& row : rows(value)) {
    EXPECT_EQ(real(row, "jobs"), 0.5);
    EXPECT_DOUBLE_EQ(real(row, "gpu_seconds"), 100);
    EXPECT_DOUBLE_EQ(real(row, "energy_joules"), 500);
    EXPECT_DOUBLE_EQ(real(row, "peak_of_asked_percent"), 50);
  }
  EXPECT_EQ(real(*value.find("total"), "jobs"), 1);
}

TEST(ReportSums, WhatWasNeverSeenIsAbsent) {
  Report report({.by = ReportBy::kUser, .since = kSince, .until = kUntil});
  report.add_ended(ended_job("ml1", 1, kSince, kSince + Seconds{100}, {}));
  report.add_ended(ended_job("ml1", 0, kSince, kSince + Seconds{100}, {}));
  const JsonValue value = written(report);
  const JsonValue& row = rows(value)[0];
  EXPECT_EQ(real(row, "jobs"), 2);
  EXPECT_DOUBLE_EQ(real(row, "gpu_seconds"), 100);
  for (const char* name : {"peak_of_asked_percent", "mean_busy_percent", "energy_joules"}) {
    EXPECT_EQ(row.find(name), nullptr) << name;
  }
}

TEST(ReportSums, RunningJobsCountUntilNow) {
  Report report({.by = ReportBy::kUser, .since = kSince, .until = kUntil});
  Job job = job_of("ml1");
  job.state = Running{.grant = grant_of(1), .started_at = kUntil - Seconds{60}};
  report.add_running(job, std::nullopt);
  const JsonValue value = written(report);
  EXPECT_EQ(real(rows(value)[0], "running"), 1);
  EXPECT_DOUBLE_EQ(real(rows(value)[0], "gpu_seconds"), 60);
}

TEST(ReportSums, WhoUsedMostComesFirst) {
  Report report({.by = ReportBy::kUser, .since = kSince, .until = kUntil});
  report.add_ended(ended_job("a", 1, kSince, kSince + Seconds{10}, kHalf));
  report.add_ended(ended_job("b", 1, kSince, kSince + Seconds{20}, kHalf));
  const JsonValue value = written(report);
  EXPECT_EQ(*rows(value)[0].find("user")->as<std::string>(), "b");
}

TEST(ReportRoute, HasEndedAndRunningJobs) {
  TestDaemon daemon;
  const std::string body = R"({"command":["true"],"working_directory":"/tmp"})";
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(ask(daemon.socket(), "POST", "/v1/jobs", body).status, 200);
  }
  daemon.start_job(1);
  daemon.start_job(2);
  daemon.end_job(2);
  for (const char* target : {"/v1/report", "/v1/report?since=1d&by=user"}) {
    const JsonValue value = ask(daemon.socket(), "GET", target).json();
    ASSERT_EQ(rows(value).size(), 1U) << target;
    EXPECT_EQ(real(rows(value)[0], "jobs"), 2);
    EXPECT_EQ(real(rows(value)[0], "running"), 1);
  }
  const JsonValue cards = ask(daemon.socket(), "GET", "/v1/report?by=card").json();
  ASSERT_EQ(rows(cards).size(), 2U);
  EXPECT_NE(rows(cards)[0].find("uuid"), nullptr);
}

TEST(ReportSums, DaysAndWhatRunsAddUpByEverything) {
  const int day = 1'000'000 / 86'400;
  for (const char* by : {"user", "card", "tenant", "project", "name", "program", "hour"}) {
    Report report({.by = *report_by_named(by),
                   .since = begin_of_day(day),
                   .until = begin_of_day(day + 2),
                   .from_days = true});
    WorkSums sums{.jobs = 1, .attempts = 1, .gpu_seconds = 100};
    sums.hours.add(3, 100);
    sums.waits.add(wait_bucket(60), 1);
    sums.waited_for["ml2"] = 60;
    report.add({.day = day, .tenant = "ml1", .user = "ml1", .card = 1, .name = "a"}, sums);
    report.add({.day = day + 1, .tenant = "ml2", .user = "ml2", .card = 0, .name = "b"}, sums);
    const JsonValue value = written(report);
    double all = 0;
    for (const JsonValue& row : rows(value)) all += real(row, "gpu_seconds");
    EXPECT_DOUBLE_EQ(all, 200) << by;
    EXPECT_DOUBLE_EQ(real(*value.find("total"), "gpu_seconds"), 200) << by;
    EXPECT_EQ(value.find("waited_for")->as<JsonArray>()->size(), 2U);
    EXPECT_EQ(value.find("days")->as<JsonArray>()->size(), 2U);
    EXPECT_NEAR(real(*value.find("total")->find("waits"), "p99_s"), 60, 3);
  }
}

TEST(ReportSums, CostsAreByTheHourOfACardAndByEnergy) {
  Report report({.by = ReportBy::kUser, .since = kSince, .until = kUntil, .from_days = true});
  report.add({.user = "ml1", .card = 0},
             {.gpu_seconds = 7200, .energy_joules = 3.6e6, .energy_seconds = 7200});
  EXPECT_FALSE(report.answer(State{}).total.cost);
  const wire::Report answer = report.answer(State{}, {.per_kwh = 0.5, .per_gpu_hour = 2});
  EXPECT_DOUBLE_EQ(*answer.total.cost, 4.5);
  EXPECT_EQ(answer.currency, "EUR");
}

TEST(ReportSums, EveryHourHasARowWithItsPartOfTheEnergy) {
  Report report({.by = ReportBy::kHour, .since = kSince, .until = kUntil});
  // Half of it before 14:00, half of it after.
  const Wall fourteen{Seconds{11 * 86'400 + 14 * 3600}};
  report.add_ended(ended_job("ml1", 1, fourteen - Seconds{100}, fourteen + Seconds{100}, kHalf));
  const JsonValue value = written(report);
  ASSERT_EQ(rows(value).size(), 24U);
  EXPECT_DOUBLE_EQ(real(rows(value)[13], "energy_joules"), 500);
  EXPECT_DOUBLE_EQ(real(rows(value)[14], "energy_joules"), 500);
  EXPECT_DOUBLE_EQ(real(rows(value)[3], "gpu_seconds"), 0);
}

TEST(ReportSums, WhatIsHiddenIsOneRow) {
  Report report({.by = ReportBy::kUser, .since = kSince, .until = kUntil, .from_days = true});
  report.add({.user = "ml1", .card = 0}, {.jobs = 1, .gpu_seconds = 1});
  report.add_hidden({.user = "ml2", .card = 0}, {.jobs = 1, .gpu_seconds = 2});
  report.add_hidden({.user = "ml3", .card = 0}, {.jobs = 1, .gpu_seconds = 3});
  const wire::Report answer = report.answer(State{});
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_TRUE(answer.rows[1].others);
  EXPECT_DOUBLE_EQ(answer.rows[1].gpu_seconds, 5);
  EXPECT_DOUBLE_EQ(answer.total.gpu_seconds, 6);
}

TEST(ReportSums, OfOthersProgramsNoArgumentsAreTold) {
  Report report({.by = ReportBy::kProgram, .since = kSince, .until = kUntil, .from_days = true});
  report.hide_arguments("ml1");
  report.add({.user = "ml1", .program = "python own.py"}, {.gpu_seconds = 1});
  report.add({.user = "ml2", .program = "python secret.py"}, {.gpu_seconds = 2});
  const wire::Report answer = report.answer(State{});
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(answer.rows[0].program, "python");
  EXPECT_EQ(answer.rows[1].program, "python own.py");
}

TEST(ReportRoute, TheTextIsForAMail) {
  TestDaemon daemon;
  const TestResponse text = ask(daemon.socket(), "GET", "/v1/report?format=text");
  EXPECT_EQ(text.status, 200);
  EXPECT_NE(text.body.find("Nothing ran."), std::string::npos);
  const TestResponse csv = ask(daemon.socket(), "GET", "/v1/report?format=csv&by=name");
  EXPECT_TRUE(csv.body.starts_with("name,model,jobs,")) << csv.body;
}

TEST(ReportRoute, ALongListIsAddedUpInPieces) {
  TestDaemon daemon;
  daemon.add_jobs(6000);
  ASSERT_EQ(ask(daemon.socket(), "POST", "/v1/jobs/all/cancel").status, 200);
  const JsonValue value = ask(daemon.socket(), "GET", "/v1/report").json();
  EXPECT_EQ(rows(value).size(), 0U) << "what never began is not work";
  EXPECT_EQ(real(*value.find("total"), "jobs"), 0);
}

}  // namespace
}  // namespace gpusched::testing
