#include "notifier/command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.h"
#include "notifier/sample_delivery.h"
#include "os/clock.h"
#include "os/small_file.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::notifier {
namespace {

DeliveryOutcome run_shell(const std::string& script, Seconds timeout = Seconds{60}) {
  Delivery delivery = sample_delivery(Channel::kCommand);
  delivery.receiver.command = {"/bin/sh", "-c", script};
  delivery.receiver.timeout = timeout;
  return run_command(delivery, read_clock().boot + timeout);
}

TEST(Command, SaysByItsExitCodeWhatBecameOfIt) {
  EXPECT_EQ(run_shell("exit 0").result, DeliveryResult::kDelivered);
  EXPECT_EQ(run_shell("exit 75").result, DeliveryResult::kAgain);
  const DeliveryOutcome refused = run_shell("echo first >&2; echo 'no SEC-hush' >&2; exit 3");
  EXPECT_EQ(refused.result, DeliveryResult::kRefused);
  EXPECT_EQ(refused.error, "its command ended with 3: no ***");
  EXPECT_EQ(run_shell("kill -9 $$").error, "its command ended with signal 9");
}

TEST(Command, GetsTheMessageAndAFewFacts) {
  std::string names;
  for (const std::string& one : command_environment(sample_delivery(Channel::kCommand))) {
    names += one.substr(0, one.find('=')) + " ";
  }
  EXPECT_EQ(names,
            "PATH GPUSCHED_MESSAGE_ID GPUSCHED_MACHINE GPUSCHED_SEVERITY GPUSCHED_RESOLVED "
            "GPUSCHED_RULE GPUSCHED_SUBJECT GPUSCHED_WHAT GPUSCHED_TIMES GPUSCHED_LINK "
            "GPUSCHED_JOB GPUSCHED_CARD ");
  EXPECT_EQ(run_shell("test -z \"$HOME\" && test \"$GPUSCHED_CARD\" = 0").result,
            DeliveryResult::kDelivered);
  EXPECT_EQ(run_shell("grep -q '\"rule\":\"temperature\"' && exit 0").result,
            DeliveryResult::kDelivered);
}

TEST(Command, ThatDoesNotEndIsKilledWithWhatItStarted) {
  const DeliveryOutcome late = run_shell("sleep 600 & sleep 600", Seconds{1});
  EXPECT_EQ(late.result, DeliveryResult::kAgain);
  EXPECT_EQ(late.error, "its command did not end within 1 s and was killed");
}

bool runs(const std::string& pid_file) {
  const std::string pid(trimmed(read_small_file(pid_file)));
  return !pid.empty() && ::access(("/proc/" + pid).c_str(), F_OK) == 0;
}

TEST(Command, LeavesNothingBehindWhereverItHides) {
  const testing::TemporaryDirectory place;
  const std::string one = place.path() + "/one", two = place.path() + "/two";
  // A session of its own, with a child in another, whose parent is gone.
  const std::string hides = "setsid sh -c 'setsid sh -c \"echo \\$\\$ >" + two +
                            "; exec sleep 600\" & echo $$ >" + one +
                            "; exec sleep 600' >/dev/null 2>&1 & "
                            "while [ ! -s " +
                            one + " ] || [ ! -s " + two + " ]; do sleep 0.01; done";
  const DeliveryOutcome done = run_shell(hides);
  EXPECT_EQ(done.result, DeliveryResult::kDelivered);
  EXPECT_EQ(done.error, "it left 2 processes running, which were ended");
  EXPECT_FALSE(runs(one));
  EXPECT_FALSE(runs(two));
}

TEST(Command, ThatLeavesNothingBehindHasNothingSaidOfIt) {
  EXPECT_EQ(run_shell("sleep 0.01 & wait").error, "");
}

TEST(Command, ThatSaysTooMuchIsHeardToItsLastLine) {
  EXPECT_EQ(
      run_shell("head -c 300000 /dev/zero | tr '\\0' x >&2; echo; echo end >&2; exit 1").error,
      "its command ended with 1: " + std::string(197, 'x') + "\xE2\x80\xA6");
  EXPECT_EQ(run_shell("yes no | head -c 300000 >&2; echo end >&2; exit 1").error,
            "its command ended with 1: end");
}

TEST(Command, MustBeAPathThatCanBeRun) {
  Delivery delivery = sample_delivery(Channel::kCommand);
  const Boot end = read_clock().boot + Seconds{60};
  delivery.receiver.command = {"true"};
  EXPECT_EQ(run_command(delivery, end).error, "its command must begin with a whole path");
  delivery.receiver.command = {"/nowhere/at/all"};
  EXPECT_EQ(run_command(delivery, end).error,
            "its command ended with 127: it cannot be started: No such file or directory");
  EXPECT_EQ(run_command(delivery, end).result, DeliveryResult::kRefused);
}

}  // namespace
}  // namespace gpusched::notifier
