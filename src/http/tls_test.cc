// The server over TLS: what it refuses, what it survives, and how its certificate is changed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <atomic>
#include <optional>

#include "http/connection_patience.h"
#include "http/loop_turns.h"
#include "http/peer_process.h"
#include "http/server.h"
#include "http/tcp_listener.h"
#include "http/test_client.h"
#include "http/test_loop.h"
#include "http/test_tls.h"
#include "http/unix_listener.h"
#include "os/clock.h"
#include "tls/pump.h"

namespace gpusched::testing {
namespace {

class NetworkServer : public ::testing::Test {
 protected:
  ~NetworkServer() override {
    loop_.run([this] { server_->stop(); });
    loop_.stop();
  }

  void start(HttpLimits limits = {}) {
    server_.emplace(loop_.loop(), turns_, limits,
                    [](const HttpRequest& request, const Responder& to) {
                      to.send({.body = request.peer.address});
                    });
    server_->serve(std::move(*listen_on_unix(directory_ / "socket", 0600)), peer_of);
    loop_.start();
    address_ = listen({"127.0.0.1:0"}, certificates_.context("first"))->at(0);
  }
  Result<std::vector<TcpAddress>> listen(const std::vector<std::string>& texts,
                                         std::shared_ptr<const TlsContext> tls) {
    std::vector<TcpAddress> addresses;
    for (const std::string& text : texts) addresses.push_back(*parse_tcp_address(text));
    Result<std::vector<TcpAddress>> bound;
    loop_.run([&] { bound = server_->serve_network(addresses, std::move(tls)); });
    return bound;
  }
  bool check(const std::vector<std::string>& texts) {
    std::vector<TcpAddress> addresses;
    for (const std::string& text : texts) addresses.push_back(*parse_tcp_address(text));
    bool good = false;
    loop_.run([&] { good = server_->check_network(addresses).has_value(); });
    return good;
  }
  int clients() {
    int count = 0;
    loop_.run([&] { count = server_->clients(); });
    return count;
  }
  TestClient plain() const { return TestClient(connect_to(address_)); }
  TestClient secure() { return TestClient(pipes_.through_tls(connect_to(address_))); }
  // Of the certificate that the server shows now.
  std::string fingerprint() const {
    const Fd socket = connect_to(address_);
    ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
    TlsSession session(*TlsContext::of_client(), socket.get());
    EXPECT_TRUE(shake_hands(session, socket.get(), 60'000)) << session.fault();
    return session.proof().fingerprint;
  }

  TestCertificates certificates_;
  TcpAddress address_;

 private:
  TemporaryDirectory directory_;
  TestLoop loop_;
  LoopTurns turns_{loop_.loop(), read_clock};
  std::optional<HttpServer> server_;
  TlsPipes pipes_;
};

TEST_F(NetworkServer, KnowsTheAddressOfItsClients) {
  start();
  EXPECT_EQ(secure().ask("GET", "/x").body, "127.0.0.1");
}

TEST_F(NetworkServer, WhoNeverFinishesTheHandshakeLosesThePlace) {
  HttpLimits limits;
  limits.request_time = std::chrono::milliseconds(200);
  start(limits);
  TestClient silent = plain();
  TestClient slow = plain();
  slow.send("\x16\x03\x01");  // The beginning of one.
  EXPECT_TRUE(silent.closed_by_peer());
  EXPECT_TRUE(slow.closed_by_peer());
  EXPECT_TRUE(wait_until([this] { return clients() == 0; }));
}

TEST_F(NetworkServer, WhoSaysNothingKeepsNobodyWaiting) {
  start();
  TestClient silent = plain();
  TestClient slow = plain();
  slow.send("\x16\x03\x01");
  EXPECT_EQ(secure().ask("GET", "/x").status, 200);
  EXPECT_GE(clients(), 2);
}

TEST_F(NetworkServer, WhoSpeaksPlainHttpIsToldSo) {
  start();
  TestClient client = plain();
  const TestResponse answer = client.ask("GET", "/v1/version");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.message(), "this port speaks TLS; write https:// instead of http://");
}

TEST_F(NetworkServer, WhatIsNotTlsAtAllIsCutOff) {
  start();
  TestClient client = plain();
  client.send(std::string(64, '\xff'));
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(NetworkServer, OldVersionsOfTlsAreRefused) {
  start();
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  SSL* session = SSL_new(context);
  const Fd socket = connect_to(address_);
  SSL_set_fd(session, socket.get());
  ERR_clear_error();
  EXPECT_NE(SSL_connect(session), 1);
  EXPECT_EQ(ERR_GET_REASON(ERR_peek_error()), SSL_R_TLSV1_ALERT_PROTOCOL_VERSION);
  ERR_clear_error();
  SSL_free(session);
  SSL_CTX_free(context);
}

TEST_F(NetworkServer, ANewCertificateIsForNewConnections) {
  start();
  EXPECT_EQ(fingerprint(), certificates_.context("first")->fingerprint());
  TestClient old = secure();
  EXPECT_EQ(old.ask("GET", "/x").status, 200);
  ASSERT_TRUE(listen({"127.0.0.1:0"}, certificates_.context("second")));
  EXPECT_EQ(fingerprint(), certificates_.context("second")->fingerprint());
  EXPECT_EQ(old.ask("GET", "/x").status, 200);
}

TEST_F(NetworkServer, AnAddressThatCannotBeHadChangesNothing) {
  start();
  const auto other = listen({"127.0.0.1:0", address_.text()}, certificates_.context("second"));
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("listen on " + address_.text()), std::string::npos);
  EXPECT_EQ(fingerprint(), certificates_.context("first")->fingerprint());
}

// Connects there again and again until it is destroyed, and counts who was refused.
class Asks {
 public:
  explicit Asks(const TcpAddress& address)
      : thread_([this, address] {
          while (!stop_) {
            const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
            const auto* to = reinterpret_cast<const sockaddr*>(&address.address);
            if (::connect(socket.get(), to, address.size) != 0) ++refused_;
            // The answer says that this is no TLS; one after the other, so that others get in, too.
            static constexpr std::string_view kRequest = "GET / HTTP/1.1\r\n\r\n";
            (void)::send(socket.get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL);
            char byte = 0;
            (void)::recv(socket.get(), &byte, 1, 0);
            ++asked_;
          }
        }) {}
  ~Asks() {
    stop_ = true;
    thread_.join();
  }
  Asks(const Asks&) = delete;
  Asks& operator=(const Asks&) = delete;
  int refused() const { return refused_; }
  bool has_asked(int more) const {
    const int until = asked_ + more;
    return wait_until([&] { return asked_ >= until; });
  }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> asked_ = 0, refused_ = 0;
  std::thread thread_;
};

TEST_F(NetworkServer, GoesFromOneAddressToAllAndBackWithoutAGap) {
  start();
  const auto tls = certificates_.context("first");
  const std::string one = address_.text();
  const std::string all = "0.0.0.0:" + std::to_string(address_.port());
  // What it was asked for as port 0 is kept when it is named.
  ASSERT_TRUE(listen({one}, tls));
  const Asks asks(address_);
  const std::vector<std::vector<std::string>> plans = {{all}, {one}, {one, all}, {all}, {one}};
  for (const auto& addresses : plans) {
    const auto bound = listen(addresses, tls);
    ASSERT_TRUE(bound) << bound.error().message;
    EXPECT_EQ(bound->size(), addresses.size());
    EXPECT_EQ(secure().ask("GET", "/x").status, 200);
    EXPECT_TRUE(asks.has_asked(5));
  }
  EXPECT_EQ(asks.refused(), 0);
  TcpAddress elsewhere = *parse_tcp_address("127.0.0.7:" + std::to_string(address_.port()));
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* to = reinterpret_cast<const sockaddr*>(&elsewhere.address);
  EXPECT_NE(::connect(socket.get(), to, elsewhere.size), 0) << "it is one address again";
}

TEST_F(NetworkServer, APortIsSharedWithNobodyElse) {
  start();
  const auto tls = certificates_.context("first");
  const std::string all = "0.0.0.0:" + std::to_string(address_.port());
  ASSERT_TRUE(listen({all}, tls));
  EXPECT_FALSE(listen_on_tcp(address_));
  // A new one that cannot be had leaves all as it was.
  const auto taken = listen_on_tcp(*parse_tcp_address("127.0.0.1:0"));
  ASSERT_TRUE(taken);
  const std::string foreign = own_address(taken->get()).text();
  EXPECT_FALSE(listen({address_.text(), foreign}, tls));
  EXPECT_FALSE(check({address_.text(), foreign}));
  EXPECT_TRUE(check({address_.text()}));
  EXPECT_EQ(secure().ask("GET", "/x").status, 200);
  TcpAddress elsewhere = *parse_tcp_address("127.0.0.7:" + std::to_string(address_.port()));
  EXPECT_TRUE(connect_to(elsewhere)) << "all addresses are still served";
}

TEST_F(NetworkServer, SilentClientsMakeRoomForWhoHasSomethingToSay) {
  HttpLimits limits;
  limits.clients = 8;
  start(limits);
  std::vector<TestClient> silent;
  for (int i = 0; i < 4; ++i) silent.push_back(plain());
  ASSERT_TRUE(wait_until([this] { return clients() == 4; }));
  EXPECT_EQ(secure().ask("GET", "/x").status, 200);
  EXPECT_TRUE(silent.front().closed_by_peer());
}

TEST_F(NetworkServer, WhoHasProvedNothingHasLittleTime) {
  HttpLimits limits;
  limits.unproved_time = std::chrono::milliseconds(200);
  limits.may_send_much = [](const auto& headers) { return headers.contains("x-known"); };
  start(limits);
  TestClient stranger = secure();
  EXPECT_EQ(stranger.ask("GET", "/x").status, 200);
  EXPECT_TRUE(stranger.closed_by_peer());
  TestClient half = secure();
  half.send("GET /x HTTP/1.1\r\n");
  EXPECT_EQ(half.read().status, 400);
  EXPECT_TRUE(wait_until([this] { return clients() == 0; }));
}

TEST(PatienceOfTheServer, LastsLongerForWhoHasProvedSomething) {
  const HttpLimits limits;
  ConnectionPatience local(limits, false);
  EXPECT_EQ(local.for_request(), limits.request_time);
  EXPECT_EQ(local.between(), limits.idle_time);
  ConnectionPatience stranger(limits, true);
  EXPECT_LE(stranger.for_request(), limits.unproved_time);
  EXPECT_EQ(stranger.between(), limits.unproved_time);
  EXPECT_TRUE(stranger.proves());
  EXPECT_FALSE(stranger.proves());
  EXPECT_EQ(stranger.for_request(), limits.request_time);
  EXPECT_EQ(stranger.between(), limits.idle_time);
}

TEST_F(NetworkServer, WhereItNoLongerListensNobodyAnswers) {
  start();
  TestClient client = secure();
  EXPECT_EQ(client.ask("GET", "/x").status, 200);
  ASSERT_TRUE(listen({}, nullptr));
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_NE(
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address_.address), address_.size),
      0);
  // Who rests there is let go of; what lasts is told why (server_test.cc, api).
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(NetworkServer, ListensOnSeveralAddressesOfBothKinds) {
  start();
  const auto bound = listen({"127.0.0.1:0", "[::1]:0", "127.0.0.2:0"}, nullptr);
  if (!bound && bound.error().message.find("[::1]") != std::string::npos) {
    GTEST_SKIP() << "no IPv6 here: " << bound.error().message;
  }
  ASSERT_TRUE(bound) << bound.error().message;
  for (const TcpAddress& address : *bound) {
    EXPECT_EQ(TestClient(connect_to(address)).ask("GET", "/x").status, 200) << address.text();
  }
}

}  // namespace
}  // namespace gpusched::testing
