// Changes that are repeated with their key are done once.
#include "api/kept_answers.h"
#include "api/routes/test_routes.h"

namespace gpusched::testing {
namespace {

class Keys : public Routes {
 protected:
  static std::string key(const std::string& text) { return "Idempotency-Key: " + text + "\r\n"; }
  static bool is_replay(const TestResponse& response) {
    return response.headers.contains("idempotency-replayed");
  }
  std::size_t reservations() {
    return count(ask("GET", "/v1/reservations").json(), "reservations");
  }
  static constexpr const char* kReserve = R"({"cards":[1],"for_s":60})";
};

TEST_F(Keys, ARepeatIsAnsweredLikeTheFirstAndDoneOnce) {
  const std::uint64_t id = submit();
  daemon.start_job(id);
  daemon.end_job(id, 1);
  const std::string target = fmt::format("/v1/jobs/{}/requeue", id);
  const TestResponse first = ask("POST", target, "", key("again"));
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_FALSE(is_replay(first));
  daemon.start_job(id);
  daemon.end_job(id, 1);
  const TestResponse second = ask("POST", target, "", key("again"));
  EXPECT_EQ(second.status, 200);
  EXPECT_TRUE(is_replay(second));
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(state_of(id), "failed") << "it was not put into the queue once more";
}

TEST_F(Keys, WorkOnEveryKindOfChange) {
  const std::uint64_t id = submit(R"("hold":true)");
  const std::vector<std::array<std::string, 3>> changes = {
      {"POST", fmt::format("/v1/jobs/{}/release", id), ""},
      {"PATCH", fmt::format("/v1/jobs/{}", id), R"({"priority":60})"},
      {"PUT", "/v1/groups/night", R"({"limit":4})"},
      {"DELETE", "/v1/groups/night", ""},
      {"PATCH", "/v1/tenants/lab", R"({"weight":2})"},
      {"POST", "/v1/gpus/0/drain", R"({"reason":"loud"})"},
      {"POST", "/v1/reservations", kReserve},
      {"POST", "/v1/leases", R"({"vram_bytes":1073741824})"}};
  for (const auto& [method, target, body] : changes) {
    const TestResponse first = ask(method, target, body, key(method + target));
    const TestResponse second = ask(method, target, body, key(method + target));
    ASSERT_EQ(first.status, 200) << target << first.body;
    EXPECT_EQ(second.status, 200) << target;
    EXPECT_EQ(second.body, first.body) << target;
    EXPECT_TRUE(is_replay(second)) << target;
  }
  EXPECT_EQ(reservations(), 1U);
  EXPECT_EQ(count(ask("GET", "/v1/leases").json(), "leases"), 1U);
}

TEST_F(Keys, OfAnotherRequestAreRefused) {
  ASSERT_EQ(ask("POST", "/v1/reservations", kReserve, key("k")).status, 200);
  const TestResponse body =
      ask("POST", "/v1/reservations", R"({"cards":[1],"for_s":61})", key("k"));
  EXPECT_EQ(body.status, 409);
  EXPECT_EQ(body.message(), "this Idempotency-Key was used for another request; take a new one");
  EXPECT_EQ(ask("PUT", "/v1/groups/night", R"({"limit":4})", key("k")).status, 409);
  EXPECT_EQ(reservations(), 1U);
}

TEST_F(Keys, OfWhatWasRefusedMayBeUsedAgain) {
  EXPECT_EQ(ask("POST", "/v1/jobs/1/cancel", "", key("k")).status, 404);
  submit(R"("hold":true)");
  const TestResponse response = ask("POST", "/v1/jobs/1/cancel", "", key("k"));
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(is_replay(response));
}

TEST_F(Keys, OfADryRunMeanNothing) {
  EXPECT_EQ(ask("POST", "/v1/reservations?dry_run=1", kReserve, key("k")).status, 200);
  EXPECT_EQ(ask("POST", "/v1/reservations", kReserve, key("k")).status, 200);
  EXPECT_EQ(reservations(), 1U);
}

// The first client loses its connection before it is answered; it asks again.
TEST_F(Keys, ARepeatGetsTheAnswerThatTheFirstNeverHeard) {
  daemon.hold_commits(true);
  const std::string request =
      fmt::format("POST /v1/reservations HTTP/1.1\r\nHost: x\r\n{}Content-Length: {}\r\n\r\n{}",
                  key("k"), std::string(kReserve).size(), kReserve);
  {
    TestClient lost(daemon.socket());
    lost.send(request);
    ASSERT_TRUE(wait_until(
        [this] { return daemon.on_loop([this] { return daemon.engine().committing(); }); }));
  }
  TestClient again(daemon.socket());
  again.send(request);
  EXPECT_TRUE(again.hears_nothing());
  daemon.hold_commits(false);
  const TestResponse response = again.read();
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(reservations(), 1U);
}

TEST_F(Keys, OfASubmissionIsItsKey) {
  const TestResponse first = ask("POST", "/v1/jobs", a_job(), key("once"));
  const TestResponse second = ask("POST", "/v1/jobs", a_job(), key("once"));
  const TestResponse third = ask("POST", "/v1/jobs", a_job(R"("key":"once")"));
  EXPECT_EQ(number(first.json(), "first"), 1U);
  for (const TestResponse& again : {second, third}) {
    EXPECT_TRUE(*again.json().find("repeated")->as<bool>()) << again.body;
    EXPECT_EQ(number(again.json(), "first"), 1U);
  }
  EXPECT_EQ(ask("POST", "/v1/jobs", a_job(R"("priority":9)"), key("once")).status, 409);
  const TestResponse two = ask("POST", "/v1/jobs", a_job(R"("key":"other")"), key("once"));
  EXPECT_EQ(two.message(), "key and Idempotency-Key are two different keys; give one of them");
}

TEST_F(Keys, OfATokenMakeOneAndNeverShowItAgain) {
  const TestResponse first = ask("POST", "/v1/tokens", "{}", key("k"));
  ASSERT_EQ(first.status, 200) << first.body;
  const TestResponse second = ask("POST", "/v1/tokens", "{}", key("k"));
  EXPECT_EQ(second.status, 409);
  const JsonValue made = first.json();
  const std::string id = text(*made.find("token"), "id");
  EXPECT_NE(second.message().find("has made token " + id + " already"), std::string::npos)
      << second.message();
  EXPECT_EQ(second.body.find(text(made, "secret")), std::string::npos);
  EXPECT_EQ(count(ask("GET", "/v1/tokens").json(), "tokens"), 1U);
}

TEST_F(Keys, ThatAreNoneAreRefused) {
  for (const std::string& bad : {std::string(), std::string(256, 'k'), std::string("a\tb")}) {
    EXPECT_EQ(ask("POST", "/v1/reservations", kReserve, key(bad)).status, 400) << bad;
    EXPECT_EQ(ask("POST", "/v1/jobs", a_job(), key(bad)).status, 400) << bad;
  }
  EXPECT_EQ(reservations(), 0U);
}

class KeptAnswersAlone : public ::testing::Test {
 protected:
  std::optional<Responder> begin(std::uint32_t uid, const std::string& key,
                                 Role role = Role::kUser) {
    HttpRequest request;
    request.method = "POST";
    return kept.begin({.uid = uid, .role = role}, key, request, Responder());
  }
  void done(std::uint32_t uid, const std::string& key, const std::string& answer = "{}") {
    const auto way = begin(uid, key);
    ASSERT_TRUE(way) << key;
    way->send(json_response(answer));
  }

