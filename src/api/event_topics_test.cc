// One stream for a page: jobs, cards and what somebody has to see to.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

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
  std::string log_of(int job, int attempt = 1) {
    const std::string directory =
        fmt::format("{}/jobs/{}/{}", daemon.state_directory(), job, attempt);
    std::filesystem::create_directories(directory);
    return directory + "/log";
  }
  static void append(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::app | std::ios::binary) << bytes;
  }
  // A job that runs and has written this.
  void run_job(int id, const std::string& wrote) {
    ASSERT_EQ(ask("POST", "/v1/jobs", a_job()).status, 200);
    append(log_of(id), wrote);
    daemon.start_job(static_cast<std::uint64_t>(id));
  }
  // Until an event of a log has come that ends so, as it is written in JSON.
  static std::string hear_log(TestClient& client, const std::string& end) {
    return hear(client, end + "\"}\n\n");
  }
  // The text of all log events of one job, and the last id.
  struct Logged {
    std::string text, last_id;
  };
  static Logged logged(const std::string& heard, int job) {
    Logged all;
    const std::string mark = "event: log\nid: ";
    for (std::size_t at = 0; (at = heard.find(mark, at)) != heard.npos;) {
      const std::size_t id = at + mark.size();
      const std::size_t data = heard.find("\ndata: ", id);
      const std::size_t end = heard.find("\n\n", id);
      if (data == heard.npos || end == heard.npos) break;
      all.last_id = heard.substr(id, data - id);
      const auto event = parse_json(heard.substr(data + 7, end - data - 7));
      EXPECT_TRUE(event) << heard;
      if (number(*event, "job") == static_cast<std::uint64_t>(job)) {
        EXPECT_EQ(number(*event, "next"), number(*event, "offset") + text(*event, "text").size());
        all.text += text(*event, "text");
      }
      at = end;
    }
    return all;
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
  hear(page,
       "event: alarms\ndata: {\"schema\":1,\"problems\":[\"the disk is full\"],\"alarms\":[]}\n\n");
  set_problems({});
  hear(page, "event: alarms\ndata: {\"schema\":1,\"problems\":[],\"alarms\":[]}\n\n");
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
  EXPECT_EQ(response.message(),
            "topics has \"weather\"; the topics are jobs, cards, alarms and logs:ID");
  EXPECT_EQ(ask("GET", "/v1/events?topics=").status, 400);
}

TEST_F(EventTopics, TellWhatAJobWrites) {
  run_job(1, "one\n");
  TestClient page = open("?topics=logs:1");
  hear_log(page, R"(one\n)");
  append(log_of(1), "two\nthr");
  const std::string heard = hear_log(page, "thr");
  EXPECT_EQ(logged(heard, 1).text, "one\ntwo\nthr");
  EXPECT_NE(heard.find(R"(data: {"job":1,"attempt":1,"offset":0,"next":4,"text":"one\n"})"),
            std::string::npos)
      << heard;
}

TEST_F(EventTopics, GoOnInEveryLogWhereTheClientStopped) {
  run_job(1, "one\n");
  run_job(2, "eins\n");
  TestClient page = open("?topics=jobs,cards,alarms,logs:1,logs:2&after=0");
  hear_log(page, R"(one\n)");
  const std::string heard = hear_log(page, R"(eins\n)");
  const Logged first = logged(heard, 1);
  EXPECT_TRUE(first.last_id.ends_with(",1.1.4,2.1.5")) << first.last_id;
  append(log_of(1), "two\n");
  append(log_of(2), "zwei\n");
  ASSERT_EQ(ask("POST", "/v1/jobs", a_job(R"("name":"third")")).status, 200);
  TestClient again =
      open("?topics=jobs,cards,alarms,logs:1,logs:2", "Last-Event-ID: " + first.last_id + "\r\n");
  hear(again, "third");
  hear_log(again, R"(two\n)");
  const std::string rest = hear_log(again, R"(zwei\n)");
  EXPECT_EQ(logged(rest, 1).text, "two\n");
  EXPECT_EQ(logged(rest, 2).text, "zwei\n");
  EXPECT_NE(rest.find("event: alarms"), std::string::npos);
}

