// A connection that is upgraded: packets both ways, and nobody who stalls costs more than a piece.
#include "http/packet_pipe.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <optional>

#include "http/loop_turns.h"
#include "http/peer_process.h"
#include "http/server.h"
#include "http/test_client.h"
#include "http/test_loop.h"
#include "http/test_tls.h"
#include "http/unix_listener.h"
#include "os/clock.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

constexpr std::size_t kPacketMost = 4096;

std::string framed(const std::string& packet) {
  const auto size = packet.size();
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((size >> shift) & 0xff);
  return out + packet;
}

enum class Carried : std::uint8_t { kUnix, kTcp, kTls };

class Upgraded : public ::testing::TestWithParam<Carried> {
 protected:
  ~Upgraded() override {
    loop_.run([this] { server_->stop(); });
    loop_.stop();
  }
  void SetUp() override {
    server_.emplace(loop_.loop(), turns_, HttpLimits{},
                    [this](const HttpRequest&, const Responder& to) { upgrade(to); });
    server_->serve(std::move(*listen_on_unix(directory_ / "socket", 0600)), peer_of);
    if (GetParam() != Carried::kUnix) {
      std::shared_ptr<const TlsContext> tls;
      if (GetParam() == Carried::kTls) tls = certificates_.context("first");
      address_ = server_->serve_network({*parse_tcp_address("127.0.0.1:0")}, tls)->at(0);
    }
    loop_.start();
  }

  // The connection after its 101, and what is at the far end of the pipe.
  TestClient open() {
    TestClient client = connect();
    client.send("GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: packets\r\n\r\n");
    const std::string head =
        client.read_until([](const std::string& in) { return in.find("\r\n\r\n") != in.npos; });
    EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
    EXPECT_NE(head.find("\r\nUpgrade: packets\r\n"), std::string::npos) << head;
    seen_ = head.find("\r\n\r\n") + 4;
    return client;
  }
  // What comes after the head until it ends so.
  std::string hear(TestClient& client, const std::string& end) const {
    const std::string all = client.read_until([&](const std::string& in) {
      return in.size() >= seen_ + end.size() && in.ends_with(end);
    });
    return all.substr(seen_);
  }
  // The next packet at the far end; "(end)" if there is none any more.
  std::string far_packet() {
    std::array<char, kPacketMost> buffer{};
    const ssize_t got = ::recv(far_.get(), buffer.data(), buffer.size(), 0);
    return got <= 0 ? "(end)" : std::string(buffer.data(), static_cast<std::size_t>(got));
  }
  bool far_send(const std::string& packet) {
    return ::send(far_.get(), packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
  }
  // As much as is taken, until nothing more has been taken for a while.
  std::size_t far_send_all(const std::string& packet) {
    std::size_t sent = 0;
    while (wait_until([&] { return far_send(packet); }, std::chrono::milliseconds(500))) ++sent;
    return sent * packet.size();
  }
  int clients() {
    int count = 0;
    loop_.run([&] { count = server_->clients(); });
    return count;
  }
  void forbid() {
    loop_.run([this] { allowed_ = false; });
  }

  Fd far_;

 private:
  TestClient connect() {
    if (GetParam() == Carried::kUnix) return TestClient(directory_ / "socket");
    Fd socket = connect_to(address_);
    if (GetParam() == Carried::kTls) socket = pipes_.through_tls(std::move(socket));
    return TestClient(std::move(socket));
  }
  void upgrade(const Responder& to) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    far_.reset(ends[0]);
    auto made = std::make_shared<Upgrade>();
    made->protocol = "packets";
    made->socket.reset(ends[1]);
    made->packet_most = kPacketMost;
    made->answer_to = [](std::string_view packet) -> std::optional<std::string> {
      if (packet == "forbidden") return "no";
      return std::nullopt;
    };
    made->may_go_on = [this] { return allowed_; };
    HttpResponse response;
    response.upgrade = std::move(made);
    to.send(std::move(response));
  }

  TemporaryDirectory directory_;
  TestCertificates certificates_;
  TcpAddress address_;
  TestLoop loop_;
  LoopTurns turns_{loop_.loop(), read_clock};
  std::optional<HttpServer> server_;
  bool allowed_ = true;
  std::size_t seen_ = 0;
  TlsPipes pipes_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, Upgraded,
                         ::testing::Values(Carried::kUnix, Carried::kTcp, Carried::kTls),
                         [](const auto& kind) {
                           return kind.param == Carried::kUnix  ? "Unix"
                                  : kind.param == Carried::kTcp ? "Tcp"
                                                                : "Tls";
                         });

