// Every route of docs/api.md, over a real socket.
#include <set>

#include "api/routes/routes.h"
#include "api/routes/test_routes.h"

namespace gpusched::testing {
namespace {

TEST_F(Routes, Version) {
  const JsonValue value = ask("GET", "/v1/version").json();
  EXPECT_EQ(text(value, "version"), GPUSCHED_VERSION);
  EXPECT_EQ(number(*value.find("api"), "least"), 1U);
  EXPECT_EQ(text(value, "cards_from"), "simulated");
  EXPECT_EQ(text(value, "state_directory"), daemon.state_directory());
}

TEST_F(Routes, SubmitAnswersTheJob) {
  const TestResponse response = ask("POST", "/v1/jobs", a_job(R"("name":"n")"));
  ASSERT_EQ(response.status, 200) << response.body;
  const JsonValue value = response.json();
  EXPECT_EQ(number(value, "first"), 1U);
  EXPECT_EQ(number(value, "last"), 1U);
  EXPECT_EQ(number(value, "count"), 1U);
  EXPECT_EQ(count(value, "jobs"), 1U);
  EXPECT_EQ(text(value.find("jobs")->as<JsonArray>()->at(0), "user"), "ml1");
}

TEST_F(Routes, SubmitRefusesWhatCanNeverFit) {
  const TestResponse response = ask("POST", "/v1/jobs", a_job(R"("vram_bytes":99999999999999)"));
  EXPECT_EQ(response.status, 422) << response.body;
  EXPECT_EQ(response.code(), "never_fits");
  EXPECT_EQ(ask("POST", "/v1/jobs?dry_run=1", a_job(R"("gpus":3)")).code(), "never_fits");
}

TEST_F(Routes, SubmitOfASweepAndItsRepetition) {
  const std::string body = a_job(R"("key":"k","array":{"indices":"0-9"})");
  const JsonValue first = ask("POST", "/v1/jobs", body).json();
  EXPECT_EQ(number(first, "count"), 10U);
  EXPECT_EQ(first.find("jobs"), nullptr);
  const JsonValue again = ask("POST", "/v1/jobs", body).json();
  EXPECT_EQ(*again.find("repeated")->as<bool>(), true);
  EXPECT_EQ(number(again, "first"), 1U);
  EXPECT_EQ(ask("POST", "/v1/jobs", a_job(R"("key":"k")")).code(), "conflict");
}

TEST_F(Routes, SubmitOfLines) {
  std::string lines = a_job() + "\n";
  for (int i = 0; i < 1500; ++i) lines += fmt::format("{{\"values\":{{\"i\":\"{}\"}}}}\n", i);
  const TestResponse response =
      ask("POST", "/v1/jobs", lines, "Content-Type: application/x-ndjson\r\n");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(number(response.json(), "count"), 1500U);
  EXPECT_EQ(count(ask("GET", "/v1/jobs?limit=10000").json(), "jobs"), 1500U);
}

TEST_F(Routes, DryRunChangesNothing) {
  const JsonValue value = ask("POST", "/v1/jobs?dry_run=1", a_job()).json();
  EXPECT_EQ(number(value, "first"), 1U);
  EXPECT_TRUE(*value.find("dry_run")->as<bool>());
  EXPECT_EQ(count(ask("GET", "/v1/jobs").json(), "jobs"), 0U);
  const std::uint64_t id = submit();
  const JsonValue cancel = ask("POST", fmt::format("/v1/jobs/{}/cancel?dry_run=1", id)).json();
  EXPECT_EQ(count(cancel, "changed"), 1U);
  EXPECT_TRUE(*cancel.find("dry_run")->as<bool>());
  EXPECT_EQ(state_of(id), "starting");
  EXPECT_EQ(ask("PUT", "/v1/groups/g?dry_run=1", R"({"limit":2})").status, 200);
  EXPECT_EQ(count(ask("GET", "/v1/groups").json(), "groups"), 0U);
}

TEST_F(Routes, ListFiltersAndLimits) {
  for (int i = 0; i < 5; ++i) submit(fmt::format(R"("name":"n{}","tags":["t"])", i % 2));
  EXPECT_EQ(count(ask("GET", "/v1/jobs").json(), "jobs"), 5U);
  EXPECT_EQ(count(ask("GET", "/v1/jobs?name=n0").json(), "jobs"), 3U);
  EXPECT_EQ(count(ask("GET", "/v1/jobs?name=n0&limit=2").json(), "jobs"), 2U);
  EXPECT_EQ(count(ask("GET", "/v1/jobs?state=starting").json(), "jobs"), 2U);
  EXPECT_EQ(count(ask("GET", "/v1/jobs?state=waiting").json(), "jobs"), 3U);
  EXPECT_EQ(count(ask("GET", "/v1/jobs?ids=2-4").json(), "jobs"), 3U);
  EXPECT_EQ(count(ask("GET", "/v1/jobs?user=nobody").json(), "jobs"), 0U);
  const JsonValue newest = ask("GET", "/v1/jobs?newest=2").json();
  ASSERT_EQ(count(newest, "jobs"), 2U);
  EXPECT_EQ(number(newest.find("jobs")->as<JsonArray>()->at(0), "id"), 4U);
  EXPECT_EQ(ask("GET", "/v1/jobs?ids=99").code(), "not_found");
}

TEST_F(Routes, WaitingJobsSayWhy) {
  for (int i = 0; i < 3; ++i) submit();
  const JsonValue list = ask("GET", "/v1/jobs?ids=3").json();
  EXPECT_NE(text(list.find("jobs")->as<JsonArray>()->at(0), "reason"), "(none)");
  const JsonValue why = ask("GET", "/v1/jobs/3/explain").json();
  EXPECT_EQ(text(why, "state"), "queued");
  EXPECT_EQ(number(why, "position"), 1U);
  ASSERT_EQ(count(why, "reasons"), 1U);
  EXPECT_EQ(text(why.find("reasons")->as<JsonArray>()->at(0), "code"), "cards");
}

TEST_F(Routes, OverviewHasAllParts) {
  for (int i = 0; i < 4; ++i) submit();
  daemon.start_job(1);
  daemon.end_job(1);
  ASSERT_TRUE(wait_until([&] { return state_of(1) == "completed"; }));
  const JsonValue value = ask("GET", "/v1/overview?waiting=1").json();
  EXPECT_EQ(count(value, "running"), 2U);
  EXPECT_EQ(count(value, "waiting"), 1U);
  EXPECT_EQ(count(value, "recent"), 1U);
  EXPECT_EQ(count(value, "cards"), 2U);
  EXPECT_EQ(number(*value.find("counts"), "completed"), 1U);
}

TEST_F(Routes, ChangesAnswerWhatChanged) {
  for (int i = 0; i < 3; ++i) submit();
  EXPECT_EQ(count(ask("POST", "/v1/jobs/3/hold").json(), "changed"), 1U);
  EXPECT_EQ(state_of(3), "held");
  EXPECT_EQ(count(ask("POST", "/v1/jobs/3/release", "{}").json(), "changed"), 1U);
  EXPECT_EQ(count(ask("PATCH", "/v1/jobs/3", R"({"priority":90})").json(), "changed"), 1U);
  EXPECT_EQ(count(ask("POST", "/v1/jobs/3/cancel", R"({"grace_s":1})").json(), "changed"), 1U);
  EXPECT_EQ(state_of(3), "cancelled");
  const JsonValue again = ask("POST", "/v1/jobs/3/cancel").json();
  EXPECT_EQ(count(again, "changed"), 0U);
  EXPECT_EQ(count(again, "unchanged"), 1U);
  EXPECT_EQ(count(ask("POST", "/v1/jobs/3/requeue").json(), "changed"), 1U);
  EXPECT_EQ(state_of(3), "queued");
}

TEST_F(Routes, AnUnknownNumberChangesNothing) {
  submit();
  EXPECT_EQ(ask("POST", "/v1/jobs/1,9/cancel").message(), "there is no job 9");
  EXPECT_EQ(state_of(1), "starting");
}

TEST_F(Routes, AllMeansThoseThatHaveNotEnded) {
  for (int i = 0; i < 3; ++i) submit();
  ask("POST", "/v1/jobs/3/cancel");
  const JsonValue value = ask("POST", "/v1/jobs/all/cancel").json();
  EXPECT_EQ(count(value, "changed"), 2U);
  EXPECT_EQ(count(value, "unchanged"), 0U);
}

TEST_F(Routes, DetailsShowTheEnvironmentToTheOwner) {
  submit(R"("environment":["SECRET=1"],"time_limit_s":60,"signal":{"number":10,"before_s":5})");
  const JsonValue value = ask("GET", "/v1/jobs/1").json();
  const JsonValue& job = value.find("jobs")->as<JsonArray>()->at(0);
  EXPECT_EQ(count(job, "environment"), 1U);
  EXPECT_EQ(number(*job.find("warn_signal"), "number"), 10U);
  EXPECT_EQ(text(job, "directory"), daemon.state_directory() + "/jobs/1/1");
}

TEST_F(Routes, TrailOfSeveralJobsIsInOrder) {
  submit();
  submit();
  ask("POST", "/v1/jobs/1/cancel");
  const JsonValue value = ask("GET", "/v1/jobs/1-2/events").json();
  const auto* events = value.find("events")->as<JsonArray>();
  ASSERT_GE(events->size(), 3U);
  std::uint64_t last = 0;
  for (const JsonValue& event : *events) {
    EXPECT_GT(number(event, "sequence"), last);
    last = number(event, "sequence");
  }
  const TestResponse later = ask("GET", fmt::format("/v1/jobs/1-2/events?after={}", last));
  EXPECT_EQ(count(later.json(), "events"), 0U);
}

TEST_F(Routes, Groups) {
  EXPECT_EQ(ask("PUT", "/v1/groups/night", R"({"limit":4})").status, 200);
  const JsonValue value = ask("GET", "/v1/groups").json();
  ASSERT_EQ(count(value, "groups"), 1U);
  EXPECT_EQ(number(value.find("groups")->as<JsonArray>()->at(0), "limit"), 4U);
  EXPECT_EQ(ask("DELETE", "/v1/groups/night").status, 200);
  EXPECT_EQ(ask("DELETE", "/v1/groups/night").code(), "not_found");
}

TEST_F(Routes, Tenants) {
  const auto first = [](const JsonValue& value) {
    return value.find("tenants")->as<JsonArray>()->at(0);
  };
  const TestResponse tried =
      ask("PATCH", "/v1/tenants/lab?dry_run=1", R"({"cards":2,"weight":0.5})");
  EXPECT_EQ(tried.status, 200);
  EXPECT_EQ(number(*first(tried.json()).find("quota"), "cards"), 2U);
  EXPECT_EQ(count(ask("GET", "/v1/tenants").json(), "tenants"), 0U);
  EXPECT_EQ(ask("PATCH", "/v1/tenants/lab", R"({"cards":2,"gpu_hours":"5/day"})").status, 200);
  const TestResponse changed = ask("PATCH", "/v1/tenants/lab", R"({"running":7})");
  EXPECT_EQ(number(*first(changed.json()).find("quota"), "cards"), 2U);
  EXPECT_EQ(number(*first(changed.json()).find("quota"), "running"), 7U);
  EXPECT_EQ(ask("PUT", "/v1/tenants/lab", R"({"queued":3})").status, 200);
  const JsonValue shown = ask("GET", "/v1/tenants/lab").json();
  EXPECT_TRUE(first(shown).find("quota")->find("cards")->null());
  EXPECT_EQ(number(*first(shown).find("quota"), "queued"), 3U);
  EXPECT_EQ(count(ask("GET", "/v1/tenants").json(), "tenants"), 1U);
  EXPECT_EQ(ask("DELETE", "/v1/tenants/lab").status, 200);
  EXPECT_EQ(ask("DELETE", "/v1/tenants/lab").code(), "not_found");
  EXPECT_EQ(count(ask("GET", "/v1/tenants").json(), "tenants"), 0U);
}

TEST_F(Routes, Gpus) {
  submit();
  const JsonValue value = ask("GET", "/v1/gpus").json();
  EXPECT_EQ(text(value, "source"), "simulated");
  ASSERT_EQ(count(value, "cards"), 2U);
  EXPECT_EQ(count(value.find("cards")->as<JsonArray>()->at(0), "jobs"), 1U);
  EXPECT_EQ(number(*value.find("host"), "cpus"), 8U);
}

TEST_F(Routes, AdministratorsGetBackupAndConfiguration) {
  const TestResponse backup = ask("GET", "/v1/backup");
  EXPECT_TRUE(backup.complete);
  EXPECT_EQ(backup.body, std::string(1'000'000, 'b'));
  EXPECT_EQ(ask("GET", "/v1/config").body, "limits: {}\n");
  const std::string settings = R"({"schema":1,"file":"gpusched.yaml","settings":[{"name":)"
                               R"("scheduling.sharing","value":"on","default":"on","from":"file",)"
                               R"("line":12,"at_restart":true,"waits":"off",)"
                               R"("about":"Whether jobs share."}]})";
  EXPECT_EQ(ask("GET", "/v1/settings").body, settings);
  EXPECT_EQ(ask("PUT", "/v1/log-level", R"({"level":"debug"})").status, 200);
  EXPECT_EQ(ask("PUT", "/v1/log-level", R"({"level":"loud"})").message(),
            "level must be one of error, warning, info, debug");
}

TEST_F(Routes, ReadsWaitForTheCommitUnderWay) {
  submit();
  daemon.hold_commits(true);
  TestClient submitter(daemon.socket());
  const std::string body = a_job();
  submitter.send(fmt::format("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}",
                             body.size(), body));
  ASSERT_TRUE(
      wait_until([&] { return daemon.on_loop([&] { return daemon.engine().committing(); }); }));
  TestClient reader(daemon.socket());
  reader.send("GET /v1/jobs HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(ask("GET", "/v1/version").status, 200) << "what shows no jobs is answered";
  EXPECT_TRUE(reader.hears_nothing());
  daemon.hold_commits(false);
  EXPECT_EQ(count(reader.read().json(), "jobs"), 2U);
  EXPECT_EQ(submitter.read().status, 200);
}

TEST_F(Routes, AFailedCommitIsToldAndNothingStays) {
  daemon.fail_commits(Error{ErrorCode::kStorageFull, "the disk is full"});
  const TestResponse response = ask("POST", "/v1/jobs", a_job());
  EXPECT_EQ(response.status, 507);
  EXPECT_EQ(response.code(), "storage_full");
  EXPECT_EQ(count(ask("GET", "/v1/jobs").json(), "jobs"), 0U);
  daemon.fail_commits(std::nullopt);
}

TEST(RouteTable, HasNoDuplicates) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Route& route : all_routes()) {
    EXPECT_TRUE(seen.emplace(route.method, route.pattern).second) << route.pattern;
  }
  EXPECT_EQ(seen.size(), all_routes().size());
}

}  // namespace
}  // namespace gpusched::testing
