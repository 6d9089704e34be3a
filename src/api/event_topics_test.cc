// One stream for a page: jobs, cards and what somebody has to see to.
#include "api/routes/test_routes.h"

namespace gpusched::testing {
namespace {

class EventTopics : public ::testing::Test {
 protected:
  EventTopics() : daemon(options()) {}

  TestDaemon::Options options() {
    TestDaemon::Options options;
    options.limits.look_every = std::chrono::milliseconds{10};
    options.problems = [this] { return problems; };
    return options;
  }
  void set_problems(std::vector<std::string> now) {
    daemon.on_loop([&] {
      problems = std::move(now);
      return true;
    });
  }
  TestClient open(const std::string& query, const std::string& headers = {}) {
    TestClient client(daemon.socket());
    client.send("GET /v1/events" + query + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n");
    return client;
  }
  static std::string hear(TestClient& client, const std::string& what) {
    return client.read_until([&](const std::string& in) { return in.find(what) != in.npos; });
  }
  TestResponse ask(const std::string& method, const std::string& target,
                   const std::string& body = {}) {
    return testing::ask(daemon.socket(), method, target, body);
  }

  std::vector<std::string> problems;
  TestDaemon daemon;
};

TEST_F(EventTopics, TellCardsAtOnceAndWhenTheyChange) {
  TestClient page = open("?topics=cards");
  const std::string first = hear(page, "event: cards\ndata: {\"schema\":1");
  EXPECT_EQ(first.find("drained"), std::string::npos);
  ASSERT_EQ(ask("POST", "/v1/gpus/0/drain", R"({"reason":"fan is loud"})").status, 200);
  hear(page, "fan is loud");
}

TEST_F(EventTopics, TellWhatSomebodyHasToSeeTo) {
  set_problems({"the disk is full"});
  TestClient page = open("?topics=alarms");
  hear(page, "event: alarms\ndata: {\"schema\":1,\"problems\":[\"the disk is full\"]}\n\n");
  set_problems({});
  hear(page, "event: alarms\ndata: {\"schema\":1,\"problems\":[]}\n\n");
}

TEST_F(EventTopics, TellNothingTwice) {
  TestClient page = open("?topics=alarms");
  hear(page, "\"problems\":[]");
  set_problems({"a"});
  const std::string heard = hear(page, "[\"a\"]");
  std::size_t told = 0;
  for (std::size_t at = 0; (at = heard.find("event: alarms", at)) != heard.npos; ++at) ++told;
  EXPECT_EQ(told, 2U) << heard;
}

TEST_F(EventTopics, AreOneStreamTogether) {
  TestClient page = open("?topics=jobs,cards,alarms");
  hear(page, "event: alarms");
  ASSERT_EQ(ask("POST", "/v1/jobs", a_job()).status, 200);
  hear(page, "event: job\nid: ");
}

TEST_F(EventTopics, LeaveOutWhatNobodyAskedFor) {
  TestClient alarms = open("?topics=alarms");
  hear(alarms, "event: alarms");
  TestClient jobs = open("");
  hear(jobs, ": alive");
  ASSERT_EQ(ask("POST", "/v1/jobs", a_job()).status, 200);
  ASSERT_EQ(ask("PUT", "/v1/groups/night", R"({"limit":4})").status, 200);
  set_problems({"a"});
  const std::string of_jobs = hear(jobs, "event: group");
  EXPECT_EQ(of_jobs.find("event: cards"), std::string::npos);
  EXPECT_EQ(of_jobs.find("event: alarms"), std::string::npos);
  const std::string of_alarms = hear(alarms, "[\"a\"]");
  EXPECT_EQ(of_alarms.find("event: job"), std::string::npos);
  EXPECT_EQ(of_alarms.find("event: group"), std::string::npos);
}

TEST_F(EventTopics, GoOnWhereTheClientStopped) {
  ASSERT_EQ(ask("POST", "/v1/jobs", a_job(R"("name":"first")")).status, 200);
  TestClient page = open("?topics=jobs,alarms&after=0");
  const std::string heard = page.read_until([](const std::string& in) {
    return in.find("id: ") != in.npos && in.find('\n', in.rfind("id: ")) != in.npos;
  });
  const std::size_t at = heard.rfind("id: ") + 4;
  const std::string last = heard.substr(at, heard.find('\n', at) - at);
  ASSERT_EQ(ask("POST", "/v1/jobs", a_job(R"("name":"second")")).status, 200);
  TestClient again = open("?topics=jobs,alarms", "Last-Event-ID: " + last + "\r\n");
  const std::string rest = hear(again, "\"second\"");
  EXPECT_NE(rest.find("event: alarms"), std::string::npos) << "who comes back is told it again";
}

TEST_F(EventTopics, ThatDoNotExistAreRefused) {
  const TestResponse response = ask("GET", "/v1/events?topics=jobs,weather");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.message(), "topics has \"weather\"; the topics are jobs, cards and alarms");
  EXPECT_EQ(ask("GET", "/v1/events?topics=").status, 400);
}

}  // namespace
}  // namespace gpusched::testing
