// Answers that take their time: events, logs, waiting.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/test_daemon.h"
#include "http/test_client.h"

namespace gpusched::testing {
namespace {

constexpr const char* kJob = R"({"command":["true"],"working_directory":"/tmp"})";

class Streams : public ::testing::Test {
 protected:
  TestResponse ask(const std::string& method, const std::string& target,
                   const std::string& body = {}) {
    return testing::ask(daemon.socket(), method, target, body);
  }
  void submit() { ASSERT_EQ(ask("POST", "/v1/jobs", kJob).status, 200); }
  TestClient open(const std::string& target, const std::string& headers = {}) {
    TestClient client(daemon.socket());
    client.send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n{}\r\n", target, headers));
    return client;
  }
  static std::string read_until(TestClient& client, const std::string& text) {
    return client.read_until(
        [&](const std::string& in) { return in.find(text) != std::string::npos; });
  }
  std::string log_of(int job, int attempt) {
    const std::string directory =
        fmt::format("{}/jobs/{}/{}", daemon.state_directory(), job, attempt);
    std::filesystem::create_directories(directory);
    return directory + "/log";
  }
  static void append(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::app | std::ios::binary) << bytes;
  }

  TestDaemon daemon;
};

TEST_F(Streams, TheLogOfAJobThatIsJustStartingIsEmpty) {
  submit();
  const TestResponse early = ask("GET", "/v1/jobs/1/log");
  EXPECT_EQ(early.status, 200);
  EXPECT_EQ(early.body, "");
  daemon.start_job(1);
  EXPECT_EQ(ask("GET", "/v1/jobs/1/log").status, 404) << "a file that should be there is not";
}

// --- Events -------------------------------------------------------------------------------------

TEST_F(Streams, EventsTellOfEveryChange) {
  TestClient client = open("/v1/events");
  EXPECT_NE(read_until(client, ": alive").find("text/event-stream"), std::string::npos);
  submit();
  EXPECT_NE(read_until(client, "\"state\":\"starting\"").find("event: job\nid: "),
            std::string::npos);
  daemon.start_job(1);
  daemon.end_job(1, 3);
  EXPECT_NE(read_until(client, "\"exit_code\":3").find("\"state\":\"failed\""), std::string::npos);
  ASSERT_EQ(ask("PUT", "/v1/groups/night", R"({"limit":4})").status, 200);
  EXPECT_NE(read_until(client, "event: group").find("event: group"), std::string::npos);
}

TEST_F(Streams, EveryOneOfManyStreamsIsTold) {
  constexpr int kStreams = 50;
  std::vector<TestClient> clients;
  for (int i = 0; i < kStreams; ++i) {
    clients.push_back(open("/v1/events"));
    read_until(clients.back(), ": alive");
  }
  for (int i = 0; i < 3; ++i) submit();
  ask("POST", "/v1/jobs/3/cancel");
  for (TestClient& client : clients) {
    const std::string in = read_until(client, "\"state\":\"cancelled\"");
    EXPECT_NE(in.find("\"id\":1,"), std::string::npos);
    EXPECT_NE(in.find("\"id\":2,"), std::string::npos);
  }
}

TEST_F(Streams, EventsCanBeNarrowed) {
  submit();
  submit();
  TestClient client = open("/v1/events?jobs=2");
  read_until(client, ": alive");
  ask("POST", "/v1/jobs/1/cancel");
  ask("POST", "/v1/jobs/2/cancel");
  const std::string in = read_until(client, "\"id\":2");
  EXPECT_NE(in.find("\"id\":2"), std::string::npos);
  EXPECT_EQ(in.find("\"id\":1,"), std::string::npos);
}

TEST_F(Streams, EventsAreReplayedToWhoComesBack) {
  submit();
  submit();
  const JsonValue trail = ask("GET", "/v1/jobs/1/events").json();
  const std::uint64_t first =
      *trail.find("events")->as<JsonArray>()->at(0).find("sequence")->as<std::uint64_t>();
  ask("POST", "/v1/jobs/2/cancel");
  TestClient client = open("/v1/events", fmt::format("Last-Event-ID: {}\r\n", first));
  const std::string in = read_until(client, "\"id\":2");
  EXPECT_NE(in.find("\"id\":1,"), std::string::npos) << in;
  EXPECT_NE(in.find("\"id\":2,"), std::string::npos) << in;
}

TEST_F(Streams, WhoAsksForWhatIsForgottenGetsEverything) {
  submit();
  submit();
  TestClient client = open("/v1/events?after=999999");
  const std::string in = read_until(client, "\nid: ");
  EXPECT_NE(in.find("\"id\":1,"), std::string::npos) << in;
  EXPECT_NE(in.find("\"id\":2,"), std::string::npos) << in;
}

TEST(EventStreams, AClientThatFallsFarBehindIsDropped) {
  TestDaemon::Options options;
  options.limits.recent_changes = 10;
  TestDaemon daemon(options);
  TestClient client(daemon.socket());
  client.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read_until([](const std::string& in) { return in.find("alive") != std::string::npos; });
  daemon.add_jobs(500);  // In one turn: more than is remembered.
  EXPECT_TRUE(client.closed_by_peer());
  EXPECT_EQ(ask(daemon.socket(), "GET", "/v1/version").status, 200);
}

TEST(EventStreams, HeartbeatsComeByThemselves) {
  TestDaemon::Options options;
  options.limits.heartbeat = std::chrono::milliseconds(20);
  TestDaemon daemon(options);
  TestClient client(daemon.socket());
  client.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n");
  // The first comes at once, by the request; the others by the clock.
  client.read_until([](const std::string& text) {
    std::size_t beats = 0;
    for (std::size_t at = 0; (at = text.find(": alive", at)) != std::string::npos; ++at) ++beats;
    return beats >= 3;
  });
}

// --- Waiting ------------------------------------------------------------------------------------

TEST_F(Streams, WaitAnswersWhenAllHaveEnded) {
  submit();
  submit();
  TestClient client = open("/v1/jobs/1-2/wait");
  daemon.start_job(1);
  daemon.end_job(1);
  EXPECT_TRUE(client.hears_nothing());
  daemon.start_job(2);
  daemon.end_job(2, 7);
  const TestResponse response = client.read();
  EXPECT_TRUE(*response.json().find("done")->as<bool>());
  EXPECT_NE(response.body.find("\"exit_code\":7"), std::string::npos);
}

TEST_F(Streams, WaitGivesUpAfterItsTime) {
  submit();
  const TestResponse response = ask("GET", "/v1/jobs/1/wait?timeout_ms=20");
  EXPECT_FALSE(*response.json().find("done")->as<bool>());
  EXPECT_NE(response.body.find("\"id\":1"), std::string::npos);
}

TEST_F(Streams, WaitForWhatHasEndedAnswersAtOnce) {
  submit();
  ask("POST", "/v1/jobs/1/cancel");
  daemon.start_job(1);
  daemon.end_job(1);
  ASSERT_TRUE(wait_until([&] {
    return ask("GET", "/v1/jobs/1").body.find("\"state\":\"starting\"") == std::string::npos;
  }));
  EXPECT_TRUE(*ask("GET", "/v1/jobs/1/wait").json().find("done")->as<bool>());
}

TEST_F(Streams, AWaitingClientThatLeavesIsForgotten) {
  submit();
  {
    TestClient client = open("/v1/jobs/1/wait");
    ASSERT_TRUE(wait_until([&] { return daemon.clients() == 1; }));
  }
  EXPECT_TRUE(wait_until([&] { return daemon.clients() == 0; }));
  daemon.start_job(1);
  daemon.end_job(1);
  EXPECT_EQ(ask("GET", "/v1/version").status, 200);
}

// --- Logs ---------------------------------------------------------------------------------------

TEST_F(Streams, LogIsSentAsItIs) {
  submit();
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 7);
  append(log_of(1, 1), bytes);
  const TestResponse whole = ask("GET", "/v1/jobs/1/log");
  EXPECT_EQ(whole.headers.at("content-type"), "application/octet-stream");
  EXPECT_EQ(whole.headers.at("gpusched-log-size"), "300000");
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.body, bytes);
  EXPECT_EQ(ask("GET", "/v1/jobs/1/log?offset=299990").body, bytes.substr(299990));
  EXPECT_EQ(ask("GET", "/v1/jobs/1/log?offset=400000").body, "");
  EXPECT_EQ(ask("GET", "/v1/jobs/1/log?tail=5").body, bytes.substr(299995));
}

