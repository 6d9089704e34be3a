// Every route of docs/api.md, over a real socket.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "api/routes.h"
#include "api/test_client.h"
#include "api/test_daemon.h"

namespace gpusched::testing {
namespace {

std::string a_job(const std::string& more = {}) {
  return R"({"command":["true"],"working_directory":"/tmp")" +
         std::string(more.empty() ? "" : ",") + more + "}";
}

std::uint64_t number(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* found = field == nullptr ? nullptr : field->as<std::uint64_t>();
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? 0 : *found;
}
std::string text(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* found = field == nullptr ? nullptr : field->as<std::string>();
  return found == nullptr ? "(none)" : *found;
}
std::size_t count(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* found = field == nullptr ? nullptr : field->as<JsonArray>();
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? 0 : found->size();
}

class Routes : public ::testing::Test {
 protected:
  TestResponse ask(const std::string& method, const std::string& target,
                   const std::string& body = {}, const std::string& headers = {}) {
    return testing::ask(daemon.socket(), method, target, body, headers);
  }
  std::uint64_t submit(const std::string& more = {}) {
    const TestResponse response = ask("POST", "/v1/jobs", a_job(more));
    EXPECT_EQ(response.status, 200) << response.body;
    return number(response.json(), "first");
  }
  std::string state_of(std::uint64_t id) {
    const TestResponse response = ask("GET", fmt::format("/v1/jobs/{}", id));
    const JsonValue value = response.json();
    const auto* jobs = value.find("jobs")->as<JsonArray>();
    return text(jobs->at(0), "state");
  }

  TestDaemon daemon;
};

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
  EXPECT_EQ(reader.read_until([](const std::string& in) { return !in.empty(); },
                              std::chrono::milliseconds(50)),
            "");
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

// --- Refusals -----------------------------------------------------------------------------------

TEST_F(Routes, SpeakOneApi) {
  EXPECT_EQ(ask("GET", "/v1/version", "", "Gpusched-Api: 1\r\n").status, 200);
  const TestResponse response = ask("GET", "/v1/version", "", "Gpusched-Api: 2\r\n");
  EXPECT_EQ(response.status, 501);
  EXPECT_EQ(response.code(), "unsupported");
}

TEST_F(Routes, UnknownOnesAreNotFound) {
  for (const char* path : {"/", "/v1", "/v2/jobs", "/v1/jobs/1/log/x", "/v1/nothing", "//"}) {
    const TestResponse response = ask("GET", path);
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.code(), "not_found");
  }
}

TEST_F(Routes, AWrongMethodIsToldTheRightOnes) {
  const TestResponse response = ask("DELETE", "/v1/jobs");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.at("allow"), "GET, POST");
  EXPECT_EQ(response.code(), "invalid");
}