TEST_P(Upgraded, CarriesPacketsBothWays) {
  TestClient client = open();
  client.send(framed("one") + framed("") + framed("two").substr(0, 5));
  EXPECT_EQ(far_packet(), "one");
  client.send(framed("two").substr(5));
  EXPECT_EQ(far_packet(), "two");
  EXPECT_TRUE(far_send("yes") && far_send("and more"));
  EXPECT_EQ(hear(client, "more"), framed("yes") + framed("and more"));
}

TEST_P(Upgraded, CarriesALotBothWays) {
  TestClient client = open();
  const std::string packet(kPacketMost, 'x');
  std::string all;
  for (int i = 0; i < 100; ++i) {
    client.send(framed(packet));
    ASSERT_EQ(far_packet(), packet);
    ASSERT_TRUE(far_send(packet));
    all += framed(packet);
    ASSERT_EQ(hear(client, all), all);
  }
}

TEST_P(Upgraded, AnswersWhatIsNotPassedOn) {
  TestClient client = open();
  client.send(framed("forbidden") + framed("allowed"));
  EXPECT_EQ(far_packet(), "allowed");
  EXPECT_EQ(hear(client, "no"), framed("no"));
}

TEST_P(Upgraded, LetsGoOfWhoSendsTooMuchAtOnce) {
  TestClient client = open();
  client.send(std::string("\x7f\xff\xff\xff", 4));
  EXPECT_TRUE(client.closed_by_peer());
  EXPECT_EQ(far_packet(), "(end)");
  EXPECT_TRUE(wait_until([this] { return clients() == 0; }));
}

TEST_P(Upgraded, EndsWithWhatTheFarEndHadToSay) {
  TestClient client = open();
  client.send(framed("never read"));
  ASSERT_TRUE(far_send("last"));
  far_.reset();
  EXPECT_EQ(hear(client, "last"), framed("last"));
  EXPECT_TRUE(client.closed_by_peer());
  EXPECT_TRUE(wait_until([this] { return clients() == 0; }));
}

TEST_P(Upgraded, PassesOnWhatWasSentBeforeTheClientLeft) {
  {
    TestClient client = open();
    client.send(framed("one") + framed("two"));
  }
  EXPECT_EQ(far_packet(), "one");
  EXPECT_EQ(far_packet(), "two");
  EXPECT_EQ(far_packet(), "(end)");
  far_.reset();
  EXPECT_TRUE(wait_until([this] { return clients() == 0; }));
}

TEST_P(Upgraded, AClientThatNeverReadsHoldsUpTheFarEndAndNothingGrows) {
  TestClient client = open();
  // What the kernel and one piece hold; far below what is offered.
  EXPECT_LT(far_send_all(std::string(kPacketMost, 'x')), 32U << 20);
  // It still has the other direction.
  client.send(framed("typed"));
  EXPECT_EQ(far_packet(), "typed");
}

TEST_P(Upgraded, AFarEndThatNeverReadsHoldsUpTheClientAndStillSays) {
  TestClient client = open();
  const std::string packet = framed(std::string(kPacketMost, 'x'));
  std::size_t sent = 0;
  pollfd room{client.fd(), POLLOUT, 0};
  while (::poll(&room, 1, 500) > 0 && sent < (64U << 20)) {
    const ssize_t now =
        ::send(client.fd(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    ASSERT_GE(now, 0);
    sent += static_cast<std::size_t>(now);
    if (static_cast<std::size_t>(now) < packet.size()) break;
  }
  EXPECT_LT(sent, 32U << 20);
  ASSERT_TRUE(far_send("still here"));
  EXPECT_EQ(hear(client, "here"), framed("still here"));
}

TEST_P(Upgraded, EndsOnceItIsNotAllowedAnyMore) {
  TestClient client = open();
  client.send(framed("one"));
  EXPECT_EQ(far_packet(), "one");
  forbid();
  client.send(framed("two"));
  EXPECT_EQ(far_packet(), "(end)");
  EXPECT_TRUE(client.closed_by_peer());
}

}  // namespace
}  // namespace gpusched::testing
