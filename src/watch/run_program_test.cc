#include "watch/run_program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>

#include "tests/support/eventually.h"
#include "tests/support/watch_machine.h"
#include "watch/child.h"
#include "watch/numbers.h"

namespace gpusched::watch {
namespace {

using namespace std::chrono_literals;
using testing::WatchMachine;

class RunProgramTest : public ::testing::Test {
 protected:
  Result<ProgramOutput> run(const std::string& script, std::chrono::milliseconds deadline = 30s,
                            std::size_t most_bytes = 100'000) {
    machine_.program("tool", script);
    const Host host = machine_.host_in_real_time();
    return run_program({{*find_program("tool", host.program_path), "one"}, deadline, most_bytes},
                       host);
  }
  // Waits for a process to be gone; false if it is still there after a while.
  static bool ends(int pid) {
    return testing::eventually([pid] { return ::kill(pid, 0) != 0 && errno == ESRCH; });
  }

  WatchMachine machine_;
};

TEST_F(RunProgramTest, KeepsBothOutputsAndTheExitCode) {
  const auto output = run("echo \"out $1\"; echo bad >&2; exit 3");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->output, "out one\n");
  EXPECT_EQ(output->errors, "bad\n");
  EXPECT_EQ(output->exit_code, 3);
}

TEST_F(RunProgramTest, ASignalIsAnExitCodeOfAHundredAndTwentyEightAndMore) {
  const auto output = run("kill -TERM $$");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 128 + SIGTERM);
}

TEST_F(RunProgramTest, OneThatHangsIsEndedWithItsChildren) {
  const auto output = run("echo $$ > $here/pid; sleep 1000 & echo $! > $here/child; wait", 300ms);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(output.error().message.find("did not answer within 300 ms"), std::string::npos);
  for (const char* file : {"pid", "child"}) {
    const auto pid = whole_number(machine_.noted(file));
    ASSERT_TRUE(pid) << file;
    EXPECT_TRUE(ends(static_cast<int>(*pid))) << file;
  }
}

TEST_F(RunProgramTest, OneThatSaysTooMuchIsEnded) {
  const auto output = run("while :; do echo 0123456789; done", 30s, 1000);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, ErrorCode::kTooLarge);
}

TEST_F(RunProgramTest, ManyErrorsDoNotBlockIt) {
  const auto output =
      run("i=0; while [ $i -lt 20000 ]; do echo 0123456789 >&2; i=$((i+1)); done; echo done");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->output, "done\n");
  EXPECT_LE(output->errors.size(), 4096U);
}

TEST_F(RunProgramTest, DoesNotWaitForWhatItLeavesBehind) {
  const auto output = run("sleep 1000 & echo $! > $here/child; echo done");
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->output, "done\n");
  ::kill(static_cast<int>(*whole_number(machine_.noted("child"))), SIGKILL);
}

TEST_F(RunProgramTest, OneThatCannotBeStartedIsAnError) {
  const auto output = run_program({{"/nowhere/tool"}}, machine_.host_in_real_time());
  ASSERT_FALSE(output);
  EXPECT_NE(output.error().message.find("start /nowhere/tool"), std::string::npos);
}

TEST(FindProgram, TakesTheFirstThatCanBeRun) {
  const WatchMachine first;
  const WatchMachine second;
  second.program("tool", "");
  const std::string path =
      ":relative:" + first.host().program_path + ":/nowhere:" + second.host().program_path;
  EXPECT_EQ(find_program("tool", path), second.host().program_path + "/tool");
  EXPECT_FALSE(find_program("tool", first.host().program_path));
  EXPECT_TRUE(find_program("sh", ""));
}

}  // namespace
}  // namespace gpusched::watch
