#include <thread>

#include "api/failed_attempts.h"
#include "api/routes/test_routes.h"
#include "api/token_secret.h"

namespace gpusched {
namespace {

using testing::TestClient;
using testing::TestResponse;
using testing::text;

class LoginRoutes : public testing::Routes {
 protected:
  std::string make(const std::string& body = "{}") {
    const TestResponse made = ask("POST", "/v1/tokens", body);
    EXPECT_EQ(made.status, 200) << made.body;
    return text(made.json(), "secret");
  }
  // The cookie of a login, as a header.
  std::string log_in(const std::string& secret) {
    const TestResponse done = ask("POST", "/v1/login", R"({"token":")" + secret + "\"}");
    EXPECT_EQ(done.status, 200) << done.body;
    const std::string cookie = done.headers.at("set-cookie");
    EXPECT_EQ(done.body.find(cookie.substr(9, 43)), std::string::npos) << "for the browser alone";
    return "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
  }
  static std::string ours() { return "Origin: http://gpusched\r\n"; }
};

TEST_F(LoginRoutes, ATokenIsExchangedForACookie) {
  const std::string secret = make(R"({"name":"laptop","expires_s":3600})");
  const TestResponse done =
      ask("POST", "/v1/login", {}, "Authorization: Bearer " + secret + "\r\n");
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(text(done.json(), "proof"), "cookie");
  const std::string cookie = done.headers.at("set-cookie");
  EXPECT_NE(cookie.find("; Path=/; HttpOnly; SameSite=Strict; Max-Age="), std::string::npos)
      << cookie;
  const std::string header = log_in(secret);
  const TestResponse who = ask("GET", "/v1/whoami", {}, header);
  EXPECT_EQ(text(who.json(), "proof"), "cookie");
  EXPECT_EQ(text(who.json(), "user"), "ml1");
  EXPECT_EQ(text(who.json(), "token_name"), "laptop");
  EXPECT_NE(who.body.find(R"({"action":"see_job","own":true,"others":true})"), std::string::npos)
      << "as isolation.visibility says: " << who.body;
  EXPECT_NE(text(who.json(), "expires_at"), "(none)");
  EXPECT_EQ(ask("POST", "/v1/jobs", testing::a_job(), header + ours()).status, 200);
  EXPECT_EQ(ask("POST", "/v1/tokens", "{}", header + ours()).status, 403) << "as with the token";
}

TEST_F(LoginRoutes, AChangeWithACookieNeedsOurOrigin) {
  const std::string header = log_in(make());
  EXPECT_EQ(ask("GET", "/v1/jobs", {}, header).status, 200);
  EXPECT_EQ(ask("POST", "/v1/jobs", testing::a_job(), header).status, 403);
  for (const char* origin : {"http://evil.example", "null", "http://gpusched:1"}) {
    const std::string foreign = fmt::format("Origin: {}\r\n", origin);
    EXPECT_EQ(ask("POST", "/v1/jobs", testing::a_job(), header + foreign).status, 403) << origin;
    EXPECT_EQ(ask("POST", "/v1/jobs", testing::a_job(), foreign).status, 403) << "through a tunnel";
    EXPECT_EQ(ask("POST", "/v1/login", R"({"token":"x"})", foreign).status, 403)
        << "a foreign login";
  }
  EXPECT_EQ(
      ask("POST", "/v1/jobs", testing::a_job(), header + "Sec-Fetch-Site: same-origin\r\n").status,
      200);
  EXPECT_EQ(ask("POST", "/v1/jobs", testing::a_job(),
                "Authorization: Bearer " + make() + "\r\nOrigin: http://evil.example\r\n")
                .status,
            200)
      << "no page can set that header unasked";
}

TEST_F(LoginRoutes, ALogoutEndsThisLoginAlone) {
  const std::string secret = make();
  const std::string one = log_in(secret), other = log_in(secret);
  EXPECT_EQ(ask("POST", "/v1/logout?dry_run=1", {}, one + ours()).status, 200);
  EXPECT_EQ(ask("GET", "/v1/jobs", {}, one).status, 200);
  const TestResponse out = ask("POST", "/v1/logout", {}, one + ours());
  EXPECT_EQ(out.status, 200) << out.body;
  EXPECT_NE(out.headers.at("set-cookie").find("gpusched=; "), std::string::npos);
  const TestResponse refused = ask("GET", "/v1/jobs", {}, one);
  EXPECT_EQ(refused.status, 401);
  EXPECT_NE(refused.headers.at("set-cookie").find("Max-Age=0"), std::string::npos);
  EXPECT_EQ(ask("GET", "/v1/jobs", {}, other).status, 200);
  EXPECT_EQ(ask("POST", "/v1/logout").status, 400) << "there is none to end";
}

TEST_F(LoginRoutes, ALoginGoesWithItsToken) {
  const std::string secret = make();
  const std::string header = log_in(secret);
  EXPECT_EQ(ask("DELETE", "/v1/tokens/" + *id_of_token(secret)).status, 200);
  EXPECT_EQ(ask("GET", "/v1/jobs", {}, header).status, 401);
}

TEST_F(LoginRoutes, RefusesWhatIsNoToken) {
  EXPECT_EQ(ask("POST", "/v1/login").status, 401);
  EXPECT_EQ(ask("POST", "/v1/login", "[]").status, 400);
  EXPECT_EQ(ask("POST", "/v1/login", R"({"user":"ml1"})").status, 400);
  for (int i = 0; i < FailedAttempts::kMost; ++i) {
    EXPECT_EQ(ask("POST", "/v1/login", R"({"token":"guess"})").status, 401);
  }
  EXPECT_EQ(ask("POST", "/v1/login", R"({"token":"guess"})").status, 503) << "guesses are counted";
  EXPECT_EQ(ask("GET", "/v1/jobs", {}, "Cookie: gpusched=guess\r\n").status, 401);
}

TEST_F(LoginRoutes, OneIsWhoTheKernelSays) {
  const TestResponse who = ask("GET", "/v1/whoami");
  EXPECT_EQ(text(who.json(), "proof"), "peer");
  EXPECT_EQ(text(who.json(), "role"), "admin");
  EXPECT_EQ(text(who.json(), "tenant"), "ml1");
  EXPECT_NE(who.body.find(R"({"action":"steer_job","own":true,"others":true})"), std::string::npos)
      << who.body;
}

class Lasting : public LoginRoutes {
 protected:
  void begin(TestClient& client, const std::string& target, const std::string& headers,
             const std::string& method = "GET", const std::string& body = {}) {
    client.send(fmt::format("{} {} HTTP/1.1\r\nHost: gpusched\r\n{}Content-Length: {}\r\n\r\n{}",
                            method, target, headers, body.size(), body));
  }
  void revoke(const std::string& secret) {
    EXPECT_EQ(ask("DELETE", "/v1/tokens/" + *id_of_token(secret)).status, 200);
  }
  static std::string showing(const std::string& secret) {
    return "Authorization: Bearer " + secret + "\r\n";
  }
  static bool has(const std::string& read, const char* what) {
    return read.find(what) != std::string::npos;
  }
};

TEST_F(Lasting, AStreamEndsWithItsToken) {
  const std::string secret = make();
  TestClient client(daemon.socket());
  begin(client, "/v1/events", showing(secret));
  client.read_until([](const std::string& read) { return has(read, ": alive"); });
  revoke(secret);
  const std::string last =
      client.read_until([](const std::string& read) { return has(read, "\r\n0\r\n\r\n"); });
  EXPECT_TRUE(has(last, "event: bye\n")) << last;
  EXPECT_TRUE(has(last, "the token was revoked")) << last;
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(Lasting, AStreamEndsWhenItsTokenExpires) {
  const std::string secret = make(R"({"expires_s":1})");
  TestClient client(daemon.socket());
  begin(client, "/v1/events", showing(secret));
  const std::string last =
      client.read_until([](const std::string& read) { return has(read, "event: bye\n"); });
  EXPECT_TRUE(has(last, "the token has expired")) << last;
}

TEST_F(Lasting, AStreamEndsWithItsLogin) {
  const std::string header = log_in(make());
  TestClient client(daemon.socket());
  begin(client, "/v1/events", header);
  client.read_until([](const std::string& read) { return has(read, ": alive"); });
  EXPECT_EQ(ask("POST", "/v1/logout", {}, header + ours()).status, 200);
  client.read_until([](const std::string& read) { return has(read, "the login has ended"); });
}

TEST_F(Lasting, AWaitEndsWithItsToken) {
  const std::string secret = make();
  const std::uint64_t job = submit(R"("hold":true)");
  TestClient client(daemon.socket());
  begin(client, fmt::format("/v1/jobs/{}/wait", job), showing(secret));
  EXPECT_TRUE(client.hears_nothing());
  revoke(secret);
  const TestResponse ended = client.read();
  EXPECT_EQ(ended.status, 401);
  EXPECT_EQ(ended.message(), "the token was revoked");
  // Nobody waits any more, and nothing is lost by that.
  EXPECT_EQ(ask("POST", fmt::format("/v1/jobs/{}/cancel", job)).status, 200);
}

TEST_F(Lasting, AHeldLeaseIsLetGoWithItsToken) {
  const std::string secret = make();
  TestClient client(daemon.socket());
  begin(client, "/v1/leases", showing(secret), "POST", R"({"name":"a","holder":"connection"})");
  client.read_until([](const std::string& read) { return has(read, "\"lease\""); });
  revoke(secret);
  client.read_until([](const std::string& read) { return has(read, "the token was revoked"); });
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(Lasting, OthersGoOn) {
  const std::string secret = make(), other = make();
  TestClient client(daemon.socket());
  begin(client, "/v1/events", showing(other));
  client.read_until([](const std::string& read) { return has(read, ": alive"); });
  revoke(secret);
  submit(R"("hold":true)");
  const std::string read =
      client.read_until([](const std::string& said) { return has(said, "event: job"); });
  EXPECT_FALSE(has(read, "bye"));
}

}  // namespace
}  // namespace gpusched
