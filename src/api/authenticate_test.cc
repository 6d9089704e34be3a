#include "api/authenticate.h"

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <map>

#include "api/token_secret.h"

namespace gpusched {
namespace {

const Peer kRoot{.uid = 0, .gid = 0, .pid = 7};
const Peer kFirst{.uid = 1000, .gid = 100, .pid = 8};
const Peer kSecond{.uid = 1001, .gid = 100, .pid = 9};

// 1000 is ml1 of the lab, 1001 a student.
std::optional<Account> accounts(std::uint32_t uid, const std::vector<std::string>& groups) {
  if (uid == 1000) return Account{.name = "ml1", .gid = 100, .groups = groups};
  if (uid == 1001) return Account{.name = "ml2", .gid = 100};
  if (uid == 1003) return Account{};
  return std::nullopt;
}

class Authenticate : public ::testing::Test {
 protected:
  Result<Principal> ask(const HttpRequest& request) {
    std::optional<Result<Principal>> told;
    authenticator.ask(request, [&told](const Result<Principal>& who) { told = who; });
    at_once = told.has_value();
    while (!told) loop.run_one();
    return *told;
  }
  Result<Principal> ask(const Peer& peer, const RoleBook& roles = {},
                        std::uint32_t daemon_uid = 0) {
    Authenticator::Ports ports = own_ports();
    ports.daemon_uid = daemon_uid;
    Authenticator other(loop, ports);
    other.set_roles(roles);
    std::optional<Result<Principal>> told;
    other.ask({.peer = peer}, [&told](const Result<Principal>& who) { told = who; });
    at_once = told.has_value();
    while (!told) loop.run_one();
    return *told;
  }
  Authenticator::Ports own_ports() {
    return {.now = [this] { return now; },
            .daemon_uid = 0,
            .account_of = accounts,
            .token =
                [this](const std::string& id) {
                  const auto found = tokens.find(id);
                  return found == tokens.end() ? nullptr : &found->second;
                },
            .write_use = [this](const std::string&, Wall at) { written.push_back(at); }};
  }
  // The secret of a new token.
  std::string make(Token token) {
    const FreshToken fresh = *draw_token();
    token.id = fresh.id;
    token.hash = fresh.hash;
    tokens[token.id] = token;
    return fresh.text;
  }
  static HttpRequest showing(const std::string& secret, const Peer& peer = kSecond) {
    return {.headers = {{"authorization", "Bearer " + secret}}, .peer = peer};
  }
  std::string refusal(const HttpRequest& request) {
    const auto who = ask(request);
    return who ? "let in" : who.error().message;
  }

