// The server over TLS: what it refuses, what it survives, and how its certificate is changed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <optional>

#include "http/loop_turns.h"
#include "http/peer_process.h"
#include "http/server.h"
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
