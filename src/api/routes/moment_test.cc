// What is told of one moment of the past: who ran, who waited and why.
#include "api/routes/test_routes.h"
#include "base/text.h"
#include "os/clock.h"

namespace gpusched::testing {
namespace {

class MomentRoute : public Routes {
 protected:
  static std::string now() { return format_time(read_clock().wall); }
  JsonValue moment(const std::string& at, const std::string& more = {}) {
    const TestResponse response = ask("GET", "/v1/moment?at=" + at + more);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.json();
  }
  // A clock that shows milliseconds has to move on between two things that are told apart.
  static std::string later() {
    const std::string before = now();
    while (now() == before) {
    }
    return now();
  }
  static const JsonValue& row(const JsonValue& answer, const char* list, std::size_t at) {
    return answer.find(list)->as<JsonArray>()->at(at);
  }
};

TEST_F(MomentRoute, TellsWhoRanWhoWaitedAndWhyInTheWordsOfExplain) {
  const std::string before = later();
  later();
  const std::uint64_t first = submit(R"("gpus":2,"name":"first")");
  daemon.start_job(first);
  const std::uint64_t second = submit(R"("gpus":2,"name":"second")");
  const std::uint64_t third = submit(R"("gpus":1,"name":"third","priority":90)");
  EXPECT_EQ(state_of(first), "running");
  const std::string then = later();
  const TestResponse explained = ask("GET", fmt::format("/v1/jobs/{}/explain", second));
  daemon.end_job(first);
  while (state_of(third) != "starting") {
  }
  daemon.start_job(third);
  later();
  const JsonValue answer = moment(then, fmt::format("&job={}", second));
  ASSERT_EQ(count(answer, "running"), 1U);
  EXPECT_EQ(number(row(answer, "running", 0), "id"), first);
  EXPECT_EQ(text(row(answer, "running", 0), "name"), "first");
  EXPECT_EQ(count(row(answer, "running", 0), "cards"), 2U);
  ASSERT_EQ(count(answer, "waiting"), 2U);
  EXPECT_EQ(number(row(answer, "waiting", 0), "id"), third) << "it was more important";
  EXPECT_EQ(number(row(answer, "waiting", 1), "id"), second);
  ASSERT_EQ(count(answer, "cards"), 2U);
  EXPECT_EQ(count(row(answer, "cards", 0), "jobs"), 1U);
  EXPECT_EQ(text(row(answer, "cards", 0), "busy_percent"), "(none)") << "nobody measured";
  const JsonValue& why = *answer.find("why");
  EXPECT_EQ(text(why, "state"), "queued");
  ASSERT_GE(count(why, "reasons"), 1U);
  const JsonValue live = explained.json();
  EXPECT_EQ(text(row(why, "reasons", 0), "code"), text(row(live, "reasons", 0), "code"));
  EXPECT_NE(text(answer, "limits_of_this_answer").find("those known now"), std::string::npos);
  EXPECT_EQ(text(*moment(before, fmt::format("&job={}", second)).find("why"), "state"),
            "not_yet_submitted");
  EXPECT_EQ(text(*moment(later(), fmt::format("&job={}", first)).find("why"), "state"), "ended");
  EXPECT_EQ(text(*moment(now(), fmt::format("&job={}", third)).find("why"), "state"), "running");
}

TEST_F(MomentRoute, AJobThatWasHeldWasHeld) {
  const std::uint64_t id = submit(R"("hold":true)");
  const std::string then = later();
  EXPECT_EQ(ask("POST", fmt::format("/v1/jobs/{}/release", id)).status, 200);
  const std::string after = later();
  EXPECT_EQ(text(*moment(then, fmt::format("&job={}", id)).find("why"), "state"), "held");
  EXPECT_NE(text(*moment(after, fmt::format("&job={}", id)).find("why"), "state"), "held");
}

TEST_F(MomentRoute, RefusesWhatMakesNoSense) {
  for (const char* query :
       {"", "?at=soon", "?at=%2B1h", "?at=1m&job=x", "?at=9999d", "?job=1", "?at=1m&x=1"}) {
    const TestResponse response = ask("GET", std::string("/v1/moment") + query);
    EXPECT_EQ(response.code(), "invalid") << query << response.body;
  }
  EXPECT_EQ(ask("GET", "/v1/moment?at=0s&job=9").message(), "there is no job 9");
}

}  // namespace
}  // namespace gpusched::testing
