// What a real shim does for a real command, with and without control groups.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "jobdir/log_file.h"
#include "jobdir/process_tree.h"
#include "jobdir/record.h"
#include "launch/shim_harness.h"

namespace gpusched {
namespace {

const AttemptId kOne{JobId{1}, 1};

class Shim : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!harness_.why_not().empty()) GTEST_SKIP() << harness_.why_not();
  }
  const AttemptFinished* ended(AttemptId id = kOne) {
    for (const SeamReport& report : harness_.reports()) {
      const auto* one = std::get_if<AttemptFinished>(&report);
      if (one != nullptr && one->attempt == id) return one;
    }
    return nullptr;
  }
  AttemptFinished run(LaunchOrder order) {
    const AttemptId id = order.attempt;
    harness_.launcher().launch(std::move(order));
    EXPECT_TRUE(harness_.run_until([&] { return ended(id) != nullptr; }));
    return ended(id) == nullptr ? AttemptFinished{} : *ended(id);
  }
  bool run_until_log_has(const std::string& text) {
    return harness_.run_until([&] { return log().find(text) != std::string::npos; });
  }
  std::string log(AttemptId id = kOne) { return harness_.read(id, "log"); }
  void ask(const ControlMessage& message) {
    auto client = ControlClient::connect(harness_.attempt_path(kOne));
    ASSERT_TRUE(client) << client.error().message;
    const auto done = client->ask(message);
    EXPECT_TRUE(done) << done.error().message;
  }
  ShimHarness harness_{GetParam()};
};

