// What routes refuse: what is malformed, what is not there, what is another user's.
#include <unistd.h>

#include "api/routes/test_routes.h"

namespace gpusched::testing {
namespace {

TEST_F(Routes, SpeakOneApi) {
  EXPECT_EQ(ask("GET", "/v1/version", "", "Gpusched-Api: 1\r\n").status, 200);
  const TestResponse response = ask("GET", "/v1/version", "", "Gpusched-Api: 2\r\n");
  EXPECT_EQ(response.status, 501);
  EXPECT_EQ(response.code(), "unsupported");
}

TEST_F(Routes, UnknownOnesAreNotFound) {
  for (const char* path : {"/index", "/v1", "/v2/jobs", "/v1/jobs/1/log/x", "/v1/none", "//v1"}) {
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
      {"GET", "/v1/report?by=", "", "invalid"},
      {"GET", "/v1/report?format=pdf", "", "invalid"},
      {"GET", "/v1/report?since=1d&until=2d", "", "invalid"},
      {"GET", "/v1/report?until=never", "", "invalid"},
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
  EXPECT_EQ(as(kOwner, "PUT", "/v1/groups/other%2Fg", R"({"limit":1})").code(), "forbidden");
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

}  // namespace
}  // namespace gpusched::testing
