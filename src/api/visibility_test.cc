// Whose jobs are hidden is asked of every route: no answer names them.
#include <thread>

#include "api/routes/routes.h"
#include "api/routes/test_routes.h"
#include "api/token_secret.h"
#include "api/veil.h"
#include "base/text.h"

namespace gpusched {
namespace {

using testing::TestClient;
using testing::TestResponse;

// One user's job, looked at by another: ml1's by user4242.
class Hidden : public ::testing::TestWithParam<Visibility> {
 protected:
  static testing::TestDaemon::Options options() {
    testing::TestDaemon::Options options;
    options.limits.visibility = GetParam();
    // Where others are few, a number would be found by chance.
    return options;
  }
  void SetUp() override {
    other_ = token_of_other();
    daemon_.add_jobs(kBefore);
    // So that the number of the hidden job is not that of others' jobs.
    as_other("POST", "/v1/jobs", testing::a_job(R"("name":"own-job")"));
    const std::string more = R"("name":"hidden-job","group":"hidden-group","tags":["hidden-tag"])";
    const TestResponse made = ask("POST", "/v1/jobs", testing::a_job(more));
    ASSERT_EQ(made.status, 200) << made.body;
    job_ = testing::number(made.json(), "first");
    ask("PUT", "/v1/groups/ml1%2Fhidden-group", R"({"limit":3})");
    ask("POST", "/v1/reservations",
        R"({"user":"","name":"hidden-plan","count":1,"for_s":3600,"cards":[]})");
    for (int i = 0; i < 3; ++i) {
      const TestResponse own = as_other("POST", "/v1/jobs", testing::a_job(R"("name":"own-job")"));
      ASSERT_EQ(own.status, 200) << own.body;
      own_ = testing::number(own.json(), "first");
    }
  }
  TestResponse ask(const std::string& method, const std::string& target,
                   const std::string& body = {}) {
    return testing::ask(daemon_.socket(), method, target, body);
  }
  TestResponse as_other(const std::string& method, const std::string& target,
                        const std::string& body = {}) {
    return testing::ask(daemon_.socket(), method, target, body,
                        "Authorization: Bearer " + other_ + "\r\n");
  }
  std::string token_of_other() {
    const FreshToken fresh = *draw_token();
    daemon_.on_loop([&] {
      daemon_.engine().post(TokenMakeAsked{ourselves(),
                                           {.id = fresh.id,
                                            .hash = fresh.hash,
                                            .uid = 4242,
                                            .user = "user4242",
                                            .role = Role::kUser}});
    });
    const auto is_there = [&] { return daemon_.engine().state().tokens().contains(fresh.id); };
    while (!daemon_.on_loop(is_there)) std::this_thread::yield();
    return fresh.text;
  }
  // What an answer must not have in it.
  void expect_nothing_of_others(const std::string& text, const std::string& where) {
    for (const std::string& secret : {std::string("ml1"), std::string("hidden"),
                                      std::string("\"sweep\""), std::to_string(job_)}) {
      EXPECT_EQ(text.find(secret), std::string::npos) << where << " tells " << secret << ":\n"
                                                      << text;
    }
  }
  // Figures may be any number; what they are of names nobody.
  static std::string without_values(const std::string& text) {
    std::string names;
    for (const std::string_view line : split_nonempty(text, '\n')) {
      names += std::string(line.substr(0, line.rfind(' '))) + "\n";
    }
    return names;
  }
  std::string filled_in(std::string_view pattern) const {
    std::string out(pattern);
    for (const auto& [mark, value] :
         {std::pair<std::string, std::string>{"{selector}", std::to_string(job_)},
          {"{id}", std::to_string(job_)},
          {"{number}", "0"},
          {"{name}", "ml1"}}) {
      if (const auto at = out.find(mark); at != std::string::npos)
        out.replace(at, mark.size(), value);
    }
    return out;
  }

