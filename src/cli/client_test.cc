#include "cli/client.h"

#include <gtest/gtest.h>

#include "cli/change_feed.h"
#include "cli/fake_server.h"
#include "cli/job_ids.h"
#include "cli/views/views.h"

namespace gpusched::cli {
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

TEST(ChangeFeed, GoesOnAfterTheLastChangeWhenTheDaemonComesBack) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
  FakeServer server({{head, "event: job\nid: 9\ndata: {\"id\":7}\n\n"},
                     {head, "event: job\nid: 10\ndata: {\"id\":8}\n\n"}});
  const Client client({server.path()});
  ChangeFeed feed(client, "7-8");
  ASSERT_TRUE(feed.open());
  EXPECT_EQ(feed.next(std::chrono::seconds{10})->change.id, "9");
  // The first connection ends here.
  EXPECT_EQ(feed.next(std::chrono::seconds{10})->by, ChangeFeed::Woken::kTime);
  EXPECT_TRUE(feed.take_reconnected());
  EXPECT_EQ(feed.next(std::chrono::seconds{10})->change.id, "10");
  const auto requests = server.requests();
  EXPECT_TRUE(requests[0].starts_with("GET /v1/events?jobs=7-8 HTTP/1.1\r\n"));
  EXPECT_TRUE(requests[1].starts_with("GET /v1/events?jobs=7-8&after=9 HTTP/1.1\r\n"));
  EXPECT_NE(requests[1].find("\r\nLast-Event-ID: 9\r\n"), std::string::npos);
}

TEST(ChangeFeed, AsksForEverythingWhenItWasDroppedBeforeTheFirstChange) {
  const std::string head = "HTTP/1.1 200 OK\r\n\r\n";
  FakeServer server({{head}, {head, "event: job\ndata: {\"id\":8}\n\nid: 12\n\n"}, {head}});
  const Client client({server.path()});
  ChangeFeed feed(client, "");
  ASSERT_TRUE(feed.open());
  EXPECT_EQ(feed.next(std::chrono::seconds{10})->by, ChangeFeed::Woken::kTime);
  EXPECT_EQ(feed.next(std::chrono::seconds{10})->change.id, "");
  EXPECT_EQ(feed.next(std::chrono::seconds{10})->by, ChangeFeed::Woken::kTime);
  const auto requests = server.requests();
  EXPECT_TRUE(requests[0].starts_with("GET /v1/events HTTP/1.1\r\n"));
  EXPECT_TRUE(requests[1].starts_with("GET /v1/events?after=0 HTTP/1.1\r\n"));
  EXPECT_TRUE(requests[2].starts_with("GET /v1/events?after=12 HTTP/1.1\r\n"));
}

TEST(ChangeFeed, NeverWaitsForTheRestOfWhatHasBegun) {
  // The end of the chunk, and then silence: only the timeout may end the wait.
  FakeServer server({{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "8\r\n: hello\n\r\n",
                      "20\r\ndata: half"}},
                    FakeServer::Manner::kStaysOpen);
  const Client client({server.path()});
  ChangeFeed feed(client, "");
  ASSERT_TRUE(feed.open());
  EXPECT_EQ(feed.next(std::chrono::milliseconds{50})->by, ChangeFeed::Woken::kTime);
  EXPECT_FALSE(feed.take_reconnected());
}

TEST(ExitCodes, AreTheJobsOwn) {
  const auto code = [](const char* json) { return exit_code_of_job(*parse_job(json)); };
  EXPECT_EQ(code(R"({"state":"completed","exit_code":0})"), 0);
  EXPECT_EQ(code(R"({"state":"failed","cause":"exit","exit_code":3})"), 3);
  EXPECT_EQ(code(R"({"state":"failed","cause":"signal","signal":9})"), 137);
  EXPECT_EQ(code(R"({"state":"failed","cause":"timeout","signal":15})"), 124);
  EXPECT_EQ(code(R"({"state":"cancelled","signal":15})"), 130);
  EXPECT_EQ(code(R"({"state":"failed","cause":"cuda_oom","exit_code":1})"), 1);
  EXPECT_EQ(code(R"({"state":"failed","cause":"dependency"})"), 1);
}

}  // namespace
}  // namespace gpusched::cli
