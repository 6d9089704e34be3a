// The server by itself, without jobs: the same over every kind of socket.
#include "http/server.h"

#include <gtest/gtest.h>

#include "http/loop_turns.h"
#include "http/peer_process.h"
#include "http/test_client.h"
#include "http/test_loop.h"
#include "http/test_tls.h"
#include "http/unix_listener.h"
#include "os/clock.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

enum class Kind : std::uint8_t { kUnix, kTcp, kTls };

std::string name_of(const ::testing::TestParamInfo<Kind>& kind) {
  return kind.param == Kind::kUnix ? "Unix" : kind.param == Kind::kTcp ? "Tcp" : "Tls";
}

class ServerOver : public ::testing::TestWithParam<Kind> {
 protected:
  ServerOver() {
    limits_.clients_per_user = 3;
    limits_.may_send_much = [](const auto&) { return true; };  // All keep their places.
  }
  ~ServerOver() override {
    loop_.run([this] { server_->stop(); });
    loop_.stop();
  }

  void SetUp() override {
    server_.emplace(loop_.loop(), turns_, limits_,
                    [this](HttpRequest request, const Responder& responder) {
                      handle(std::move(request), responder);
                    });
    server_->serve(std::move(*listen_on_unix(path(), 0600)), peer_of);
    if (GetParam() != Kind::kUnix) {
      std::shared_ptr<const TlsContext> tls;
      if (GetParam() == Kind::kTls) tls = certificates_.context("first");
      const auto bound = server_->serve_network({*parse_tcp_address("127.0.0.1:0")}, tls);
      ASSERT_TRUE(bound) << bound.error().message;
      address_ = bound->at(0);
    }
    loop_.start();
  }

  TestClient connect() {
    if (GetParam() == Kind::kUnix) return TestClient(path());
    Fd socket = connect_to(address_);
    if (GetParam() == Kind::kTls) socket = pipes_.through_tls(std::move(socket));
    return TestClient(std::move(socket));
  }

  // Wakes the stream of the one request for /stream; `end` ends it.
  void say(const std::string& text, bool end = false) {
    loop_.run([&] {
      pending_ += text;
      ends_ = end;
      stream_.wake();
    });
  }
  bool is_gone() {
    return wait_until([this] {
      bool gone = false;
      loop_.run([&] { gone = gone_; });
      return gone;
    });
  }
  int clients() {
    int count = 0;
    loop_.run([&] { count = server_->clients(); });
    return count;
  }

 private:
  std::string path() const { return directory_ / "socket"; }
  void handle(HttpRequest request, const Responder& responder) {
    const std::string& what = request.segments.at(0);
    if (what == "echo") return responder.send({.body = request.method + " " + request.body});
    responder.on_gone([this] { gone_ = true; });
    if (what == "never") return;
    stream_ = responder;
    responder.send({.stream = [this](std::string& out) {
      out += std::exchange(pending_, "");
      return ends_ ? Pull::kEnd : Pull::kWait;
    }});
  }

  TemporaryDirectory directory_;
  TestCertificates certificates_;
  TcpAddress address_;
  TestLoop loop_;
  LoopTurns turns_{loop_.loop(), read_clock};
  HttpLimits limits_;
  std::optional<HttpServer> server_;
  Responder stream_;
  std::string pending_;
  bool ends_ = false;
  bool gone_ = false;
  TlsPipes pipes_;  // First to go: their clients have left by then.
};

INSTANTIATE_TEST_SUITE_P(Kinds, ServerOver, ::testing::Values(Kind::kUnix, Kind::kTcp, Kind::kTls),
                         name_of);

TEST_P(ServerOver, AnswersSeveralRequestsOfOneConnection) {
  TestClient client = connect();
  EXPECT_EQ(client.ask("GET", "/echo").body, "GET ");
  EXPECT_EQ(client.ask("POST", "/echo", "some words").body, "POST some words");
}

TEST_P(ServerOver, WhoHasTheAnswerAlreadyIsToldSo) {
  TestClient client = connect();
  TestResponse first = client.ask("GET", "/echo");
  const std::string tag = first.headers["etag"];
  ASSERT_TRUE(tag.starts_with("W/\"")) << tag;
  const TestResponse again =
      client.ask("GET", "/echo", {}, "If-None-Match: \"x\", " + tag + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  // The connection goes on, and other versions and changes are answered.
  EXPECT_EQ(client.ask("GET", "/echo", {}, "If-None-Match: \"x\"\r\n").status, 200);
  TestResponse change = client.ask("POST", "/echo", "words", "If-None-Match: *\r\n");
  EXPECT_EQ(change.status, 200);
  EXPECT_FALSE(change.headers.contains("etag"));
}

TEST_P(ServerOver, AnswersRequestsThatComeTogether) {
  TestClient client = connect();
  const std::string one = "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(one + one);
  EXPECT_EQ(client.read().body, "GET ");
  EXPECT_EQ(client.read().body, "GET ");
}

TEST_P(ServerOver, StreamsAsThereIsSomethingToSay) {
  TestClient client = connect();
  client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto has = [](const char* text) {
    return [text](const std::string& in) { return in.find(text) != std::string::npos; };
  };
  ASSERT_NE(client.read_until(has("\r\n\r\n")).find("200"), std::string::npos);
  say("first");
  EXPECT_NE(client.read_until(has("first")).find("first"), std::string::npos);
  say("second", true);
  const TestResponse all = client.read();
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.body, "firstsecond");
  // The connection is as good as before.
  EXPECT_EQ(client.ask("GET", "/echo").body, "GET ");
  EXPECT_EQ(client.ask("GET", "/echo").body, "GET ");
}

TEST_P(ServerOver, NoticesThatAClientWhoWaitsHasGone) {
  std::optional<TestClient> client = connect();
  client->send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(wait_until([this] { return clients() == 1; }));
  client.reset();
  EXPECT_TRUE(is_gone());
  EXPECT_TRUE(wait_until([this] { return clients() == 0; }));
}

TEST_P(ServerOver, NoticesThatAClientOfAStreamHasGoneAfterItSentMore) {
  std::optional<TestClient> client = connect();
  EXPECT_EQ(client->ask("GET", "/echo").body, "GET ");
  client->send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_FALSE(client->read_until([](const std::string& in) { return !in.empty(); }).empty());
  client.reset();
  EXPECT_TRUE(is_gone());
}

TEST_P(ServerOver, OneUserGetsSoManyConnections) {
  std::vector<TestClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(connect());
    EXPECT_EQ(clients.back().ask("GET", "/echo").status, 200);
  }
  TestClient more = connect();
  // Who speaks TLS would not understand it.
  EXPECT_EQ(more.read().status, GetParam() == Kind::kTls ? 0 : 503);
  EXPECT_TRUE(more.closed_by_peer());
  clients.pop_back();
  EXPECT_TRUE(wait_until([this] { return connect().ask("GET", "/echo").status == 200; }));
}

TEST(ErrorResponse, WhoIsRefusedForTheMomentIsToldWhenToComeBack) {
  const auto busy = error_response({ErrorCode::kBusy, "too many"});
  EXPECT_EQ(busy.status, 503);
  ASSERT_EQ(busy.headers.size(), 1U);
  EXPECT_EQ(busy.headers[0].first, "Retry-After");
  EXPECT_TRUE(error_response({ErrorCode::kUnavailable, "no history"}).headers.empty());
}

}  // namespace
}  // namespace gpusched::testing
