#include "client/asked_changes.h"

#include <gtest/gtest.h>

#include "client/fake_server.h"

namespace gpusched {
namespace {

std::string rows(const std::string& text) {
  const std::string body = "{\"schema\":1,\"jobs\":[" + text + "]}";
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(AskedChanges, AreTheRowsThatDiffer) {
  const std::string one = R"({"id":1,"state":"running"})";
  const std::string two = R"({"id":2,"state":"queued"})";
  const std::string ended = R"({"id":1,"state":"completed"})";
  FakeServer server(
      {{rows(one)}, {rows(one)}, {rows(one + "," + two)}, {rows(two)}, {rows(ended)}});
  const Client client({server.path()});
  AskedChanges changes(client, "all");
  EXPECT_TRUE(changes.look()->empty()) << "what was there before is no news";
  EXPECT_TRUE(changes.look()->empty());
  auto came = changes.look();
  ASSERT_EQ(came->size(), 1U);
  EXPECT_EQ(came->front().data, two);
  EXPECT_EQ(came->front().kind, "job");
  auto gone = changes.look();
  ASSERT_EQ(gone->size(), 1U) << "how it ended is asked for";
  EXPECT_EQ(gone->front().data, ended);
  const auto asked = server.requests();
  EXPECT_TRUE(asked[0].starts_with("GET /v1/jobs?state=active,waiting "));
  EXPECT_TRUE(asked[4].starts_with("GET /v1/jobs?ids=1 "));
}

TEST(AskedChanges, BeginWithAPictureWhereSomethingMayHaveBeenMissed) {
  FakeServer server({{rows(R"({"id":7,"state":"running"})")}});
  const Client client({server.path()});
  const auto all = AskedChanges(client, "", AskedChanges::First::kPicture).look();
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().id, "") << "the mark of a picture";
}

TEST(AskedChanges, OfSomeJobsAreAskedForByTheirNumbers) {
  FakeServer server(
      {{rows(R"({"id":7,"state":"running"})")}, {rows(R"({"id":7,"state":"failed"})")}});
  const Client client({server.path()});
  AskedChanges changes(client, "7");
  EXPECT_TRUE(changes.look()->empty());
  EXPECT_EQ(changes.look()->size(), 1U);
  EXPECT_TRUE(server.requests()[0].starts_with("GET /v1/jobs?ids=7 "));
}

}  // namespace
}  // namespace gpusched
