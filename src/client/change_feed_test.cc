#include "client/change_feed.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "client/fake_server.h"

namespace gpusched {
namespace {

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

TEST(ChangeFeed, IsNotAskedForAgainWhenTheDaemonSaysFarewell) {
  const std::string head = "HTTP/1.1 200 OK\r\n\r\n";
  FakeServer server({{head,
                      "event: job\nid: 9\ndata: {\"id\":7}\n\n"
                      "event: bye\ndata: {\"error\":{\"code\":\"unauthenticated\","
                      "\"message\":\"the token was revoked\"}}\n\n"}});
  const Client client({server.path()});
  ChangeFeed feed(client, "");
  ASSERT_TRUE(feed.open());
  EXPECT_EQ(feed.next(std::chrono::seconds{10})->change.id, "9");
  const auto ended = feed.next(std::chrono::seconds{10});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(ended.error().message, "the token was revoked");
  EXPECT_EQ(server.requests().size(), 1U);
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

// What lies in between lets the head of a stream through, and nothing after it.
class KeptBack : public ::testing::Test {
 protected:
  KeptBack() {
    server_ = *parse_server("https://box");
    server_.tls_program = place_ / "tls";
    server_.patience = Seconds{3};
    std::ofstream(place_ / "tls")
        << "#!/bin/sh\n"
        << R"(echo '{"gpusched_tls":1,"by_authority":true,"fingerprint":"AB","why_not":""}')"
        << "\nend=$(printf '\\r')\nread -r first\n"
        << "while read -r line && [ \"$line\" != \"$end\" ]; do :; done\n"
        << "case $first in\n*/v1/events*) " << kStream << ";;\nesac\n"
        << "echo x >>" << place_ / "asked"
        << "\nbody=\"{\\\"jobs\\\":[{\\\"id\\\":7,\\\"n\\\":$(wc -l <" << place_ / "asked"
        << ")}]}\"\n"
        << "printf 'HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s' ${#body} \"$body\"\n";
    ::chmod((place_ / "tls").c_str(), 0700);
  }
  static constexpr const char* kStream =
      "[ ! -e \"${0%/*}/head\" ] || printf 'HTTP/1.1 200 OK\\r\\n\\r\\n'; read -r more; exit 0";

  testing::TemporaryDirectory place_;
  Server server_;
};

TEST_F(KeptBack, RowsAreAskedForWhereNoStreamComesThrough) {
  for (const bool head : {false, true}) {
    if (head) std::ofstream(place_ / "head") << "";
    const Client client(server_);
    ChangeFeed feed(client, "7");
    feed.set_pace(
        {std::chrono::milliseconds{50}, std::chrono::seconds{50}, std::chrono::milliseconds{20}});
    ASSERT_TRUE(feed.open());
    auto next = feed.next(std::chrono::milliseconds{-1});
    while (next && next->by == ChangeFeed::Woken::kTime) {
      next = feed.next(std::chrono::milliseconds{-1});
    }
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_TRUE(feed.asks());
    EXPECT_EQ(next->by, ChangeFeed::Woken::kChange);
    EXPECT_EQ(next->change.kind, "job");
    EXPECT_TRUE(next->change.data.starts_with("{\"id\":7")) << next->change.data;
  }
}

TEST(ChangeFeed, OneThatDiedUnseenIsOpenedAgain) {
  const std::string head = "HTTP/1.1 200 OK\r\n\r\n";
  const std::vector<std::string> later{head, "event: job\nid: 10\ndata: {\"id\":8}\n\n"};
  // More than are needed: on a busy machine the second may be too slow, too.
  FakeServer server({{head, "event: job\nid: 9\ndata: {\"id\":7}\n\n"}, later, later, later},
                    FakeServer::Manner::kStaysOpen);
  const Client client({server.path()});
  ChangeFeed feed(client, "");
  feed.set_pace({std::chrono::seconds{50}, std::chrono::seconds{1}, std::chrono::seconds{2}});
  ASSERT_TRUE(feed.open());
  EXPECT_EQ(feed.next(std::chrono::seconds{60})->change.id, "9");
  auto next = feed.next(std::chrono::milliseconds{-1});
  while (next && next->by == ChangeFeed::Woken::kTime) {
    next = feed.next(std::chrono::milliseconds{-1});
  }
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->change.id, "10");
}

}  // namespace
}  // namespace gpusched