TEST_F(Streams, LogOfAJobThatHasNotStartedIsNotThere) {
  for (int i = 0; i < 3; ++i) submit();
  EXPECT_EQ(ask("GET", "/v1/jobs/3/log").message(), "job 3 has not started yet, so it has no log");
}

TEST_F(Streams, FollowedLogEndsWithTheAttempt) {
  submit();
  const std::string path = log_of(1, 1);
  append(path, "one\n");
  daemon.start_job(1);
  TestClient client = open("/v1/jobs/1/log?follow=1");
  read_until(client, "one\n");
  append(path, "two\n");
  EXPECT_NE(read_until(client, "two\n").find("two\n"), std::string::npos);
  append(path, "three\n");
  daemon.end_job(1);
  const TestResponse response = client.read();
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.body, "one\ntwo\nthree\n");
}

TEST_F(Streams, FollowedLogWaitsForTheStart) {
  for (int i = 0; i < 3; ++i) submit();
  TestClient client = open("/v1/jobs/3/log?follow=1");
  ASSERT_TRUE(wait_until([&] { return daemon.clients() == 1; }));
  append(log_of(3, 1), "hello\n");
  daemon.start_job(1);
  daemon.end_job(1);
  ASSERT_TRUE(wait_until([&] {
    return ask("GET", "/v1/jobs/3").body.find("\"state\":\"starting\"") != std::string::npos;
  }));
  daemon.start_job(3);
  daemon.end_job(3);
  const TestResponse response = client.read();
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.body, "hello\n");
}

