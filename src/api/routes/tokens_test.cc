#include <unistd.h>

#include <thread>

#include "api/failed_attempts.h"
#include "api/routes/test_routes.h"
#include "api/token_secret.h"

namespace gpusched {
namespace {

using testing::TestResponse;
using testing::text;

class TokenRoutes : public testing::Routes {
 protected:
  // The secret of a new token.
  std::string make(const std::string& body = "{}") {
    const TestResponse made = ask("POST", "/v1/tokens", body);
    EXPECT_EQ(made.status, 200) << made.body;
    return text(made.json(), "secret");
  }
  static std::string showing(const std::string& secret) {
    return "Authorization: Bearer " + secret + "\r\n";
  }
  TestResponse with(const std::string& secret, const std::string& method, const std::string& target,
                    const std::string& body = {}) {
    return ask(method, target, body, showing(secret));
  }
  // A token of an account that is not the one of this process.
  std::string token_of_other(Role role) {
    const FreshToken fresh = *draw_token();
    daemon.on_loop([&] {
      daemon.engine().post(TokenMakeAsked{
          ourselves(),
          {.id = fresh.id, .hash = fresh.hash, .uid = 4242, .user = "user4242", .role = role}});
    });
    const auto is_there = [&] { return daemon.engine().state().tokens().contains(fresh.id); };
    while (!daemon.on_loop(is_there)) std::this_thread::yield();
    return fresh.text;
  }
};

TEST_F(TokenRoutes, AreMadeUsedListedAndRevoked) {
  const std::string secret = make(R"({"name":"laptop","expires_s":3600})");
  const std::string id = *id_of_token(secret);
  TestResponse listed = ask("GET", "/v1/tokens");
  EXPECT_NE(listed.body.find(id), std::string::npos);
  EXPECT_NE(listed.body.find("\"laptop\""), std::string::npos);
  EXPECT_NE(listed.body.find("\"used_at\":null"), std::string::npos);
  EXPECT_EQ(listed.body.find(secret.substr(14)), std::string::npos);
  EXPECT_EQ(listed.body.find(hash_of_token(secret)), std::string::npos);

  EXPECT_EQ(with(secret, "POST", "/v1/jobs", testing::a_job()).status, 200);
  listed = ask("GET", "/v1/tokens");
  EXPECT_EQ(listed.body.find("\"used_at\":null"), std::string::npos) << listed.body;

  EXPECT_EQ(ask("DELETE", "/v1/tokens/" + id + "?dry_run=1").status, 200);
  EXPECT_EQ(with(secret, "GET", "/v1/jobs").status, 200);
  EXPECT_EQ(ask("DELETE", "/v1/tokens/" + id).status, 200);
  const TestResponse refused = with(secret, "GET", "/v1/jobs");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.headers.at("www-authenticate"), "Bearer");
  EXPECT_EQ(refused.body.find(secret.substr(14)), std::string::npos);
  EXPECT_EQ(ask("DELETE", "/v1/tokens/" + id).status, 404);
}

TEST_F(TokenRoutes, ADryRunMakesNone) {
  const TestResponse would = ask("POST", "/v1/tokens?dry_run=1", "{}");
  EXPECT_EQ(would.status, 200) << would.body;
  EXPECT_EQ(text(would.json(), "secret"), "(none)");
  EXPECT_EQ(testing::count(ask("GET", "/v1/tokens").json(), "tokens"), 0U);
}

TEST_F(TokenRoutes, RefuseWhatMakesNoSense) {
  for (const char* body :
       {R"({"role":"boss"})", R"({"role":"user","read_only":true})", R"({"expires_s":-1})",
        R"({"name":"a\nb"})", R"({"colour":"red"})", "[]", ""}) {
    EXPECT_EQ(ask("POST", "/v1/tokens", body).status, 400) << body;
  }
  EXPECT_EQ(ask("POST", "/v1/tokens", R"({"user":"nosuchuser"})").status, 404);
  EXPECT_EQ(ask("DELETE", "/v1/tokens/none").status, 404);
}

TEST_F(TokenRoutes, AReadOnlyOneOnlyLooks) {
  const std::string secret = make(R"({"read_only":true})");
  EXPECT_EQ(with(secret, "GET", "/v1/jobs").status, 200);
  EXPECT_EQ(with(secret, "POST", "/v1/jobs", testing::a_job()).status, 403);
  EXPECT_EQ(with(secret, "GET", "/v1/config").status, 403);
}

TEST_F(TokenRoutes, AnotherUsersHasThatUsersRights) {
  const std::uint64_t job = submit(R"("hold":true)");
  const std::string cancel = fmt::format("/v1/jobs/{}/cancel", job);
  EXPECT_EQ(with(token_of_other(Role::kUser), "POST", cancel).status, 403);
  // The account is no operator, whatever the token says.
  EXPECT_EQ(with(token_of_other(Role::kOperator), "POST", cancel).status, 403);
  const TestResponse listed = with(token_of_other(Role::kViewer), "GET", "/v1/tokens");
  EXPECT_EQ(testing::count(listed.json(), "tokens"), 3U) << "one's own";
  const TestResponse own = with(token_of_other(Role::kUser), "POST", "/v1/jobs", testing::a_job());
  ASSERT_EQ(own.status, 200) << own.body;
  const auto owner = daemon.on_loop([&] {
    return daemon.engine().state().find(JobId{testing::number(own.json(), "first")})->owner;
  });
  EXPECT_EQ(owner, (Identity{4242, 4242, "user4242"}));
}

TEST_F(TokenRoutes, ATokenMakesNoTokensAndIsNoProcess) {
  const std::string secret = make(R"({"role":"admin"})");
  EXPECT_EQ(with(secret, "POST", "/v1/tokens", "{}").status, 403);
  EXPECT_EQ(with(secret, "DELETE", "/v1/tokens/" + *id_of_token(secret)).status, 403);
  EXPECT_EQ(with(secret, "GET", "/v1/config").status, 200);
  const TestResponse adopted =
      with(secret, "POST", "/v1/adopt", fmt::format(R"({{"pid":{}}})", ::getpid()));
  EXPECT_EQ(adopted.status, 403) << adopted.body;
  EXPECT_NE(adopted.body.find("not with a token"), std::string::npos);
  const TestResponse lease = with(secret, "POST", "/v1/leases", R"({"name":"a"})");
  EXPECT_EQ(lease.status, 400) << lease.body;
  EXPECT_NE(lease.body.find("held by its connection"), std::string::npos) << lease.body;
  EXPECT_EQ(with(secret, "GET", "/v1/leases/changes").status, 400);
}

TEST_F(TokenRoutes, GuessesAreSlowedDown) {
  const std::string secret = make();
  for (int i = 0; i < FailedAttempts::kMost; ++i) {
    EXPECT_EQ(with("guess", "GET", "/v1/jobs").status, 401);
  }
  EXPECT_EQ(with(secret, "GET", "/v1/jobs").status, 200) << "a good one is no guess";
  const TestResponse slowed = with("guess", "GET", "/v1/jobs");
  EXPECT_EQ(slowed.status, 503);
  EXPECT_GT(std::stoi(slowed.headers.at("retry-after")), 1);
  EXPECT_EQ(ask("GET", "/v1/jobs").status, 200) << "without a token nothing has changed";
}

}  // namespace
}  // namespace gpusched