  Now time;
  KeptAnswers kept{[this] { return time; }};
};

TEST_F(KeptAnswersAlone, BelongToOneUserAndOneRole) {
  done(1, "k");
  EXPECT_FALSE(begin(1, "k"));
  EXPECT_TRUE(begin(2, "k"));
  EXPECT_TRUE(begin(1, "k", Role::kAdministrator));
}

TEST_F(KeptAnswersAlone, AreForgottenAfterADay) {
  done(1, "k");
  time.boot += KeptAnswers::kKept - Seconds{1};
  EXPECT_FALSE(begin(1, "k"));
  time.boot += Seconds{2};
  EXPECT_TRUE(begin(1, "k"));
}

TEST_F(KeptAnswersAlone, AreSoManyOfAUserAndNoMore) {
  for (std::size_t i = 0; i <= KeptAnswers::kMostOfUser; ++i) done(1, std::to_string(i));
  EXPECT_FALSE(begin(1, "1"));
  EXPECT_TRUE(begin(1, "0")) << "the oldest went";
  for (int i = 0; i < 5; ++i) done(2, std::to_string(i), std::string(300'000, 'x'));
  EXPECT_FALSE(begin(2, "4"));
  EXPECT_TRUE(begin(2, "0"));
  done(3, "large", std::string(KeptAnswers::kBytesOfUser + 1, 'x'));
  EXPECT_TRUE(begin(3, "large"));
}

TEST_F(KeptAnswersAlone, ARequestThatNobodyAnswersIsForgotten) {
  {
    const auto way = begin(1, "k");
    ASSERT_TRUE(way);
    EXPECT_FALSE(begin(1, "k")) << "it is under way";
  }
  EXPECT_TRUE(begin(1, "k"));
}

}  // namespace
}  // namespace gpusched::testing