TEST_F(Streams, FollowedLogOfACancelledJobIsEmpty) {
  for (int i = 0; i < 3; ++i) submit();
  TestClient client = open("/v1/jobs/3/log?follow=1");
  ASSERT_TRUE(wait_until([&] { return daemon.clients() == 1; }));
  ask("POST", "/v1/jobs/3/cancel");
  const TestResponse response = client.read();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
}

TEST_F(Streams, PunchedOutMiddleIsLeftOut) {
  submit();
  const std::string path = log_of(1, 1);
  const std::string head(4096, 'h');
  append(path, head);
  std::filesystem::resize_file(path, 1U << 20);
  append(path, "tail\n");
  const TestResponse response = ask("GET", "/v1/jobs/1/log");
  EXPECT_TRUE(response.complete);
  EXPECT_TRUE(response.body.starts_with(head));
  EXPECT_TRUE(response.body.ends_with("tail\n"));
  EXPECT_LT(response.body.size(), 20000U);
}

TEST_F(Streams, ManyFollowersOfOneLog) {
  submit();
  const std::string path = log_of(1, 1);
  append(path, "a");
  daemon.start_job(1);
  std::vector<TestClient> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(open("/v1/jobs/1/log?follow=1"));
  for (TestClient& client : clients) read_until(client, "1\r\na\r\n");
  append(path, "b");
  for (TestClient& client : clients) read_until(client, "1\r\nb\r\n");
  clients.erase(clients.begin() + 10, clients.end());
  daemon.end_job(1);
  for (TestClient& client : clients) EXPECT_EQ(client.read().body, "ab");
}

}  // namespace
}  // namespace gpusched::testing