  boost::asio::io_context loop;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      loop.get_executor()};
  Now now{Wall(Seconds(1'000'000)), Boot(Seconds(1'000))};
  std::map<std::string, Token> tokens;
  std::vector<Wall> written;
  Authenticator authenticator{loop, own_ports()};
  bool at_once = false;
};

TEST_F(Authenticate, TakesAUsersAccountFromTheKernel) {
  const auto who = ask(kFirst);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->uid, 1000u);
  EXPECT_EQ(who->gid, 100u);
  EXPECT_EQ(who->role, Role::kUser);
  EXPECT_EQ(who->proof, Proof::kPeer);
  EXPECT_TRUE(at_once) << "without roles nobody is looked up";
}

TEST_F(Authenticate, RootAndTheDaemonsUserAreAdministrators) {
  const RoleBook less{.users = {{"root", Role::kViewer}, {"ml1", Role::kViewer}}};
  EXPECT_EQ(ask(kRoot, less, 0)->role, Role::kAdministrator);
  EXPECT_EQ(ask(kRoot, less, 1000)->role, Role::kAdministrator);
  EXPECT_EQ(ask(kFirst, less, 1000)->role, Role::kAdministrator);
  EXPECT_TRUE(at_once);
}

TEST_F(Authenticate, OverTlsACookieThatOthersCouldSetIsNone) {
  HttpRequest request{.headers = {{"cookie", "gpusched=" + std::string(43, 'A')}}};
  request.peer = {.network = true, .address = "10.0.0.7", .tls = true};
  EXPECT_NE(refusal(request).find("a token is needed"), std::string::npos) << refusal(request);
  request.headers["cookie"] = "__Host-" + request.headers["cookie"];
  EXPECT_NE(refusal(request).find("this login has ended"), std::string::npos) << refusal(request);
}

TEST_F(Authenticate, AnAddressIsNobody) {
  for (const std::uint32_t uid : {0U, 1000U, UINT32_MAX}) {
    const auto who = ask({.uid = uid, .network = true, .address = "127.0.0.1"}, {}, uid);
    ASSERT_FALSE(who);
    EXPECT_EQ(who.error().code, ErrorCode::kUnauthenticated);
    EXPECT_NE(who.error().message.find("token"), std::string::npos);
  }
}

TEST_F(Authenticate, ADaemonOfAUserRefusesAllOthers) {
  const RoleBook more{.users = {{"ml1", Role::kAdministrator}}};
  const auto who = ask(kFirst, more, 1001);
  ASSERT_FALSE(who);
  EXPECT_EQ(who.error().code, ErrorCode::kForbidden);
  EXPECT_EQ(who.error().message,
            "this daemon belongs to user 1001 and answers only that user and root");
}

TEST_F(Authenticate, RolesComeFromNamesAndGroups) {
  const RoleBook book{.users = {{"ml2", Role::kViewer}}, .groups = {{"lab", Role::kOperator}}};
  EXPECT_EQ(ask(kFirst, book)->role, Role::kOperator);
  EXPECT_FALSE(at_once);
  EXPECT_EQ(ask(kSecond, book)->role, Role::kViewer);
}

TEST_F(Authenticate, WhoCannotBeLookedUpIsToldToTryAgain) {
  const RoleBook book{.users = {{"ml1", Role::kViewer}}};
  const auto who = ask({.uid = 1002}, book);
  ASSERT_FALSE(who);
  EXPECT_EQ(who.error().code, ErrorCode::kBusy);
}

const char* const kUnknown = "this token is not known here; it may have been revoked";

TEST_F(Authenticate, ATokenDecidesInsteadOfTheKernel) {
  const std::string secret = make({.uid = 1000, .user = "ml1", .tenant = "lab"});
  const auto who = ask(showing(secret));
  ASSERT_TRUE(who) << who.error().message;
  EXPECT_EQ(who->uid, 1000U);
  EXPECT_EQ(who->gid, 100U);
  EXPECT_EQ(who->tenant, "lab");
  EXPECT_EQ(who->role, Role::kUser);
  EXPECT_EQ(who->proof, Proof::kToken);
  EXPECT_EQ(who->token, tokens.begin()->first);
}

TEST_F(Authenticate, OverTheNetworkATokenIsNeeded) {
  const Peer away{.network = true, .address = "10.0.0.1"};
  const auto who = ask(HttpRequest{.peer = away});
  ASSERT_FALSE(who);
  EXPECT_EQ(who.error().code, ErrorCode::kUnauthenticated);
  EXPECT_TRUE(ask(showing(make({.uid = 1000, .user = "ml1"}), away)));
}

TEST_F(Authenticate, ATokenHasNeverMoreThanItsOwnerHasNow) {
  const std::string high = make({.uid = 1000, .user = "ml1", .role = Role::kAdministrator});
  const std::string low = make({.uid = 1000, .user = "ml1", .role = Role::kViewer});
  EXPECT_EQ(ask(showing(high))->role, Role::kUser);
  authenticator.set_roles({.users = {{"ml1", Role::kOperator}}});
  EXPECT_EQ(ask(showing(high))->role, Role::kOperator);
  EXPECT_EQ(ask(showing(low))->role, Role::kViewer);
  authenticator.set_roles({.users = {{"ml1", Role::kViewer}}});
  EXPECT_EQ(ask(showing(high))->role, Role::kViewer);
}

TEST_F(Authenticate, WrongUnknownAndRevokedTokensAreToldTheSame) {
  const std::string secret = make({.uid = 1000, .user = "ml1"});
  std::string wrong = secret;
  wrong.back() = wrong.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(refusal(showing(wrong)), kUnknown);
  EXPECT_EQ(refusal(showing("nonsense")), kUnknown);
  EXPECT_EQ(refusal(showing(secret)), "let in");
  tokens.clear();
  EXPECT_EQ(refusal(showing(secret)), kUnknown);
  const HttpRequest basic{.headers = {{"authorization", "Basic YTpi"}}};
  EXPECT_EQ(refusal(basic), "the header must be Authorization: Bearer, and then a token");
}

TEST_F(Authenticate, AnExpiredTokenSaysSo) {
  const std::string secret =
      make({.uid = 1000, .user = "ml1", .expires_at = now.wall + Seconds{5}});
  EXPECT_EQ(refusal(showing(secret)), "let in");
  now.wall += Seconds{5};
  EXPECT_EQ(refusal(showing(secret)),
            "this token has expired; gpusched token create makes a new one");
}

TEST_F(Authenticate, ATokenGoesWithItsAccount) {
  EXPECT_EQ(refusal(showing(make({.uid = 1003, .user = "gone"}))), kUnknown);
  EXPECT_EQ(refusal(showing(make({.uid = 1000, .user = "before"}))), kUnknown)
      << "the number is somebody else's now";
}

TEST_F(Authenticate, ADaemonOfAUserTakesThatUsersTokensAlone) {
  const HttpRequest request = showing(make({.uid = 1000, .user = "ml1"}), kFirst);
  Authenticator::Ports ports = own_ports();
  ports.daemon_uid = 1001;
  Authenticator other(loop, ports);
  std::string why;
  other.ask(request, [&why](const Result<Principal>& who) { why = who.error().message; });
  EXPECT_EQ(why, "this daemon belongs to user 1001 and takes only that user's tokens");
}

TEST_F(Authenticate, WhoShowsManyWrongTokensWaitsAlone) {
  const std::string good = make({.uid = 1000, .user = "ml1"});
  const Peer bad{.network = true, .address = "10.0.0.1"};
  const Peer other{.network = true, .address = "10.0.0.2"};
  for (int i = 0; i < FailedAttempts::kMost; ++i) {
    EXPECT_EQ(refusal(showing("guess", bad)), kUnknown);
  }
  const auto who = ask(showing("guess", bad));
  ASSERT_FALSE(who);
  EXPECT_EQ(who.error().code, ErrorCode::kBusy);
  EXPECT_EQ(authenticator.must_wait(showing("guess", bad)), Seconds{60});
  EXPECT_EQ(refusal(showing(good, bad)), "let in") << "nobody locks others of its place out";
  EXPECT_EQ(refusal(showing("guess", other)), kUnknown);
  now.boot += Seconds{60};
  EXPECT_EQ(refusal(showing("guess", bad)), kUnknown);
}

TEST_F(Authenticate, UsesAreRememberedAndSeldomWritten) {
  const std::string secret = make({.uid = 1000, .user = "ml1"});
  const std::string id = tokens.begin()->first;
  EXPECT_EQ(authenticator.last_use(id), std::nullopt);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(ask(showing(secret)));
    now.wall += Seconds{1};
  }
  EXPECT_EQ(written.size(), 1U);
  EXPECT_EQ(authenticator.last_use(id), now.wall - Seconds{1});
  now.wall += Seconds{3600};
  EXPECT_TRUE(ask(showing(secret)));
  EXPECT_EQ(written.size(), 2U);
}

}  // namespace
}  // namespace gpusched
