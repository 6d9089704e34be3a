// GET /v1/jobs/{id}/terminal: who gets it, and what is passed on. The supervisor is the test.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "api/routes/test_routes.h"
#include "jobdir/control_protocol.h"

namespace gpusched::testing {
namespace {

constexpr const char* kUpgrade = "Connection: Upgrade\r\nUpgrade: gpusched-terminal\r\n";

std::string as_frame(const ControlMessage& message) {
  const std::string packet = encode(message);
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>((packet.size() >> shift) & 0xff);
  }
  return out + packet;
}

class Terminals : public ::testing::Test {
 protected:
  Terminals() : daemon(options()) {}
  static TestDaemon::Options options() {
    TestDaemon::Options options;
    options.daemon_uid = ::getuid();
    return options;
  }
  TestResponse ask(const std::string& target, const std::string& headers = kUpgrade) {
    return testing::ask(daemon.socket(), "GET", target, {}, headers);
  }
  // Job 1, which runs and has a terminal.
  void run_job() {
    ASSERT_EQ(
        testing::ask(daemon.socket(), "POST", "/v1/jobs", a_job(R"("attach":"pipes")")).status,
        200);
    daemon.start_job(1);
  }
  void listen_as_supervisor() {
    const std::string directory = daemon.state_directory() + "/jobs/1/1";
    std::filesystem::create_directories(directory);
    listener.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, (directory + "/control").c_str(), sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener.get(), 4), 0);
  }
  TestClient open() {
    TestClient client(daemon.socket());
    client.send(std::string("GET /v1/jobs/1/terminal?attempt=1 HTTP/1.1\r\nHost: x\r\n") +
                kUpgrade + "\r\n");
    const std::string head =
        client.read_until([](const std::string& in) { return in.find("\r\n\r\n") != in.npos; });
    EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
    supervisor.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return client;
  }
  ControlMessage heard() {
    std::array<char, kLargestControlPacket> buffer{};
    const ssize_t got = ::recv(supervisor.get(), buffer.data(), buffer.size(), 0);
    const auto message =
        decode_control({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
    EXPECT_TRUE(message);
    return message ? *message : ControlMessage(Done{});
  }

  TestDaemon daemon;
  Fd listener, supervisor;
};

TEST_F(Terminals, NeedAnUpgrade) {
  run_job();
  for (const char* headers :
       {"", "Upgrade: gpusched-terminal\r\n", "Connection: Upgrade\r\nUpgrade: websocket\r\n"}) {
    TestResponse response = ask("/v1/jobs/1/terminal", headers);
    EXPECT_EQ(response.status, 426) << headers;
    EXPECT_EQ(response.headers["upgrade"], "gpusched-terminal");
    EXPECT_NE(response.message().find("Upgrade: gpusched-terminal"), std::string::npos);
  }
}

TEST_F(Terminals, AreOfJobsThatRunAndHaveOne) {
  EXPECT_EQ(ask("/v1/jobs/1/terminal").code(), "not_found");
  run_job();
  EXPECT_EQ(ask("/v1/jobs/1/terminal?attempt=2").message(), "job 1 is at its attempt 1");
  EXPECT_EQ(ask("/v1/jobs/1/terminal?attempt=x").code(), "invalid");
  EXPECT_EQ(ask("/v1/jobs/1/terminal").message(),
            "the terminal of job 1 is not there yet, or no more");
  daemon.end_job(1);
  EXPECT_EQ(ask("/v1/jobs/1/terminal").message(), "job 1 does not run at the moment");
  ASSERT_EQ(testing::ask(daemon.socket(), "POST", "/v1/jobs", a_job()).status, 200);
  EXPECT_EQ(ask("/v1/jobs/2/terminal").code(), "conflict");
}

TEST_F(Terminals, CarryWhatAnOwnerMaySayAndNothingElse) {
  run_job();
  listen_as_supervisor();
  TestClient client = open();
  client.send(as_frame(SetTime{}) + as_frame(PauseCommand{}) + as_frame(LetGoCommand{}) +
              as_frame(AttachFromAfar{24, 80, 7}) + as_frame(InputData{"typed"}));
  EXPECT_TRUE(std::holds_alternative<AttachFromAfar>(heard()));
  EXPECT_EQ(std::get<InputData>(heard()).bytes, "typed");
  const std::string refusal = as_frame(Refused{"this is not passed on to a supervisor"});
  client.read_until(
      [&](const std::string& in) { return in.ends_with(refusal + refusal + refusal); });
  const std::string said = encode(OutputData{"shown"});
  ASSERT_GT(::send(supervisor.get(), said.data(), said.size(), 0), 0);
  client.read_until(
      [&](const std::string& in) { return in.ends_with(as_frame(OutputData{"shown"})); });
}

TEST_F(Terminals, AreTheirOwnersAlone) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root to be several users";
  run_job();
  listen_as_supervisor();
  TestClient other(daemon.socket(), 4321);
  const TestResponse response = other.ask("GET", "/v1/jobs/1/terminal", {}, kUpgrade);
  EXPECT_EQ(response.status, 403);
  EXPECT_NE(response.message().find("only its owner and administrators attach"), std::string::npos);
}

}  // namespace
}  // namespace gpusched::testing
