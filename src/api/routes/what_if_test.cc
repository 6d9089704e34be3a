// POST /v1/whatif: a daemon whose jobs the test ends as it likes.
#include <thread>

#include "api/routes/test_routes.h"
#include "api/token_secret.h"
#include "os/clock.h"

namespace gpusched::testing {
namespace {

// It runs for an hour, from so many hours after `begin` on.
void run_for_an_hour(TestDaemon& daemon, std::uint64_t id, Wall begin, int hours_later) {
  daemon.start_job(id);
  AttemptFinished ended;
  ended.attempt = {JobId{id}, 1};
  ended.exit_code = 0;
  ended.started_at = begin + Seconds{3600} * hours_later;
  ended.ended_at = *ended.started_at + Seconds{3600};
  daemon.report(ended);
}

class WhatIfRoute : public Routes {
 protected:
  void run(std::uint64_t id, int hours_later) {
    run_for_an_hour(daemon, id, begin_, hours_later);
    EXPECT_EQ(state_of(id), "completed");
  }
  // Three jobs of an hour on two cards.
  void have_a_past() {
    for (int i = 0; i < 3; ++i) submit(R"("name":"job )" + std::to_string(i) + "\"");
    run(1, 0);
    run(2, 0);
    run(3, 1);
  }
  TestResponse what_if(const std::string& body, const std::string& headers = {}) {
    return ask("POST", "/v1/whatif", body, headers);
  }
  static double figure(const TestResponse& response, std::string_view of, std::string_view name) {
    const JsonValue value = response.json();
    const JsonValue* field = value.find(of)->find(name);
    if (const auto* real = field->as<double>()) return *real;
    const auto* whole = field->as<std::uint64_t>();
    return whole == nullptr ? -1 : static_cast<double>(*whole);
  }
  const Wall begin_ = read_clock().wall;
};

TEST_F(WhatIfRoute, OneCardMoreWouldHaveSparedWaiting) {
  have_a_past();
  const TestResponse same = what_if("");
  ASSERT_EQ(same.status, 200) << same.body;
  EXPECT_EQ(number(same.json(), "jobs"), 3U);
  EXPECT_EQ(number(same.json(), "left_out"), 0U);
  EXPECT_NEAR(figure(same, "was", "average_wait_s"), 1200, 5);
  EXPECT_NEAR(figure(same, "as_configured", "average_wait_s"), 1200, 5);
  EXPECT_EQ(figure(same, "would", "average_wait_s"),
            figure(same, "as_configured", "average_wait_s"));
  EXPECT_EQ(count(same.json(), "moved_most"), 0U);
  const TestResponse more = what_if(R"({"add_cards":["24G"]})");
  ASSERT_EQ(more.status, 200) << more.body;
  EXPECT_NEAR(figure(more, "as_configured", "average_wait_s"), 1200, 5);
  EXPECT_NEAR(figure(more, "would", "average_wait_s"), 0, 5);
  const JsonValue answer = more.json();
  const JsonValue& moved = answer.find("moved_most")->as<JsonArray>()->at(0);
  EXPECT_EQ(number(moved, "job"), 3U);
  EXPECT_EQ(text(moved, "name"), "job 2");
  const auto* bins = answer.find("waits")->find("would")->as<JsonArray>();
  EXPECT_EQ(bins->size(), answer.find("waits")->find("edges_s")->as<JsonArray>()->size());
  EXPECT_EQ(*bins->at(0).as<std::uint64_t>(), 3U);
  const JsonValue& tenant = answer.find("by_tenant")->as<JsonArray>()->at(0);
  EXPECT_EQ(text(tenant, "tenant"), "ml1");
  EXPECT_EQ(number(tenant, "jobs"), 3U);
  EXPECT_GE(count(answer, "notes"), 4U);
}

TEST_F(WhatIfRoute, TakesAwayCardsAndChangesRules) {
  have_a_past();
  const TestResponse fewer = what_if(R"({"remove_cards":[1],"cap_percent":80})");
  ASSERT_EQ(fewer.status, 200) << fewer.body;
  EXPECT_NEAR(figure(fewer, "would", "average_wait_s"), 3600, 5);
  const TestResponse other = what_if(R"({"policy":"sjf","priority_of":{"ml1":80}})");
  ASSERT_EQ(other.status, 200) << other.body;
  EXPECT_NEAR(figure(other, "would", "average_wait_s"), 1200, 5);
}

TEST_F(WhatIfRoute, MistakesAreOneSentence) {
  have_a_past();
  const auto refused = [&](const std::string& body, int status, std::string_view words) {
    const TestResponse response = what_if(body);
    EXPECT_EQ(response.status, status) << body << response.body;
    EXPECT_NE(response.message().find(words), std::string::npos) << response.message();
  };
  refused(R"({"policy":"fastest"})", 400, "policy: there is no 'fastest'; there are default, ");
  refused(R"({"add_cards":["big"]})", 400, "add_cards: 'big' is not like 24G or H100:80G");
  refused(R"({"remove_cards":[9]})", 404, "remove_cards: there is no card '9'");
  refused(R"({"remove_cards":["left"]})", 404, "remove_cards: there is no card 'left'");
  refused(R"({"remove_cards":[0,1]})", 400, "remove_cards: that is the only card there is");
  refused(R"({"without_tenant":"lab"})", 404, "without_tenant: no job of tenant 'lab'");
  refused(R"({"without_tenant":"ml1"})", 409, "all jobs of that time are of tenant 'ml1'");
  refused(R"({"priority_of":{"lab":5}})", 404, "priority_of: no job of tenant 'lab'");
  refused(R"({"priority_of":{"ml1":101}})", 400, "priority_of.ml1");
  refused(R"({"priority_of":7})", 400, "priority_of");
  refused(R"({"cap_percent":10})", 400, "cap_percent");
  refused(R"({"since_s":0})", 400, "since_s must be at least 1");
  refused(R"({"colour":"red"})", 400, "colour");
  refused("[]", 400, "");
}

TEST_F(WhatIfRoute, WithoutAPastThereIsNothingToReplay) {
  const TestResponse response = what_if("{}");
  EXPECT_EQ(response.status, 409);
  EXPECT_TRUE(response.message().ends_with("has run and ended: there is nothing to replay"));
}

TEST_F(WhatIfRoute, JobsThatNeverRanAreLeftOut) {
  have_a_past();
  const std::uint64_t held = submit(R"("hold":true)");
  ask("POST", "/v1/jobs/" + std::to_string(held) + "/cancel");
  EXPECT_EQ(number(what_if("{}").json(), "left_out"), 1U);
}

// Two jobs of ml1, then one of user4242, who asks.
class HiddenWhatIf : public ::testing::TestWithParam<Visibility> {
 protected:
  static TestDaemon::Options options() {
    TestDaemon::Options options;
    options.limits.visibility = GetParam();
    return options;
  }
  void SetUp() override {
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
    other_ = "Authorization: Bearer " + fresh.text + "\r\n";
    const Wall begin = read_clock().wall;
    for (int i = 0; i < 2; ++i) {
      ask(daemon_.socket(), "POST", "/v1/jobs", a_job(R"("name":"hidden-job")"));
    }
    as_other("/v1/jobs", a_job(R"("name":"own-job")"));
    for (int i = 0; i < 3; ++i) run_for_an_hour(daemon_, i + 1, begin, i / 2);
  }
  TestResponse as_other(const std::string& target, const std::string& body) {
    return ask(daemon_.socket(), "POST", target, body, other_);
  }
  TestDaemon daemon_{options()};
  std::string other_;
};

TEST_P(HiddenWhatIf, OthersOnlyCount) {
  const TestResponse response = as_other("/v1/whatif", R"({"add_cards":["24G"]})");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.body.find("ml1"), std::string::npos);
  EXPECT_EQ(response.body.find("hidden"), std::string::npos);
  const JsonValue answer = response.json();
  const bool counts = GetParam() == Visibility::kCounts;
  EXPECT_EQ(number(answer, "jobs"), counts ? 3U : 1U);
  const auto* tenants = answer.find("by_tenant")->as<JsonArray>();
  ASSERT_EQ(tenants->size(), counts ? 2U : 1U);
  EXPECT_EQ(text(tenants->back(), "tenant"), "user4242");
  EXPECT_EQ(text(tenants->front(), "tenant"), counts ? "others" : "user4242");
  const auto* moved = answer.find("moved_most")->as<JsonArray>();
  ASSERT_EQ(moved->size(), 1U);
  EXPECT_EQ(number(moved->at(0), "job"), 3U);
  EXPECT_EQ(text(moved->at(0), "name"), "own-job");
}

TEST_P(HiddenWhatIf, ATenantThatIsHiddenIsAsOneThatIsNotThere) {
  const TestResponse hidden = as_other("/v1/whatif", R"({"without_tenant":"ml1"})");
  EXPECT_EQ(hidden.status, 404);
  std::string there_is_none = as_other("/v1/whatif", R"({"without_tenant":"ml9"})").message();
  there_is_none.replace(there_is_none.find("ml9"), 3, "ml1");
  EXPECT_EQ(hidden.message(), there_is_none);
}

INSTANTIATE_TEST_SUITE_P(Settings, HiddenWhatIf,
                         ::testing::Values(Visibility::kCounts, Visibility::kOwn),
                         [](const auto& param) {
                           return param.param == Visibility::kOwn ? "Own" : "Counts";
                         });

}  // namespace
}  // namespace gpusched::testing
