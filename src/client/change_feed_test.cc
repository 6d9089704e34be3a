#include "client/change_feed.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gpusched
