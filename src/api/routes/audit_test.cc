// Every change leaves an entry, with who asked and how it ended; nobody sees another's.
#include <unistd.h>

#include "api/routes/test_routes.h"
#include "os/clock.h"

namespace gpusched::testing {
namespace {

class AuditRoute : public Routes {
 protected:
  JsonValue audit(const std::string& query = {}) {
    const TestResponse response = ask("GET", "/v1/audit" + query);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.json();
  }
  // "cancel_jobs 1: done job 1", the newest first.
  std::vector<std::string> lines(const std::string& query = {}) {
    std::vector<std::string> found;
    const JsonValue answer = audit(query);
    for (const JsonValue& one : *answer.find("entries")->as<JsonArray>()) {
      std::string line = text(one, "operation");
      if (text(one, "target") != "(none)") line += " " + text(one, "target");
      line += ": " + text(one, "result");
      for (const char* name : {"summary", "code"}) {
        if (text(one, name) != "(none)") line += " " + text(one, name);
      }
      found.push_back(line);
    }
    return found;
  }
  // Refusals are written with the next commit.
  std::vector<std::string> refusals() {
    std::vector<std::string> found;
    EXPECT_TRUE(wait_until([&] {
      found = lines("?result=refused");
      return !found.empty();
    }));
    return found;
  }
  using Lines = std::vector<std::string>;
};

TEST_F(AuditRoute, TellsOfEveryChange) {
  const std::uint64_t id = submit(R"("hold":true)");
  ask("POST", "/v1/jobs/1/release?user=ml1", "", "Idempotency-Key: once\r\n");
  ask("PUT", "/v1/groups/night", R"({"limit":4})");
  ask("POST", "/v1/gpus/0/drain", R"({"reason":"loud"})");
  ask("POST", "/v1/reservations", R"({"cards":[1],"for_s":60})");
  ask("PUT", "/v1/log-level", R"({"level":"debug"})");
  ask("POST", "/v1/leases", R"({"vram_bytes":1073741824})");
  EXPECT_EQ(id, 1U);
  EXPECT_EQ(lines(),
            (Lines{"set_log_level: done level debug", "make_reservation: done reservation 1",
                   "drain_gpu 0: done", "set_group night: done",
                   "release_jobs 1?user=ml1: done job 1", "submit_jobs: done job 1"}));
  EXPECT_EQ(lines("?leases=1").front(), "ask_lease: done lease 2");
  const JsonValue released = audit("?operation=release");
  const JsonValue& entry = released.find("entries")->as<JsonArray>()->at(0);
  EXPECT_EQ(text(entry, "user"), "ml1");
  EXPECT_EQ(number(entry, "uid"), ::getuid());
  EXPECT_EQ(text(entry, "proof"), "socket");
  EXPECT_EQ(text(entry, "from"), "this machine");
  EXPECT_EQ(text(entry, "key"), "once");
  EXPECT_EQ(number(entry, "pid"), static_cast<std::uint64_t>(::getpid()));
}

TEST_F(AuditRoute, HasNeitherReadsNorDryRunsNorRepeats) {
  ask("POST", "/v1/jobs?dry_run=1", a_job());
  ask("GET", "/v1/jobs");
  ask("POST", "/v1/reservations", R"({"cards":[1],"for_s":60})", "Idempotency-Key: k\r\n");
  ask("POST", "/v1/reservations", R"({"cards":[1],"for_s":60})", "Idempotency-Key: k\r\n");
  ask("POST", "/v1/jobs", a_job(R"("key":"k")"));
  ask("POST", "/v1/jobs", a_job(R"("key":"k")"));
  EXPECT_EQ(lines(), (Lines{"submit_jobs: done job 1", "make_reservation: done reservation 1"}));
}

TEST_F(AuditRoute, TellsOfWhatWasRefused) {
  EXPECT_EQ(ask("POST", "/v1/jobs/7/cancel").status, 404);
  submit();
  EXPECT_EQ(refusals(), Lines{"cancel_jobs 7: refused not_found"});
}

TEST_F(AuditRoute, CountsWrongTokensInsteadOfListingThem) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ask("GET", "/v1/jobs", "", "Authorization: Bearer gpst_nobody\r\n").status, 401);
  }
  submit();
  EXPECT_EQ(refusals(), Lines{"authenticate: refused unauthenticated"});
}

TEST_F(AuditRoute, AFloodOfRefusalsLeavesAFewEntries) {
  for (int i = 0; i < 60; ++i) ask("POST", fmt::format("/v1/jobs/{}/cancel", 100 + i));
  submit();
  EXPECT_EQ(refusals().size(), 20U);
  EXPECT_EQ(lines("?result=done"), Lines{"submit_jobs: done job 1"});
}

TEST_F(AuditRoute, ComesInPagesAndByFilters) {
  for (int i = 0; i < 5; ++i) submit(R"("hold":true)");
  ask("POST", "/v1/jobs/2/cancel");
  const JsonValue first = audit("?limit=2");
  EXPECT_EQ(count(first, "entries"), 2U);
  const std::string cursor = text(first, "next");
  EXPECT_EQ(lines("?limit=2&cursor=" + cursor),
            (Lines{"submit_jobs: done job 4", "submit_jobs: done job 3"}));
  EXPECT_EQ(lines("?operation=cancel"), Lines{"cancel_jobs 2: done job 2"});
  EXPECT_EQ(lines("?user=ml1").size(), 6U);
  EXPECT_TRUE(lines("?user=user7").empty());
  EXPECT_EQ(lines(fmt::format("?user={}&since=1h", ::getuid())).size(), 6U);
  EXPECT_TRUE(lines("?until=1h").empty());
  for (const char* bad :
       {"?limit=0", "?result=good", "?since=x", "?until=x", "?cursor=00", "?leases=2"}) {
    EXPECT_EQ(ask("GET", std::string("/v1/audit") + bad).status, 400) << bad;
  }
}

TEST(AuditOfOthers, IsForAdministratorsOnly) {
  TestDaemon daemon(TestDaemon::Options{});
  AuditEntry entry;
  entry.operation = "drain_gpu";
  entry.result = "done";
  entry.uid = ::getuid() + 1;
  entry.user = "other";
  entry.at = read_clock().wall;
  daemon.on_loop([&] { daemon.engine().note(entry); });
  ask(daemon.socket(), "POST", "/v1/jobs", a_job());
  const TestResponse made = ask(daemon.socket(), "POST", "/v1/tokens", R"({"role":"operator"})");
  const std::string token = "Authorization: Bearer " + text(made.json(), "secret") + "\r\n";
  const std::string all = ask(daemon.socket(), "GET", "/v1/audit").body;
  const std::string own = ask(daemon.socket(), "GET", "/v1/audit", "", token).body;
  EXPECT_NE(own.find("submit_jobs"), std::string::npos) << own;
  EXPECT_EQ(own.find("drain_gpu"), std::string::npos) << own;
  EXPECT_NE(all.find("drain_gpu"), std::string::npos) << all;
  EXPECT_EQ(all.find(text(made.json(), "secret")), std::string::npos);
}

}  // namespace
}  // namespace gpusched::testing
