// POST /v1/preview: what would become of a job that nobody submits.
#include "api/routes/test_routes.h"

namespace gpusched::testing {
namespace {

class PreviewRoute : public Routes {
 protected:
  TestResponse preview(const std::string& more = {}) {
    return ask("POST", "/v1/preview", a_job(more));
  }
  // Nothing has come since `jobs` were submitted.
  void expect_only(std::size_t jobs) {
    EXPECT_EQ(count(ask("GET", "/v1/jobs").json(), "jobs"), jobs);
    EXPECT_EQ(submit(R"("hold":true)"), jobs + 1) << "not even a number was used up";
  }
  static const JsonValue& first(const JsonValue& value, std::string_view name) {
    return value.find(name)->as<JsonArray>()->at(0);
  }
};

TEST_F(PreviewRoute, SaysThatAJobWouldStartAndWhere) {
  const TestResponse response = preview(R"("name":"grid")");
  ASSERT_EQ(response.status, 200) << response.body;
  const JsonValue answer = response.json();
  EXPECT_TRUE(*answer.find("starts_now")->as<bool>());
  EXPECT_EQ(number(answer, "count"), 1U);
  ASSERT_EQ(count(answer, "gpus"), 1U);
  EXPECT_TRUE(*first(answer, "gpus").find("whole")->as<bool>());
  EXPECT_EQ(count(answer, "reasons"), 0U);
  EXPECT_EQ(text(first(answer, "jobs"), "name"), "grid");
  expect_only(0);
}

TEST_F(PreviewRoute, GivesTheReasonsThatExplainGivesOnceItIsSubmitted) {
  submit();
  submit();
  const JsonValue answer = preview().json();
  EXPECT_FALSE(*answer.find("starts_now")->as<bool>());
  EXPECT_EQ(count(answer, "gpus"), 0U);
  ASSERT_GE(count(answer, "reasons"), 1U);
  const std::uint64_t id = submit();
  const JsonValue explained = ask("GET", fmt::format("/v1/jobs/{}/explain", id)).json();
  const JsonValue& would = first(answer, "reasons");
  const JsonValue& is = first(explained, "reasons");
  EXPECT_EQ(text(would, "code"), "cards");
  for (const char* name : {"code", "message", "no_room"}) {
    EXPECT_EQ(text(would, name), text(is, name)) << name;
  }
  EXPECT_EQ(count(would, "jobs"), count(is, "jobs"));
  EXPECT_EQ(count(would, "missing"), count(is, "missing"));
  expect_only(3);
}

TEST_F(PreviewRoute, SaysWhatWouldHelp) {
  ASSERT_EQ(ask("PUT", "/v1/groups/night", R"({"limit":1,"paused":true})").status, 200);
  const TestResponse response = preview(R"("group":"night")");
  const JsonValue answer = response.json();
  ASSERT_GE(count(answer, "reasons"), 1U) << response.body;
  EXPECT_EQ(text(first(answer, "reasons"), "code"), "group_paused");
  EXPECT_NE(text(first(answer, "reasons"), "helps"), "(none)") << response.body;
}

TEST_F(PreviewRoute, RefusesWhatASubmissionIsRefusedFor) {
  const std::vector<std::string> bad = {"{", a_job(R"("prioritty":1)"), a_job(R"("gpus":99)"),
                                        a_job(R"("after":[{"job":7,"kind":"ok"}])"), ""};
  for (const std::string& body : bad) {
    const TestResponse tried = ask("POST", "/v1/preview", body);
    const TestResponse real = ask("POST", "/v1/jobs", body);
    EXPECT_GE(tried.status, 400) << body;
    EXPECT_EQ(tried.status, real.status) << body;
    EXPECT_EQ(tried.message(), real.message()) << body;
  }
  EXPECT_EQ(ask("POST", "/v1/preview?dry_run=1", a_job()).status, 400);
  EXPECT_EQ(ask("GET", "/v1/preview").status, 405);
  expect_only(0);
}

TEST_F(PreviewRoute, TakesALargeSweep) {
  std::string body = R"({"command":["echo","{n}"],"working_directory":"/tmp"})";
  for (int i = 0; i < 5000; ++i) body += fmt::format("\n{{\"values\":{{\"n\":\"{}\"}}}}", i);
  ASSERT_GT(body.size(), 64U << 10);
  const TestResponse response =
      ask("POST", "/v1/preview", body, "Content-Type: application/x-ndjson\r\n");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(number(response.json(), "count"), 5000U);
  EXPECT_EQ(count(response.json(), "commands"), 3U);
  expect_only(0);
}

TEST_F(PreviewRoute, ManyAtOnceKeepNobodyWaiting) {
  std::vector<TestClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back(daemon.socket());
    const std::string body = a_job();
    clients.back().send(fmt::format(
        "POST /v1/preview HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
  }
  EXPECT_EQ(ask("GET", "/v1/version").status, 200);
  for (TestClient& client : clients) EXPECT_EQ(client.read().status, 200);
}

}  // namespace
}  // namespace gpusched::testing