TEST_P(Shim, MergesOutputIntoTheLogInTheOrderWritten) {
  run(harness_.shell_order(kOne, "echo one; echo two >&2; echo three"));
  EXPECT_EQ(log(), "one\ntwo\nthree\n");
  struct stat about {};
  ASSERT_EQ(::stat((harness_.attempt_path(kOne) + "/log").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600U);
}

TEST_P(Shim, GivesTheCommandItsEnvironmentAndNothingElse) {
  LaunchOrder order = harness_.shell_order(kOne, "env");
  auto environment = std::make_shared<Environment>();
  environment->variables = {"PATH=/usr/bin:/bin", "MINE=a b", "GPUSCHED_JOB_ID=stale", "odd"};
  order.command.environment = environment;
  order.command.added_variables = {{"GPUSCHED_JOB_ID", "1"}};
  run(std::move(order));
  EXPECT_NE(log().find("MINE=a b\n"), std::string::npos);
  EXPECT_NE(log().find("GPUSCHED_JOB_ID=1\n"), std::string::npos);
  EXPECT_EQ(log().find("stale"), std::string::npos);
  EXPECT_EQ(log().find("USER="), std::string::npos);
}

TEST_P(Shim, RunsTheCommandOnTheCpusNearItsCards) {
  LaunchOrder order = harness_.shell_order(kOne, "grep Cpus_allowed_list /proc/self/status");
  order.isolation.near = {"0", "0", 1};
  run(std::move(order));
  EXPECT_EQ(log(), "Cpus_allowed_list:\t0\n");
  // CPUs that there are not bind nobody, and are no failure.
  LaunchOrder elsewhere = harness_.shell_order({JobId{2}, 1}, "echo ran");
  elsewhere.isolation.near = {"8000-8001", "0", 2};
  EXPECT_EQ(run(std::move(elsewhere)).exit_code, 0);
  EXPECT_EQ(log({JobId{2}, 1}), "ran\n");
}

TEST_P(Shim, PassesNoDescriptorsOn) {
  run(harness_.shell_order(kOne, "ls /proc/self/fd"));
  // Three standard ones, and the directory that ls reads.
  EXPECT_EQ(log(), "0\n1\n2\n3\n");
}

TEST_P(Shim, TheCommandLeadsItsOwnSessionWithDefaultSignals) {
  run(harness_.shell_order(kOne,
                           "cut -d' ' -f1,5,6 /proc/$$/stat; grep -E 'SigIgn|SigBlk' "
                           "/proc/self/status"));
  std::istringstream lines(log());
  int pid = 0;
  int group = 1;
  int session = 2;
  lines >> pid >> group >> session;
  EXPECT_EQ(pid, group);
  EXPECT_EQ(pid, session);
  EXPECT_NE(log().find("SigBlk:\t0000000000000000"), std::string::npos) << log();
  // The C library's two internal signals cannot be reset, whoever has ignored them.
  EXPECT_TRUE(log().find("SigIgn:\t0000000000000000") != std::string::npos ||
              log().find("SigIgn:\t0000000180000000") != std::string::npos)
      << log();
}

TEST_P(Shim, AppliesUmaskLimitsAndDirectory) {
  LaunchOrder order = harness_.shell_order(kOne, "umask; ulimit -n; pwd");
  order.command.umask = 027;
  order.command.limits = {{RLIMIT_NOFILE, 123, 123}};
  order.command.working_directory = harness_.state();
  run(std::move(order));
  EXPECT_EQ(log(), "0027\n123\n" + harness_.state() + "\n");
}

TEST_P(Shim, RecordsUsage) {
  const AttemptFinished end = run(harness_.shell_order(kOne,
                                                       "i=0; while [ $i -lt 20000 ]; do "
                                                       "i=$((i+1)); done"));
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_GT((end.usage.user_cpu + end.usage.system_cpu).count(), 0);
  EXPECT_GT(end.usage.max_rss_bytes, 100'000U);
}

TEST_P(Shim, MakesACheckpointDirectoryThatOutlivesTheAttempt) {
  run(harness_.shell_order(kOne, "echo step > $GPUSCHED_CHECKPOINT_DIR/state"));
  const AttemptId two{JobId{1}, 2};
  run(harness_.shell_order(two, "cat $GPUSCHED_CHECKPOINT_DIR/state"));
  EXPECT_EQ(log(two), "step\n");
}

TEST_P(Shim, WritesToTheFilesThatTheUserChose) {
  LaunchOrder order = harness_.shell_order(kOne, "echo out; echo err >&2");
  order.command.working_directory = harness_.state();
  order.command.output_path = "chosen.out";
  order.command.error_path = harness_.state() + "/chosen.err";
  run(std::move(order));
  const auto content = [&](const std::string& name) {
    std::ifstream file(harness_.state() + "/" + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  };
  EXPECT_EQ(content("chosen.out"), "out\n");
  EXPECT_EQ(content("chosen.err"), "err\n");
  for (const LogStream stream : {LogStream::kOutput, LogStream::kError}) {
    const std::string name = stream == LogStream::kOutput ? "chosen.out" : "chosen.err";
    const auto opened = open_log(harness_.state(), kOne, stream, harness_.state() + "/" + name,
                                 Identity{::geteuid(), ::getegid(), {}});
    EXPECT_TRUE(opened) << opened.error().message;
  }
}

struct Failing {
  const char* name;
  void (*spoil)(LaunchOrder& order);
  const char* message;
  int exit_code;
};

TEST_P(Shim, SaysWhyACommandCouldNotBeStarted) {
  const Failing cases[] = {
      {"program", [](LaunchOrder& o) { o.command.argv = {"no-such-program"}; },
       "cannot run 'no-such-program': no such file or directory", 127},
      {"permission", [](LaunchOrder& o) { o.command.argv = {"/etc/passwd"}; },
       "cannot run '/etc/passwd': permission denied", 126},
      {"directory", [](LaunchOrder& o) { o.command.working_directory = "/no/such"; },
       "working directory '/no/such' does not exist", 126},
      {"file as directory", [](LaunchOrder& o) { o.command.working_directory = "/etc/passwd"; },
       "cannot enter working directory '/etc/passwd': not a directory", 126},
      {"output", [](LaunchOrder& o) { o.command.output_path = "/no/such/file"; },
       "cannot open '/no/such/file' for output: no such file or directory", 126},
      {"error", [](LaunchOrder& o) { o.command.error_path = "/"; },
       "cannot open '/' for error output: is a directory", 126},
      {"nothing", [](LaunchOrder& o) { o.command.argv = {}; }, "there is no command to run", 126},
  };
  std::uint64_t job = 1;
  for (const Failing& one : cases) {
    LaunchOrder order = harness_.shell_order({JobId{job++}, 1}, "true");
    one.spoil(order);
    const AttemptFinished end = run(std::move(order));
    EXPECT_EQ(end.cause, Cause::kLaunch) << one.name;
    EXPECT_EQ(end.message, one.message) << one.name;
    EXPECT_EQ(end.exit_code, one.exit_code) << one.name;
  }
}

TEST_P(Shim, RunsAScriptWithoutAnInterpreterLineAsEveryShellDoes) {
  const std::string script = harness_.state() + "/script";
  std::ofstream(script) << "echo from script $1\n";
  ::chmod(script.c_str(), 0755);
  run(harness_.plain_order(kOne, {script, "x"}));
  EXPECT_EQ(log(), "from script x\n");
}

TEST_P(Shim, TakesArgumentsAndEnvironmentOfMegabytes) {
  std::vector<std::string> argv{"sh", "-c", "echo $# ${#BIG}"};
  for (int i = 0; i < 20'000; ++i) argv.push_back("argument number " + std::to_string(i));
  LaunchOrder order = harness_.plain_order(kOne, argv);
  order.command.added_variables.emplace_back("BIG", std::string(100'000, 'x'));
  const AttemptFinished end = run(std::move(order));
  EXPECT_EQ(log(), "19999 100000\n") << end.message;
}

TEST_P(Shim, SaysWhoseItIsAndWhatItHoldsHoweverLongTheCommandIs) {
  LaunchOrder order = harness_.plain_order(kOne, {"true", std::string(100'000, '\n'), "last"});
  order.holds = "a card\n";
  const ClaimOwner owner{order.command.owner.uid, order.command.owner.gid};
  run(std::move(order));
  const auto claim = parse_claim(harness_.read(kOne, "claim"));
  ASSERT_TRUE(claim) << claim.error().message;
  EXPECT_EQ(claim->owner, owner);
  EXPECT_EQ(claim->holds, "a card\n");
  const auto spec = Record::parse(harness_.read(kOne, "spec"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_NE(spec->find("argument_0"), nullptr);
  EXPECT_EQ(spec->find("argument_1"), nullptr) << "It would make the record too long.";
  EXPECT_EQ(spec->number("arguments_left_out"), 2);
}

TEST_P(Shim, EndsWhatTheCommandLeftBehindBeforeItRecordsTheEnd) {
  // One child in the background, one in a session of its own; both wait for what never comes.
  ::mkfifo(harness_.fifo(kOne).c_str(), 0600);
  const std::string lines = "$(wc -l < " + harness_.attempt_path(kOne) + "/log)";
  run(harness_.shell_order(
      kOne, "cat " + harness_.fifo(kOne) + " & echo $!; setsid sh -c 'echo $$; exec cat " +
                harness_.fifo(kOne) + "' & while [ " + lines + " -lt 2 ]; do :; done"));
  std::istringstream pids(log());
  int pid = 0;
  int seen = 0;
  while (pids >> pid) {
    ++seen;
    EXPECT_NE(::kill(pid, 0), 0) << pid;
  }
  EXPECT_EQ(seen, 2);
}

TEST_P(Shim, ReapsOrphansWhileTheCommandRuns) {
  LaunchOrder order = harness_.order(kOne, CommandKind::kWaits);
  order.command.argv[2] = "(true & ); (true & ); echo ready; " + order.command.argv[2];
  harness_.launcher().launch(std::move(order));
  ASSERT_TRUE(run_until_log_has("ready"));
  const int shim = harness_.shim_pid(kOne);
  EXPECT_TRUE(harness_.run_until([&] {
    int zombies = 0;
    for (const ProcessEntry& entry : list_processes()) {
      zombies += entry.parent == shim && entry.zombie ? 1 : 0;
    }
    return zombies == 0;
  }));
  harness_.finish(kOne, 0);
  EXPECT_TRUE(harness_.run_until([&] { return ended() != nullptr; }));
}

TEST_P(Shim, WarnsBeforeTheLimitThenEndsTheTree) {
  LaunchOrder order = harness_.shell_order(
      kOne, "trap 'echo warned' USR1; trap '' TERM; echo ready; while :; do read x < " +
                harness_.fifo(kOne) + "; done");
  ::mkfifo(harness_.fifo(kOne).c_str(), 0600);
  order.time = {Seconds{2}, SIGUSR1, Seconds{1}, Seconds{0}};
  const AttemptFinished end = run(std::move(order));
  EXPECT_EQ(end.cause, Cause::kTimeout);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(end.message, "its time limit of 2s was reached");
  EXPECT_NE(log().find("warned"), std::string::npos);
}

TEST_P(Shim, TimeStandsStillWhilePaused) {
  LaunchOrder order = harness_.order(kOne, CommandKind::kWaits);
  order.time.limit = Seconds{1};
  order.command.argv[2] = "echo ready; " + order.command.argv[2];
  harness_.launcher().launch(std::move(order));
  ASSERT_TRUE(run_until_log_has("ready"));
  ask(PauseCommand{});
  // Well past the limit.
  EXPECT_FALSE(harness_.run_until([&] { return ended() != nullptr; }, std::chrono::seconds(2)));
  ask(ResumeCommand{});
  ASSERT_TRUE(harness_.run_until([&] { return ended() != nullptr; }));
  EXPECT_EQ(ended()->cause, Cause::kTimeout);
}

TEST_P(Shim, APausedJobCanBeStopped) {
  LaunchOrder order = harness_.order(kOne, CommandKind::kWaits);
  order.command.argv[2] = "echo ready; " + order.command.argv[2];
  harness_.launcher().launch(std::move(order));
  ASSERT_TRUE(run_until_log_has("ready"));
  ask(PauseCommand{});
  harness_.launcher().stop(kOne, Seconds{60});
  ASSERT_TRUE(harness_.run_until([&] { return ended() != nullptr; }));
  EXPECT_EQ(ended()->signal, SIGTERM);
}

TEST_P(Shim, SignalsReachTheProcessGroup) {
  LaunchOrder order = harness_.order(kOne, CommandKind::kWaits);
  order.command.argv[2] = "trap 'echo got it; exit 5' USR2; echo ready; " + order.command.argv[2];
  harness_.launcher().launch(std::move(order));
  ASSERT_TRUE(run_until_log_has("ready"));
  ask(SendSignal{SIGUSR2});
  ASSERT_TRUE(harness_.run_until([&] { return ended() != nullptr; }));
  EXPECT_EQ(ended()->exit_code, 5);
}

TEST_P(Shim, NonsenseOnTheControlSocketIsRefusedAndHarmsNothing) {
  harness_.launcher().launch(harness_.order(kOne, CommandKind::kWaits));
  ASSERT_TRUE(harness_.run_until([&] { return harness_.reports().size() == 1; }));
  auto client = ControlClient::connect(harness_.attempt_path(kOne));
  ASSERT_TRUE(client);
  for (const std::string& packet :
       {std::string("x"), std::string("\x01\xff", 2), std::string(40'000, 'z')}) {
    EXPECT_EQ(::send(client->fd(), packet.data(), packet.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(packet.size()));
  }
  EXPECT_FALSE(client->ask(SendSignal{99}));
  EXPECT_FALSE(client->ask(AttachRequest{24, 80})) << "this job has no terminal";
  harness_.finish(kOne, 6);
  ASSERT_TRUE(harness_.run_until([&] { return ended() != nullptr; }));
  EXPECT_EQ(ended()->exit_code, 6);
}

TEST_P(Shim, KeepsALargeLogWithinItsLimit) {
  LaunchOrder order = harness_.shell_order(
      kOne, "seq 1 200000; echo middle; read x < " + harness_.fifo(kOne) + "; exit $x");
  ::mkfifo(harness_.fifo(kOne).c_str(), 0600);
  order.command.log_limit_bytes = 64 * 1024;
  harness_.launcher().launch(std::move(order));
  const std::string path = harness_.attempt_path(kOne) + "/log";
  ASSERT_TRUE(harness_.run_until([&] {
    struct stat about {};
    return ::stat(path.c_str(), &about) == 0 && about.st_size > 1'000'000 &&
           about.st_blocks * 512 < 100 * 1024;
  }));
  harness_.finish(kOne, 0);
  ASSERT_TRUE(harness_.run_until([&] { return ended() != nullptr; }));
}

TEST_P(Shim, APathLongerThanASocketAddressIsNoObstacle) {
  // The job's number makes the path longer; what matters is that /proc/self/fd is used at all.
  const std::string path = harness_.attempt_path(kOne);
  harness_.launcher().launch(harness_.order(kOne, CommandKind::kWaits));
  ASSERT_TRUE(harness_.run_until([&] { return harness_.reports().size() == 1; }));
  const std::string detour = harness_.state() + "/" + std::string(120, 'd');
  std::filesystem::create_directory(detour);
  EXPECT_TRUE(ControlClient::connect(detour + "/../jobs/1/1"));
  harness_.finish(kOne, 0);
}

TEST_P(Shim, LeavesNoGroupBehind) {
  if (!GetParam()) GTEST_SKIP();
  run(harness_.shell_order(kOne, "cat /proc/self/cgroup"));
  EXPECT_NE(log().find("/jobs/1.1"), std::string::npos) << log();
  // The end is reported first: the next job need not wait for this.
  EXPECT_TRUE(harness_.run_until(
      [&] { return !std::filesystem::exists(harness_.cgroup().path + "/jobs/1.1"); }));
}

INSTANTIATE_TEST_SUITE_P(Groups, Shim, ::testing::Bool(), [](const auto& tested) {
  return std::string(tested.param ? "WithCgroup" : "WithoutCgroup");
});

}  // namespace
}  // namespace gpusched
