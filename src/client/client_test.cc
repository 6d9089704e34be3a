#include "client/client.h"

#include <gtest/gtest.h>

#include "client/fake_server.h"
#include "os/clock.h"

namespace gpusched {
namespace {

std::string plain(const std::string& body, const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

TEST(Client, SendsARequestAndReadsTheAnswer) {
  FakeServer server({{plain("{\"schema\":1}")}});
  const Client client({server.path()});
  const auto body = client.call({.method = "POST", .target = "/v1/jobs", .body = "{\"a\":1}"});
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(*body, "{\"schema\":1}");
  const std::string request = server.requests()[0];
  EXPECT_TRUE(request.starts_with("POST /v1/jobs HTTP/1.1\r\n"));
  EXPECT_NE(request.find("\r\nGpusched-Api: 1\r\n"), std::string::npos);
  EXPECT_NE(request.find("\r\nContent-Length: 7\r\n"), std::string::npos);
  EXPECT_TRUE(request.ends_with("\r\n\r\n{\"a\":1}"));
}

TEST(Client, ReadsChunksHoweverTheyArrive) {
  const std::string whole =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n1;x=y\r\n \r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
  std::vector<std::string> bytes;
  for (const char c : whole) bytes.emplace_back(1, c);
  FakeServer server({{whole}, bytes});
  const Client client({server.path()});
  EXPECT_EQ(*client.call({.target = "/a"}), "hello 0123456789");
  EXPECT_EQ(*client.call({.target = "/b"}), "hello 0123456789");
}

TEST(Client, ReadsABodyThatEndsWithTheConnection) {
  FakeServer server({{"HTTP/1.1 200 OK\r\n\r\n", "to the ", "end"}});
  EXPECT_EQ(*Client({server.path()}).call({.target = "/"}), "to the end");
}

TEST(Client, ReturnsTheErrorThatTheDaemonMeant) {
  FakeServer server(
      {{plain("{\"error\":{\"code\":\"not_found\",\"message\":\"there is no job 7\"}}",
              "404 Not Found")},
       {plain("gateway", "503 Service Unavailable")},
       {plain("", "500 Internal")}});
  const Client client({server.path()});
  const auto named = client.call({.target = "/v1/jobs/7"});
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().message, "there is no job 7");
  EXPECT_EQ(exit_code_of(named.error().code), 66);
  EXPECT_EQ(client.call({.target = "/"}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(client.call({.target = "/"}).error().message,
            "the daemon answered with HTTP status 500");
}

TEST(Client, TellsABrokenConnectionFromARefusal) {
  const struct {
    std::string answer;
    ErrorCode code;
  } cases[] = {
      {"", ErrorCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\n", ErrorCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", ErrorCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", ErrorCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ErrorCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe", ErrorCode::kUnavailable},
      {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", ErrorCode::kUnavailable},
      {"SSH-2.0-OpenSSH_9.2\r\n", ErrorCode::kUnsupported},
      {std::string(100'000, 'x'), ErrorCode::kUnavailable},
  };
  for (const auto& [answer, code] : cases) {
    FakeServer server({{answer}});
    const auto body = Client({server.path()}).call({.target = "/"});
    ASSERT_FALSE(body) << answer.substr(0, 40);
    EXPECT_EQ(body.error().code, code) << answer.substr(0, 40);
  }
}

TEST(Client, SendsALargeBodyWhole) {
  FakeServer server({{plain("ok")}});
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(*Client({server.path()}).call({.method = "POST", .target = "/", .body = large}), "ok");
  EXPECT_TRUE(server.requests()[0].ends_with(large));
}

TEST(Client, SaysHowToStartADaemonWhenNoneAnswers) {
  const testing::TemporaryDirectory directory;
  const auto body = Client({directory / "a", directory / "b"}).call({.target = "/"});
  ASSERT_FALSE(body);
  EXPECT_EQ(exit_code_of(body.error().code), 69);
  EXPECT_NE(body.error().message.find("no gpusched daemon answers at"), std::string::npos);
  EXPECT_NE(body.error().message.find("gpusched serve"), std::string::npos);
}

TEST(Client, TakesTheNextSocketWhenTheFirstHasNoDaemon) {
  FakeServer server({{plain("second")}});
  const testing::TemporaryDirectory directory;
  EXPECT_EQ(*Client({directory / "none", server.path()}).call({.target = "/"}), "second");
}

TEST(Client, RefusesASocketPathThatIsTooLong) {
  const auto body = Client({"/tmp/" + std::string(200, 'x')}).call({.target = "/"});
  ASSERT_FALSE(body);
  EXPECT_EQ(exit_code_of(body.error().code), 64);
  EXPECT_NE(body.error().message.find("longer than the 107 bytes"), std::string::npos);
}

TEST(Client, EncodesWhatIsNotPlain) {
  EXPECT_EQ(percent_encoded("a b/c?d&e=ü"), "a%20b%2Fc%3Fd%26e%3D%C3%BC");
  EXPECT_EQ(percent_encoded("7-9,last,@~2"), "7-9,last,@~2");
}

TEST(Client, ReadsTheErrorOfAnAnswerInPieces) {
  FakeServer server({{"HTTP/1.1 409 Con", "flict\r\nContent-Length: 52\r", "\n\r\n",
                      R"({"error":{"code":"conflict",)", R"("message":"job 7 runs"}})"}});
  const auto body = Client({server.path()}).call({.target = "/"});
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().message, "job 7 runs");
}

TEST(Client, WaitsNoLongerThanItWasTold) {
  FakeServer server({{"HTTP/1.1 200 OK\r\n"}, {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"}},
                    FakeServer::Manner::kStaysOpen);
  const Client client({server.path()});
  for (int i = 0; i < 2; ++i) {
    const auto body = client.call({.target = "/"}, std::chrono::milliseconds{20});
    ASSERT_FALSE(body);
    EXPECT_TRUE(is_away(body.error()));
    EXPECT_NE(body.error().message.find("did not answer for"), std::string::npos);
  }
}

TEST(Client, GivesUpOnADaemonThatDoesNotReadWhatItIsSent) {
  FakeServer server({});  // Takes connections, and looks at none of them.
  const auto body =
      Client({server.path()})
          .call({.method = "POST", .target = "/", .body = std::string(8'000'000, 'x')},
                std::chrono::milliseconds{20});
  ASSERT_FALSE(body);
  EXPECT_NE(body.error().message.find("did not answer for"), std::string::npos);
}

TEST(Exchange, KnowsWhetherTheConnectionCanBeAskedAgain) {
  // The second answer came unasked: it must not be taken for that of the next question.
  FakeServer server({{plain("first")}, {plain("first") + plain("second")}},
                    FakeServer::Manner::kStaysOpen);
  for (const bool may : {true, false}) {
    auto carrier = Carrier::connect({server.path()});
    ASSERT_TRUE(carrier);
    Exchange exchange(std::move(*carrier), std::chrono::seconds{20});
    EXPECT_FALSE(exchange.may_ask_again());
    ASSERT_TRUE(exchange.ask({.target = "/a", .more_follow = true}));
    EXPECT_EQ(*exchange.read_all(), "first");
    EXPECT_EQ(exchange.may_ask_again(), may);
  }
  EXPECT_EQ(server.requests()[0].find("Connection: close"), std::string::npos);
}

TEST(Exchange, RefusesABodyThatIsLongerThanItMayBe) {
  FakeServer server({{plain("0123456789")}});
  auto carrier = Carrier::connect({server.path()});
  ASSERT_TRUE(carrier);
  Exchange exchange(std::move(*carrier), std::chrono::seconds{20});
  ASSERT_TRUE(exchange.ask({.target = "/"}));
  EXPECT_FALSE(exchange.read_all(9));
}

TEST(Patience, TriesLessOftenTheLongerItWaits) {
  std::chrono::milliseconds pause{200};
  std::chrono::milliseconds waited{0};
  int tries = 0;
  for (; waited < std::chrono::seconds{30}; ++tries) {
    waited += pause;
    pause = pause_after(pause);
  }
  EXPECT_LE(tries, 20) << "each may be a whole ssh";
  EXPECT_EQ(pause, std::chrono::seconds{3});
}

TEST(Patience, EndsWhenItIsTold) {
  Patience none(nullptr, true, Seconds{0});
  EXPECT_FALSE(none.wait_a_moment());
  Patience until(nullptr, true);
  until.end_at(read_clock().boot);
  EXPECT_FALSE(until.wait_a_moment());
}

TEST(Patience, SaysOnceThatItWaits) {
  static int told = 0;
  told = 0;
  Patience patience([](std::string_view words) {
    ++told;
    EXPECT_NE(words.find("30 s"), std::string_view::npos);
  });
  EXPECT_TRUE(patience.wait_a_moment());
  EXPECT_TRUE(patience.wait_a_moment());
  EXPECT_EQ(told, 1);
  patience.reset();
  EXPECT_TRUE(patience.wait_a_moment());
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace gpusched
