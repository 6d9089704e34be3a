// What clients may do to the server without harming it or each other.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "api/test_daemon.h"
#include "http/test_client.h"
#include "http/unix_listener.h"

namespace gpusched::testing {
namespace {

constexpr std::chrono::milliseconds kShort{300};

TestDaemon::Options small_limits() {
  TestDaemon::Options options;
  options.limits.clients = 4;
  options.limits.clients_per_user = 3;
  options.limits.request_time = kShort;
  options.daemon_uid = ::getuid() + 1;  // So that the tests' user, unless root, has no extras.
  return options;
}

TEST(HttpServer, KeepsAConnectionForSeveralRequests) {
  TestDaemon daemon;
  TestClient client(daemon.socket());
  for (int i = 0; i < 3; ++i) {
    const TestResponse response = client.ask("GET", "/v1/version");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.headers.at("gpusched-version"), GPUSCHED_VERSION);
  }
}

TEST(HttpServer, AnswersRequestsThatComeTogether) {
  TestDaemon daemon;
  TestClient client(daemon.socket());
  const std::string one = "GET /v1/version HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(one + one + one);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.read().status, 200);
}

TEST(HttpServer, ReadsARequestByteByByte) {
  TestDaemon daemon;
  TestClient client(daemon.socket());
  for (const char c : std::string("GET /v1/version HTTP/1.1\r\nHost: x\r\n\r\n")) {
    client.send(std::string(1, c));
  }
  EXPECT_EQ(client.read().status, 200);
}

TEST(HttpServer, ClosesAfterHttp10) {
  TestDaemon daemon;
  TestClient client(daemon.socket());
  client.send("GET /v1/jobs HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(client.closed_by_peer());
}

TEST(HttpServer, RefusesALargeBodyBeforeReadingIt) {
  TestDaemon daemon;
  TestClient client(daemon.socket());
  client.send("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 104857600\r\n\r\n{");
  const TestResponse response = client.read();
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.code(), "too_large");
  EXPECT_EQ(response.message(), "this request's body may have at most 67108864 bytes");
}

TEST(HttpServer, AClientThatSendsAHundredMegabytesStillSeesTheAnswer) {
  TestDaemon daemon;
  TestClient client(daemon.socket());
  client.send("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 104857600\r\n\r\n");
  const std::string piece(1U << 20, 'x');
  for (int i = 0; i < 100 && client.try_send(piece); ++i) {
  }
  EXPECT_EQ(client.read().code(), "too_large");
  EXPECT_EQ(ask(daemon.socket(), "GET", "/v1/version").status, 200);
}

TEST(HttpServer, OnlyASubmissionMayBeLarge) {
  TestDaemon daemon;
  for (const char* request : {"POST /v1/leases", "PATCH /v1/jobs/1", "POST /v1/jobs/1/cancel",
                              "PUT /v1/groups/g", "POST /v1/adopt", "GET /v1/version"}) {
    TestClient client(daemon.socket());
    client.send(std::string(request) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n");
    EXPECT_EQ(client.read().code(), "too_large") << request;
    TestClient chunks(daemon.socket());
    chunks.send(std::string(request) +
                " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string piece = "10000\r\n" + std::string(65536, 'x') + "\r\n";
    for (int i = 0; i < 8 && chunks.try_send(piece); ++i) {
    }
    EXPECT_EQ(chunks.read().code(), "too_large") << request;
  }
  TestClient client(daemon.socket());
  client.send("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n");
  client.send(std::string(300000, ' '));
  EXPECT_EQ(client.read().status, 400);
}

TEST(HttpServer, BoundsABodyOfUnknownLength) {
  TestDaemon::Options options;
  options.limits.body_bytes = 1U << 20;
  TestDaemon daemon(options);
  TestClient client(daemon.socket());
  client.send("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string piece = "10000\r\n" + std::string(65536, 'x') + "\r\n";
  for (int i = 0; i < 32 && client.try_send(piece); ++i) {
  }
  EXPECT_EQ(client.read().code(), "too_large");
}

TEST(HttpServer, TellsAClientToContinue) {
  TestDaemon daemon;
  TestClient client(daemon.socket());
  client.send(
      "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  const std::string said =
      client.read_until([](const std::string& in) { return in.ends_with("\r\n\r\n"); });
  EXPECT_EQ(said, "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("{}");
  EXPECT_EQ(client.read().status, 400);
}

TEST(HttpServer, RefusesALargeHeader) {
  TestDaemon daemon;
  TestClient client(daemon.socket());
  client.try_send("GET /v1/version HTTP/1.1\r\nX: " + std::string(20000, 'x') + "\r\n\r\n");
  const TestResponse response = client.read();
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.code(), "too_large");
}

TEST(HttpServer, RefusesWhatIsNotHttp) {
  TestDaemon daemon;
  for (const char* bytes : {"hello\r\n\r\n", "\r\n\r\n\r\n", "GET\r\n\r\n",
                            "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                            "\x16\x03\x01\x02", "G\0T / HTTP/1.1\r\n\r\n",
                            "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
                            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    TestClient client(daemon.socket());
    client.send(bytes);
    client.shut_down_writing();
    const TestResponse response = client.read();
    EXPECT_TRUE(response.status == 400 || response.status == 0) << bytes << response.status;
  }
  EXPECT_EQ(ask(daemon.socket(), "GET", "/v1/version").status, 200);
}

TEST(HttpServer, GivesUpOnHalfARequest) {
  TestDaemon daemon(small_limits());
  for (const char* half :
       {"GET /v1/ver", "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"}) {
    TestClient client(daemon.socket());
    client.send(half);
    const TestResponse response = client.read();
    EXPECT_EQ(response.status, 400);
    EXPECT_NE(response.message().find("was not complete"), std::string::npos);
    EXPECT_TRUE(client.closed_by_peer());
  }
  EXPECT_TRUE(wait_until([&] { return daemon.clients() == 0; }));
}

TEST(HttpServer, TurnsTooManyClientsAway) {
  TestDaemon::Options options = small_limits();
  if (::getuid() == 0) options.limits.clients_per_user = 3;
  TestDaemon daemon(options);
  // Root has extra places.
  const int places = options.limits.clients_per_user + (::getuid() == 0 ? 8 : 0);
  const int all = options.limits.clients + (::getuid() == 0 ? 8 : 0);
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < std::min(places, all); ++i) {
    clients.push_back(std::make_unique<TestClient>(daemon.socket()));
    // Answered, so it surely has its place.
    (void)clients.back()->ask("GET", "/v1/version");
  }
  TestClient late(daemon.socket());
  const TestResponse response = late.read();
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.code(), "busy");
  clients.clear();
  EXPECT_TRUE(wait_until([&] { return daemon.clients() == 0; }));
  EXPECT_NE(ask(daemon.socket(), "GET", "/v1/version").status, 503);
}

TEST(HttpServer, ASlowReaderHarmsNobody) {
  TestDaemon daemon;
  daemon.add_jobs(2000);
  ASSERT_TRUE(wait_until([&] {
    return daemon.on_loop([&] { return daemon.engine().state().counts().queued >= 1990; });
  }));
  TestClient slow(daemon.socket());
  slow.send("GET /v1/jobs HTTP/1.1\r\nHost: x\r\n\r\n");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(ask(daemon.socket(), "GET", "/v1/version").status, 200);
  }
  const TestResponse response = slow.read();
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.json().find("jobs")->as<JsonArray>()->size(), 2000U);
}

TEST(HttpServer, AReaderThatLeavesIsForgotten) {
  TestDaemon daemon;
  daemon.add_jobs(2000);
  {
    TestClient slow(daemon.socket());
    slow.send("GET /v1/jobs HTTP/1.1\r\nHost: x\r\n\r\n");
    TestClient waiting(daemon.socket());
    waiting.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n");
    waiting.read_until([](const std::string& in) { return in.find("alive") != std::string::npos; });
  }
  EXPECT_TRUE(wait_until([&] { return daemon.clients() == 0; }));
}

// --- The socket ---------------------------------------------------------------------------------

TEST(UnixListener, MakesASocketOfTheAskedMode) {
  TempDirectory directory;
  const std::string path = directory.path() + "/s";
  const auto listener = listen_on_unix(path, 0666);
  ASSERT_TRUE(listener) << listener.error().message;
  struct stat about {};
  ASSERT_EQ(::stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0666U);
}

TEST(UnixListener, RefusesASocketThatIsInUse) {
  TempDirectory directory;
  const std::string path = directory.path() + "/s";
  auto first = listen_on_unix(path, 0600);
  ASSERT_TRUE(first);
  const auto second = listen_on_unix(path, 0600);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "a daemon already listens on the socket " + path);
  first->reset();
  EXPECT_TRUE(listen_on_unix(path, 0600)) << "a stale file is replaced";
}

TEST(UnixListener, LeavesOtherFilesAlone) {
  TempDirectory directory;
  const std::string path = directory.path() + "/s";
  std::ofstream(path) << "precious";
  const auto listener = listen_on_unix(path, 0600);
  ASSERT_FALSE(listener);
  EXPECT_NE(listener.error().message.find("is not a socket"), std::string::npos);
  EXPECT_EQ(::access(path.c_str(), F_OK), 0);
}

TEST(UnixListener, SaysThatAPathIsTooLong) {
  const auto listener = listen_on_unix("/tmp/" + std::string(120, 'x'), 0600);
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().code, ErrorCode::kInvalid);
  EXPECT_NE(listener.error().message.find("125 bytes, but the kernel takes at most 107"),
            std::string::npos)
      << listener.error().message;
}