TEST_F(EventTopics, ALongLogComesWholeInPieces) {
  std::string much;
  for (int i = 0; i < 20'000; ++i) much += fmt::format("line {:08}\n", i);
  run_job(1, much);
  TestClient page = open("?topics=logs:1.1.0");
  EXPECT_EQ(logged(hear_log(page, R"(line 00019999\n)"), 1).text, much);
  TestClient late = open("?topics=logs:1");
  const std::string last = logged(hear_log(late, R"(line 00019999\n)"), 1).text;
  EXPECT_TRUE(much.ends_with(last));
  EXPECT_LE(last.size(), 64U << 10) << "who has seen nothing gets its last part";
}

TEST_F(EventTopics, AFastLogKeepsNothingElseFromBeingTold) {
  run_job(1, "fast\n");
  run_job(2, "slow\n");
  std::atomic<bool> enough = false;
  const std::string path = log_of(1);
  std::thread writer([&] {
    while (!enough) append(path, std::string(4095, 'x') + "\n");
  });
  TestClient page = open("?topics=jobs,alarms,logs:1,logs:2");
  hear_log(page, R"(slow\n)");
  set_problems({"the disk is full"});
  hear(page, "the disk is full");
  EXPECT_EQ(ask("POST", "/v1/jobs", a_job(R"("name":"third")")).status, 200);
  hear(page, "third");
  append(log_of(2), "slower\n");
  hear_log(page, R"(slower\n)");
  enough = true;
  writer.join();
}

TEST_F(EventTopics, ALogGoesOnWithTheNextAttempt) {
  run_job(1, "first\n");
  TestClient page = open("?topics=logs:1");
  hear_log(page, R"(first\n)");
  daemon.end_job(1, 1);
  ASSERT_TRUE(wait_until(
      [&] { return ask("GET", "/v1/jobs/1").body.find(R"("failed")") != std::string::npos; }));
  append(log_of(1, 2), "second\n");
  ASSERT_EQ(ask("POST", "/v1/jobs/1/requeue").status, 200);
  const std::string heard = hear_log(page, R"(second\n)");
  EXPECT_EQ(logged(heard, 1).text, "first\nsecond\n");
  EXPECT_TRUE(logged(heard, 1).last_id.ends_with(",1.2.7")) << heard;
}

TEST_F(EventTopics, ACharacterIsToldWhole) {
  run_job(1, "gr\xc3");
  TestClient page = open("?topics=logs:1");
  hear(page, "gr");
  append(log_of(1), "\xbc\xc3\x9f");
  hear_log(page, "\"text\":\"\xc3\xbc\xc3\x9f");
}

TEST_F(EventTopics, OnlyWhoMayReadALogIsToldIt) {
  run_job(1, "secret\n");
  if (::getuid() == 0) {  // Who can be somebody else.
    const TestResponse other = ask_as(4321, daemon.socket(), "GET", "/v1/events?topics=logs:1");
    EXPECT_EQ(other.status, 403);
    EXPECT_NE(other.message().find("may read its log"), std::string::npos);
  }
  EXPECT_EQ(ask("GET", "/v1/events?topics=logs:99").status, 404);
  for (const char* wrong : {"logs:", "logs:x", "logs:1.2", "logs:1.1.-4", "logs:1,logs:1"}) {
    EXPECT_EQ(ask("GET", fmt::format("/v1/events?topics={}", wrong)).status, 400) << wrong;
  }
}

TEST_F(EventTopics, OneStreamHasSoManyLogs) {
  std::string topics;
  for (int i = 1; i <= 17; ++i) {
    ASSERT_EQ(ask("POST", "/v1/jobs", a_job()).status, 200);
    topics += fmt::format("{}logs:{}", i == 1 ? "" : ",", i);
  }
  const TestResponse refused = ask("GET", "/v1/events?topics=" + topics);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.message(), "one stream has at most 16 logs");
}

}  // namespace
}  // namespace gpusched::testing