  static constexpr std::size_t kBefore = 7100;
  testing::TestDaemon daemon_{options()};
  std::string other_;
  std::uint64_t job_ = 0, own_ = 0;
};

TEST_P(Hidden, NoRouteNamesThem) {
  std::size_t asked = 0;
  for (const Route& route : all_routes()) {
    if (route.method != "GET" || route.run == stream_events || route.run == follow_leases) continue;
    if (route.needs == Action::kOperate || route.run == get_openapi) continue;
    const std::string target = filled_in(route.pattern);
    TestResponse answer = as_other("GET", target);
    // The asker's own word may come back: that there is no job of that number.
    std::string body = route.run == get_metrics ? without_values(answer.body) : answer.body;
    if (target != route.pattern) {
      EXPECT_EQ(answer.status, target.find("gpus") == std::string::npos ? 404 : answer.status)
          << target;
      for (const std::string& said : {std::to_string(job_), std::string("ml1")}) {
        for (auto at = body.find(said); at != std::string::npos; at = body.find(said)) {
          body.erase(at, said.size());
        }
      }
    }
    expect_nothing_of_others(body, target);
    ++asked;
  }
  EXPECT_GT(asked, 20U);
  for (const char* target :
       {"/v1/jobs?user=ml1", "/v1/jobs?sweeps=1", "/v1/jobs?limit=50&sort=-id", "/v1/jobs/all",
        "/v1/overview?waiting=1000", "/v1/report?by=card", "/v1/report?by=name",
        "/v1/report?by=program&format=text", "/v1/report?by=tenant&format=csv",
        "/v1/report?by=user&since=1h", "/v1/jobs?name=hidden-job", "/v1/jobs?tag=hidden-tag",
        "/v1/overview?sweeps=1", "/v1/timeline?from=1h", "/v1/moment?at=0s"}) {
    expect_nothing_of_others(as_other("GET", target).body, target);
  }
  for (const char* of : {"", "/explain", "/events"}) {
    const std::string target = fmt::format("/v1/jobs/{}{}", own_, of);
    const TestResponse answer = as_other("GET", target);
    EXPECT_EQ(answer.status, 200) << target;
    expect_nothing_of_others(answer.body, target);
  }
}

TEST_P(Hidden, AlarmsNameNobodyElse) {
  const std::string number = std::to_string(job_);
  AlarmsSeen seen;
  Alarm hot{.key = {"temperature", "card 0"}, .what = "card 0 is at 91 °C"};
  hot.whom = "job " + number + " of ml1";
  hot.job = JobId{job_};
  Alarm failed{.key = {"job_failed", "user ml1"}, .what = "3 jobs of ml1 failed"};
  failed.user = failed.tenant = "ml1";
  Alarm over{.key = {"over_quota", "tenant ml1"}, .what = "tenant ml1 holds 2 cards"};
  over.tenant = "ml1";
  Alarm own = failed;
  own.key.subject = "user user4242";
  own.user = own.tenant = "user4242";
  own.what = "an own failure";
  seen.changes.put = {hot, failed, over, own};
  daemon_.on_loop([&] { daemon_.engine().post(seen); });
  const auto are_there = [&] { return daemon_.engine().state().alarms().size() == 4; };
  while (!daemon_.on_loop(are_there)) std::this_thread::yield();
  const std::string text = as_other("GET", "/v1/alarms").body;
  expect_nothing_of_others(text, "alarms");
  EXPECT_NE(text.find("card 0 is at 91"), std::string::npos) << text;
  EXPECT_NE(text.find("an own failure"), std::string::npos) << text;
  EXPECT_EQ(text.find("holds 2 cards"), std::string::npos) << text;
  EXPECT_NE(ask("GET", "/v1/alarms").body.find("3 jobs of ml1"), std::string::npos);
}

TEST_P(Hidden, OneThatIsNotSeenIsAsOneThatIsNotThere) {
  const std::uint64_t absent = own_ + 1000;
  const auto same = [&](const std::string& method, const std::string& target,
                        const std::string& body = {}) {
    const auto with = [&](std::uint64_t id) {
      std::string address = target, text = body;
      for (std::string* one : {&address, &text}) {
        if (const auto at = one->find("ID"); at != std::string::npos) {
          one->replace(at, 2, std::to_string(id));
        }
      }
      TestResponse answer = as_other(method, address, text);
      for (auto at = answer.body.find(std::to_string(id)); at != std::string::npos;
           at = answer.body.find(std::to_string(id))) {
        answer.body.replace(at, std::to_string(id).size(), "ID");
      }
      return answer;
    };
    const TestResponse hidden = with(job_), none = with(absent);
    EXPECT_EQ(hidden.status, 404) << method << " " << target << hidden.body;
    EXPECT_EQ(hidden.status, none.status) << method << " " << target;
    EXPECT_EQ(hidden.body, none.body) << method << " " << target;
  };
  for (const Route& route : all_routes()) {
    const std::string_view pattern = route.pattern;
    const bool of_job = pattern.starts_with("/v1/jobs/{") || pattern.starts_with("/v1/sweeps/{") ||
                        pattern.starts_with("/v1/leases/{");
    if (!of_job) continue;
    std::string target(pattern);
    const auto from = target.find('{');
    target.replace(from, target.find('}') - from + 1, "ID");
    const char* body = route.run == set_jobs      ? R"({"priority":1})"
                       : route.run == renew_lease ? R"({"ttl_s":5})"
                                                  : "";
    same(std::string(route.method), target, body);
  }
  same("POST", "/v1/jobs", testing::a_job(R"("after":[{"job":ID}])"));
  same("POST", "/v1/preview", testing::a_job(R"("after":[{"job":ID}])"));
  same("PATCH", fmt::format("/v1/jobs/{}", own_), R"({"before":ID})");
  same("GET", "/v1/jobs?ids=ID");
  same("GET", "/v1/events?topics=logs:ID");
}

TEST_P(Hidden, CountsAreToldOnlyWhereTheyMayBe) {
  const std::string overview = as_other("GET", "/v1/overview").body;
  const bool counts = GetParam() == Visibility::kCounts;
  EXPECT_EQ(overview.find("\"others\":{\"jobs\":") != std::string::npos, counts) << overview;
  const TestResponse all = as_other("GET", "/v1/overview");
  const JsonValue answer = all.json();
  const std::uint64_t waiting = testing::number(*answer.find("counts"), "queued");
  EXPECT_EQ(waiting > 1000, counts) << waiting;
}

TEST_P(Hidden, FiguresTellCountsOnlyWhereTheyMayBe) {
  const std::string told = as_other("GET", "/metrics").body;
  const bool counts = GetParam() == Visibility::kCounts;
  EXPECT_NE(told.find("gpusched_card_info{"), std::string::npos) << told;
  EXPECT_EQ(told.find("tenant"), std::string::npos) << told;
  EXPECT_EQ(told.find("gpusched_jobs{") != std::string::npos, counts) << told;
  EXPECT_EQ(told.find("gpusched_api_requests_total{") != std::string::npos, counts) << told;
  // Whoever sees all has the names, too.
  EXPECT_NE(ask("GET", "/metrics").body.find("tenant=\"ml1\""), std::string::npos);
}

TEST_P(Hidden, AStreamTellsOfOnesOwnAlone) {
  TestClient client(daemon_.socket());
  client.send(
      "GET /v1/events?after=0&topics=jobs,cards,alarms HTTP/1.1\r\nHost: "
      "gpusched\r\nAuthorization: Bearer " +
      other_ + "\r\n\r\n");
  client.read_until(
      [](const std::string& read) { return read.find("own-job") != std::string::npos; });
  ask("PATCH", fmt::format("/v1/jobs/{}", job_), R"({"priority":3})");
  const std::string last = fmt::format("\"id\":{}", own_ + 1);
  const TestResponse own = as_other("POST", "/v1/jobs", testing::a_job(R"("name":"own-job")"));
  ASSERT_EQ(own.status, 200);
  const std::string read = client.read_until(
      [&last](const std::string& said) { return said.find(last) != std::string::npos; });
  // Sequences are numbers, too.
  std::string told;
  for (std::size_t at = 0; at < read.size();) {
    const std::size_t end = std::min(read.find('\n', at), read.size());
    if (!read.substr(at, end - at).starts_with("id: ")) told += read.substr(at, end - at) + "\n";
    at = end + 1;
  }
  expect_nothing_of_others(told, "the stream");
}

TEST_P(Hidden, WhoKeepsTheMachineGoingSeesAll) {
  EXPECT_NE(ask("GET", "/v1/overview").body.find("ml1"), std::string::npos);
  EXPECT_EQ(ask("GET", fmt::format("/v1/jobs/{}", own_)).status, 200);
}

INSTANTIATE_TEST_SUITE_P(Visibility, Hidden,
                         ::testing::Values(Visibility::kCounts, Visibility::kOwn),
                         [](const auto& one) {
                           return one.param == Visibility::kCounts ? "Counts" : "Own";
                         });

}  // namespace
}  // namespace gpusched