TEST(UnixListener, SaysWhatIsWrongWithTheDirectory) {
  const auto listener = listen_on_unix("/nonexistent-directory/s", 0600);
  ASSERT_FALSE(listener);
  EXPECT_NE(listener.error().message.find("No such file"), std::string::npos);
}

TEST(UnixListener, TakesOverWhatSystemdMade) {
  TempDirectory directory;
  auto made = listen_on_unix(directory.path() + "/s", 0600);
  ASSERT_TRUE(made);
  EXPECT_FALSE(inherited_listener());
  ::setenv("LISTEN_PID", std::to_string(::getpid() + 1).c_str(), 1);
  ::setenv("LISTEN_FDS", "1", 1);
  EXPECT_FALSE(inherited_listener()) << "meant for another process";
  const int third = ::fcntl(3, F_DUPFD, 100);
  ::dup2(made->get(), 3);
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  ::setenv("LISTEN_FDS", "1", 1);
  auto inherited = inherited_listener();
  ASSERT_TRUE(inherited);
  EXPECT_EQ(inherited->get(), 3);
  EXPECT_EQ(::getenv("LISTEN_FDS"), nullptr);
  inherited->reset();
  if (third >= 0) {
    ::dup2(third, 3);
    ::close(third);
  }
}

}  // namespace
}  // namespace gpusched::testing