TEST_F(Routes, MalformedInputIsRefusedEverywhere) {
  submit();
  struct Case {
    const char* method;
    const char* target;
    const char* body;
    const char* code;
  };
  const Case table[] = {
      {"GET", "/v1/version?x=1", "", "invalid"},
      {"POST", "/v1/jobs", "", "invalid"},
      {"POST", "/v1/jobs", "[]", "invalid"},
      {"POST", "/v1/jobs", "{\"command\":[]", "invalid"},
      {"POST", "/v1/jobs", "\xff\xfe", "invalid"},
      {"POST", "/v1/jobs?dry_run=maybe", "{}", "invalid"},
      {"POST", "/v1/jobs?dryrun=1", "{}", "invalid"},
      {"GET", "/v1/jobs?state=asleep", "", "invalid"},
      {"GET", "/v1/jobs?limit=-1", "", "invalid"},
      {"GET", "/v1/jobs?limit=1&newest=1", "", "invalid"},
      {"GET", "/v1/jobs?ids=x", "", "invalid"},
      {"GET", "/v1/jobs?colour=red", "", "invalid"},
      {"GET", "/v1/jobs?state=%zz", "", "invalid"},
      {"GET", "/v1/overview?waiting=many", "", "invalid"},
      {"GET", "/v1/report?by=colour", "", "invalid"},
      {"GET", "/v1/report?since=yesterday", "", "invalid"},
      {"GET", "/v1/report?since=2099-01-01T00:00:00Z", "", "invalid"},
      {"GET", "/v1/overview?waiting=100000", "", "invalid"},
      {"GET", "/v1/jobs/x", "", "invalid"},
      {"GET", "/v1/jobs/7", "", "not_found"},
      {"GET", "/v1/jobs/1-0", "", "invalid"},
      {"GET", "/v1/jobs/%00", "", "invalid"},
      {"GET", "/v1/jobs/7/explain", "", "not_found"},
      {"GET", "/v1/jobs/1,1/explain?x=1", "", "invalid"},
      {"GET", "/v1/jobs/1/events?after=x", "", "invalid"},
      {"GET", "/v1/jobs/9/events", "", "not_found"},
      {"GET", "/v1/jobs/1/log?attempt=0", "", "invalid"},
      {"GET", "/v1/jobs/1/log?attempt=2", "", "not_found"},
      {"GET", "/v1/jobs/1/log?stream=both", "", "invalid"},
      {"GET", "/v1/jobs/1/log?stream=error", "", "not_found"},
      {"GET", "/v1/jobs/1/log?follow=2", "", "invalid"},
      {"GET", "/v1/jobs/1/log?offset=-1", "", "invalid"},
      {"GET", "/v1/jobs/9/log", "", "not_found"},
      {"GET", "/v1/jobs/1/wait?timeout_ms=soon", "", "invalid"},
      {"GET", "/v1/jobs/9/wait", "", "not_found"},
      {"POST", "/v1/jobs/1/cancel", "{\"grace_s\":-1}", "invalid"},
      {"POST", "/v1/jobs/1/cancel", "{\"force\":true}", "invalid"},
      {"POST", "/v1/jobs/1/cancel", "nonsense", "invalid"},
      {"POST", "/v1/jobs/x/cancel", "", "invalid"},
      {"POST", "/v1/jobs/9/cancel", "", "not_found"},
      {"POST", "/v1/jobs/1/hold", "{\"x\":1}", "invalid"},
      {"POST", "/v1/jobs/1/release", "[", "invalid"},
      {"POST", "/v1/jobs/9/requeue", "", "not_found"},
      {"PATCH", "/v1/jobs/1", "", "invalid"},
      {"PATCH", "/v1/jobs/1", "{}", "invalid"},
      {"PATCH", "/v1/jobs/1", "{\"priority\":101}", "invalid"},
      {"PATCH", "/v1/jobs/9", "{\"priority\":1}", "not_found"},
      {"GET", "/v1/events?after=x", "", "invalid"},
      {"GET", "/v1/events?jobs=9", "", "not_found"},
      {"GET", "/v1/events?jobs=x", "", "invalid"},
      {"PUT", "/v1/groups/g", "", "invalid"},
      {"PUT", "/v1/groups/g", "{\"limit\":-1}", "invalid"},
      {"PUT", "/v1/groups/g", "{}", "invalid"},
      {"PUT", "/v1/groups/a%0ab", "{\"limit\":1}", "invalid"},
      {"DELETE", "/v1/groups/none", "", "not_found"},
      {"PATCH", "/v1/tenants/t", "", "invalid"},
      {"PATCH", "/v1/tenants/t", "{}", "invalid"},
      {"PATCH", "/v1/tenants/t", "{\"cards\":-1}", "invalid"},
      {"PATCH", "/v1/tenants/t", "{\"gpu_hours\":7}", "invalid"},
      {"PUT", "/v1/tenants/a%0ab", "{\"cards\":1}", "invalid"},
      {"DELETE", "/v1/tenants/none", "", "not_found"},
      {"PUT", "/v1/log-level", "{}", "invalid"},
      {"PUT", "/v1/log-level", "", "invalid"},
  };
  for (const Case& bad : table) {
    const TestResponse response = ask(bad.method, bad.target, bad.body);
    EXPECT_GE(response.status, 400) << bad.method << " " << bad.target;
    EXPECT_EQ(response.code(), bad.code) << bad.method << " " << bad.target << response.body;
    EXPECT_FALSE(response.message().empty());
  }
  EXPECT_EQ(state_of(1), "starting");
}

