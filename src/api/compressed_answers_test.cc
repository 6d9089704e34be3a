// Answers for clients that take gzip: the same, in fewer bytes.
#include "api/routes/test_routes.h"
#include "tests/support/gunzip.h"

namespace gpusched::testing {
namespace {

class CompressedAnswers : public Routes {
 protected:
  static constexpr const char* kGzip = "Accept-Encoding: gzip, deflate\r\n";

  static std::string header(const TestResponse& response, const std::string& name) {
    const auto it = response.headers.find(name);
    return it == response.headers.end() ? "" : it->second;
  }
  // Says the same either way; returns how long it is compressed.
  std::size_t expect_same(const std::string& target) {
    const TestResponse plain = ask("GET", target);
    const TestResponse coded = ask("GET", target, "", kGzip);
    EXPECT_EQ(coded.status, 200);
    EXPECT_TRUE(coded.complete);
    EXPECT_EQ(header(plain, "content-encoding"), "");
    EXPECT_EQ(header(coded, "content-encoding"), "gzip") << target;
    EXPECT_EQ(header(plain, "vary"), "Accept-Encoding");
    EXPECT_EQ(header(coded, "vary"), "Accept-Encoding");
    EXPECT_EQ(header(plain, "etag"), header(coded, "etag"));
    bool whole = false;
    EXPECT_EQ(gunzip(coded.body, &whole), plain.body) << target;
    EXPECT_TRUE(whole);
    EXPECT_LT(coded.body.size(), plain.body.size() / 2);
    return coded.body.size();
  }
};

TEST_F(CompressedAnswers, SayTheSameWhateverTheirLength) {
  for (int i = 0; i < 10; ++i) submit(R"("hold":true)");
  expect_same("/v1/jobs");          // On the loop.
  expect_same("/v1/openapi.json");  // Beside it.
}

TEST_F(CompressedAnswers, AlsoListsThatAreWrittenPieceByPiece) {
  daemon.add_jobs(2000);
  ASSERT_TRUE(wait_until([this] {
    return daemon.on_loop([this] { return daemon.engine().state().counts().queued >= 1990; });
  }));
  // Times and reasons change from one moment to the next.
  expect_same("/v1/jobs?fields=id,state,name,command,values,user,tags,submitted_at,needs,group");
}

TEST_F(CompressedAnswers, ManyAtOnceOnOneConnection) {
  const std::string plain = ask("GET", "/v1/openapi.json").body;
  TestClient client(daemon.socket());
  for (int i = 0; i < 5; ++i) {
    const TestResponse response = client.ask("GET", "/v1/openapi.json", "", kGzip);
    EXPECT_EQ(gunzip(response.body), plain);
  }
}

TEST_F(CompressedAnswers, AreKnownByTheSameTag) {
  const TestResponse coded = ask("GET", "/v1/openapi.json", "", kGzip);
  const std::string known = "If-None-Match: " + header(coded, "etag") + "\r\n";
  EXPECT_TRUE(header(coded, "etag").starts_with("W/"));
  for (const std::string& also : {std::string(kGzip), std::string()}) {
    const TestResponse again = ask("GET", "/v1/openapi.json", "", known + also);
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(header(again, "content-encoding"), "");
  }
}

TEST_F(CompressedAnswers, LeaveTheRestAsItIs) {
  EXPECT_EQ(header(ask("GET", "/v1/version", "", kGzip), "content-encoding"), "") << "it is short";
  const TestResponse refused = ask("GET", "/v1/jobs/7", "", kGzip);
  EXPECT_EQ(refused.code(), "not_found");
  TestClient events(daemon.socket());
  events.send(std::string("GET /v1/events HTTP/1.1\r\nHost: x\r\n") + kGzip + "\r\n");
  const std::string heard =
      events.read_until([](const std::string& in) { return in.find(": alive") != in.npos; });
  EXPECT_EQ(heard.find("Content-Encoding"), std::string::npos);
}

// A client that asks for much and reads nothing is not waited for.
TEST_F(CompressedAnswers, AreDroppedWithTheirClients) {
  for (int i = 0; i < 20; ++i) {
    TestClient client(daemon.socket());
    client.send(std::string("GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n") + kGzip + "\r\n");
  }
  EXPECT_TRUE(wait_until([this] { return daemon.clients() == 0; }));
  EXPECT_EQ(ask("GET", "/v1/version").status, 200);
}

}  // namespace
}  // namespace gpusched::testing
