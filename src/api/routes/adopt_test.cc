// POST /v1/adopt and /disown over a real socket, with a process of the test's own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "api/test_daemon.h"
#include "http/test_client.h"

namespace gpusched::testing {
namespace {

// Below another process than the daemon, which is the test itself: the one between has gone.
class Orphan {
 public:
  Orphan() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t between = ::fork();
    if (between == 0) {
      const pid_t orphan = ::fork();
      if (orphan == 0) {
        ::pause();
        ::_exit(0);
      }
      ::_exit(::write(ends[1], &orphan, sizeof orphan) == sizeof orphan ? 0 : 1);
    }
    ::waitpid(between, nullptr, 0);
    EXPECT_EQ(::read(ends[0], &pid_, sizeof pid_), static_cast<ssize_t>(sizeof pid_));
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Orphan() { ::kill(pid_, SIGKILL); }
  std::string body(const std::string& more = {}) const {
    return "{\"pid\":" + std::to_string(pid_) + more + "}";
  }

 private:
  pid_t pid_ = 0;
};

constexpr const char* kOnCardOne = ",\"only_cards\":[1],\"vram_bytes\":1073741824";

TEST(AdoptRoute, MakesAProcessAJobOfItsOwner) {
  TestDaemon daemon;
  const Orphan orphan;
  const TestResponse dry =
      ask(daemon.socket(), "POST", "/v1/adopt?dry_run=1", orphan.body(kOnCardOne));
  ASSERT_EQ(dry.status, 200) << dry.body;
  EXPECT_NE(dry.body.find("\"dry_run\":true"), std::string::npos);
  const TestResponse done = ask(daemon.socket(), "POST", "/v1/adopt", orphan.body(kOnCardOne));
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_NE(done.body.find("\"id\":1"), std::string::npos);
  EXPECT_NE(done.body.find("\"adopted\":{"), std::string::npos) << done.body;
  ASSERT_EQ(daemon.on_loop([&] { return daemon.launcher().launched.size(); }), 1U);
  EXPECT_TRUE(daemon.launcher().launched[0].adopted);
  EXPECT_EQ(ask(daemon.socket(), "POST", "/v1/adopt", orphan.body(kOnCardOne)).status, 409);
  EXPECT_EQ(ask(daemon.socket(), "GET", "/v1/jobs/1/log").status, 409) << "it has none of ours";
  const TestResponse go = ask(daemon.socket(), "POST", "/v1/jobs/1/disown");
  EXPECT_NE(go.body.find("\"changed\":[1]"), std::string::npos) << go.body;
}

TEST(AdoptRoute, SaysWhatIsWrong) {
  TestDaemon daemon;
  const Orphan orphan;
  const auto answer = [&](const std::string& body) {
    return ask(daemon.socket(), "POST", "/v1/adopt", body);
  };
  EXPECT_EQ(answer("").status, 400);
  EXPECT_EQ(answer("{}").status, 400);
  EXPECT_EQ(answer(R"({"pid":"7"})").status, 400);
  EXPECT_EQ(answer(R"({"pid":4194304})").status, 404);
  const TestResponse nowhere = answer(orphan.body());
  EXPECT_EQ(nowhere.status, 400);
  EXPECT_NE(nowhere.message().find("on no card"), std::string::npos);
  const TestResponse self = answer("{\"pid\":" + std::to_string(::getpid()) + kOnCardOne + "}");
  EXPECT_EQ(self.status, 409) << self.body;
  EXPECT_EQ(answer(orphan.body(",\"retries\":2")).status, 400);
}

TEST(AdoptRoute, AProcessOfSomebodyElseIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  TestDaemon daemon;
  const Orphan orphan;
  const TestResponse answer =
      ask_as(1234, daemon.socket(), "POST", "/v1/adopt", orphan.body(kOnCardOne));
  EXPECT_EQ(answer.status, 403);
  EXPECT_NE(answer.message().find("one's own"), std::string::npos);
}

}  // namespace
}  // namespace gpusched::testing