constexpr std::uint32_t kOwner = 4001;
constexpr std::uint32_t kKim = 4002;

// Two ordinary users of a root daemon, as the kernel reports them.
class Users : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::getuid() != 0) GTEST_SKIP() << "needs root to be several users";
    const TestResponse submitted =
        ask_as(kOwner, daemon.socket(), "POST", "/v1/jobs", a_job(R"("environment":["SECRET=1"])"));
    ASSERT_EQ(submitted.status, 200) << submitted.body;
  }
  TestResponse as(std::uint32_t uid, const std::string& method, const std::string& target,
                  const std::string& body = {}) {
    return ask_as(uid, daemon.socket(), method, target, body);
  }
  TestDaemon daemon;
};

TEST_F(Users, SeeEachOthersRowsButNotTheirEnvironment) {
  const JsonValue list = as(kKim, "GET", "/v1/jobs").json();
  ASSERT_EQ(count(list, "jobs"), 1U);
  EXPECT_EQ(text(list.find("jobs")->as<JsonArray>()->at(0), "user"), "user4001");
  EXPECT_EQ(as(kKim, "GET", "/v1/jobs/1").body.find("SECRET"), std::string::npos);
  EXPECT_NE(as(kOwner, "GET", "/v1/jobs/1").body.find("SECRET"), std::string::npos);
  EXPECT_NE(as(0, "GET", "/v1/jobs/1").body.find("SECRET"), std::string::npos);
  EXPECT_EQ(as(kKim, "GET", "/v1/jobs/1/log").code(), "forbidden");
}

TEST_F(Users, CannotChangeEachOthersJobs) {
  for (const char* verb : {"cancel", "hold", "release", "requeue"}) {
    EXPECT_EQ(as(kKim, "POST", fmt::format("/v1/jobs/1/{}", verb)).code(), "forbidden") << verb;
  }
  EXPECT_EQ(as(kKim, "PATCH", "/v1/jobs/1", R"({"priority":1})").code(), "forbidden");
  EXPECT_EQ(count(as(kKim, "POST", "/v1/jobs/all/cancel").json(), "changed"), 0U);
  EXPECT_EQ(as(kKim, "GET", "/v1/jobs/last").code(), "not_found");
  EXPECT_EQ(count(as(kOwner, "POST", "/v1/jobs/last/cancel").json(), "changed"), 1U);
}

TEST_F(Users, OnlyAdministratorsAdminister) {
  for (const char* path : {"/v1/backup", "/v1/config"}) {
    EXPECT_EQ(as(kOwner, "GET", path).code(), "forbidden") << path;
  }
  EXPECT_EQ(as(kOwner, "PUT", "/v1/log-level", R"({"level":"debug"})").code(), "forbidden");
  EXPECT_EQ(as(kOwner, "PUT", "/v1/groups/g", R"({"limit":1})").code(), "forbidden");
}

TEST_F(Users, HaveTheirOwnKeys) {
  const std::string body = a_job(R"("key":"k")");
  EXPECT_EQ(number(as(kOwner, "POST", "/v1/jobs", body).json(), "first"), 2U);
  EXPECT_EQ(number(as(kKim, "POST", "/v1/jobs", body).json(), "first"), 3U);
}

TEST(Identity, AUsersDaemonAnswersThatUserAndRoot) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root to be several users";
  TestDaemon::Options options;
  options.daemon_uid = kOwner;
  TestDaemon daemon(options);
  EXPECT_EQ(ask_as(kOwner, daemon.socket(), "GET", "/v1/config").status, 200);
  EXPECT_EQ(ask_as(0, daemon.socket(), "GET", "/v1/config").status, 200);
  const TestResponse response = ask_as(kKim, daemon.socket(), "GET", "/v1/version");
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.message(),
            "this daemon belongs to user 4001 and answers only that user and root");
}

TEST(RouteTable, HasNoDuplicates) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Route& route : all_routes()) {
    EXPECT_TRUE(seen.emplace(route.method, route.pattern).second) << route.pattern;
  }
  EXPECT_EQ(seen.size(), 35U);
}

}  // namespace
}  // namespace gpusched::testing
