// What is told of the past and of the time ahead, to whom, and how it may be asked.
#include "api/routes/test_routes.h"
#include "base/text.h"

namespace gpusched::testing {
namespace {

class TimelineRoute : public Routes {
 protected:
  JsonValue timeline(const std::string& query = {}) {
    const TestResponse response = ask("GET", "/v1/timeline" + query);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.json();
  }
  static const JsonValue& row(const JsonValue& answer, const char* list, std::size_t at) {
    return answer.find(list)->as<JsonArray>()->at(at);
  }
  static bool is_null(const JsonValue& row, const char* name) {
    const JsonValue* field = row.find(name);
    return field != nullptr && field->null();
  }
  void run_and_end(std::uint64_t id, int exit_code = 0) {
    daemon.start_job(id);
    daemon.end_job(id, exit_code);
    while (state_of(id) == "running" || state_of(id) == "starting") {
    }
  }
};

TEST_F(TimelineRoute, AJobThatRunsIsASpanWithoutAnEnd) {
  const std::uint64_t id = submit(R"("name":"train","gpus":1,"vram_bytes":4294967296)");
  daemon.start_job(id);
  const JsonValue answer = timeline();
  ASSERT_EQ(count(answer, "spans"), 1U);
  const JsonValue& span = row(answer, "spans", 0);
  EXPECT_EQ(number(span, "job"), id);
  EXPECT_EQ(number(span, "card"), 0U);
  EXPECT_EQ(number(span, "attempt"), 1U);
  EXPECT_EQ(text(span, "kind"), "run");
  EXPECT_EQ(text(span, "state"), "running");
  EXPECT_EQ(text(span, "name"), "train");
  EXPECT_EQ(text(span, "user"), "ml1");
  EXPECT_TRUE(is_null(span, "until"));
  EXPECT_TRUE(is_null(span, "cause"));
  EXPECT_EQ(number(span, "vram_bytes"), 4ULL << 30);
  EXPECT_EQ(number(answer, "left_out"), 0U);
  EXPECT_NE(text(answer, "known_since"), "(none)");
  ASSERT_EQ(count(answer, "ends"), 1U);
  EXPECT_EQ(number(row(answer, "ends", 0), "job"), id);
  EXPECT_TRUE(is_null(row(answer, "ends", 0), "expected_end")) << "nobody knows";
}

TEST_F(TimelineRoute, WhatIsOverStaysAndSaysHowItEnded) {
  const std::uint64_t good = submit(R"("gpus":2)");
  run_and_end(good);
  const std::uint64_t bad = submit(R"("gpus":1)");
  run_and_end(bad, 3);
  const JsonValue answer = timeline();
  ASSERT_EQ(count(answer, "spans"), 3U) << "a job on two cards is two spans";
  EXPECT_EQ(text(row(answer, "spans", 1), "state"), "completed");
  EXPECT_EQ(number(row(answer, "spans", 1), "card"), 1U);
  EXPECT_EQ(number(row(answer, "spans", 2), "job"), bad);
  EXPECT_EQ(text(row(answer, "spans", 2), "state"), "failed");
  EXPECT_EQ(text(row(answer, "spans", 2), "cause"), "exit");
  EXPECT_FALSE(is_null(row(answer, "spans", 2), "until"));
  EXPECT_EQ(count(timeline("?card=1"), "spans"), 1U);
  EXPECT_EQ(count(timeline("?from=%2B1h&until=%2B2h"), "spans"), 0U) << "none of them goes on";
}

TEST_F(TimelineRoute, WhoWaitsIsPlanned) {
  const std::uint64_t first = submit(R"("gpus":2,"time_limit_s":600)");
  daemon.start_job(first);
  const std::uint64_t second = submit(R"("gpus":1,"time_limit_s":60,"name":"next")");
  const JsonValue answer = timeline();
  ASSERT_EQ(count(answer, "planned"), 1U);
  const JsonValue& planned = row(answer, "planned", 0);
  EXPECT_EQ(number(planned, "job"), second);
  EXPECT_EQ(text(planned, "kind"), "start");
  EXPECT_EQ(text(planned, "name"), "next");
  const auto from = parse_rfc3339(text(planned, "from"));
  const auto until = parse_rfc3339(text(planned, "until"));
  ASSERT_TRUE(from && until);
  EXPECT_GE(*until - *from, Seconds{60}) << "its limit, and the time that its end may take";
  EXPECT_EQ(text(row(answer, "ends", 0), "latest_end"), text(planned, "from"));
  EXPECT_EQ(count(timeline("?until=+5m"), "planned"), 0U) << "it starts later than that";
  EXPECT_EQ(count(timeline("?until=%2B12m"), "planned"), 1U);
}

TEST_F(TimelineRoute, DrainsAndReservationsAreInIt) {
  EXPECT_EQ(ask("POST", "/v1/gpus/1/drain", R"({"reason":"a new fan"})").status, 200);
  EXPECT_EQ(ask("POST", "/v1/reservations", R"({"cards":[0],"for_s":3600,"name":"demo"})").status,
            200);
  JsonValue answer = timeline();
  ASSERT_EQ(count(answer, "drains"), 1U);
  EXPECT_EQ(number(row(answer, "drains", 0), "card"), 1U);
  EXPECT_EQ(text(row(answer, "drains", 0), "reason"), "a new fan");
  EXPECT_TRUE(is_null(row(answer, "drains", 0), "until"));
  ASSERT_EQ(count(answer, "reservations"), 1U);
  EXPECT_EQ(text(row(answer, "reservations", 0), "name"), "demo");
  EXPECT_EQ(count(timeline("?card=1"), "reservations"), 0U);
  EXPECT_EQ(ask("POST", "/v1/gpus/1/undrain").status, 200);
  answer = timeline();
  ASSERT_EQ(count(answer, "drains"), 1U);
  EXPECT_FALSE(is_null(row(answer, "drains", 0), "until"));
}

TEST_F(TimelineRoute, RefusesWhatMakesNoSense) {
  for (const char* query :
       {"?from=soon", "?until=+", "?from=1h&until=2h", "?card=-1", "?card=70000", "?from=9999d",
        "?until=+400d", "?until=2001-01-01T00:00:00Z", "?x=1", "?since=1h"}) {
    const TestResponse response = ask("GET", std::string("/v1/timeline") + query);
    EXPECT_EQ(response.code(), "invalid") << query << response.body;
    EXPECT_FALSE(response.message().empty()) << query;
  }
  EXPECT_EQ(ask("GET", "/v1/timeline?card=2").message(), "there is no card 2");
  EXPECT_EQ(ask("POST", "/v1/timeline").status, 405);
}

}  // namespace
}  // namespace gpusched::testing
