// Jobs of other users under a root daemon, and a disk that is full. Root only.
#include <gtest/gtest.h>
#include <linux/keyctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "launch/shim_harness.h"

namespace gpusched {
namespace {

const AttemptId kIdentityAttempt{JobId{1}, 1};
constexpr std::uint32_t kNobody = 65534;

class UnderRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root runs jobs of others";
  }
  AttemptFinished run(LaunchOrder order) {
    harness_.launcher().launch(std::move(order));
    const AttemptFinished* ended = nullptr;
    EXPECT_TRUE(harness_.run_until([&] {
      for (const SeamReport& report : harness_.reports()) {
        if (const auto* one = std::get_if<AttemptFinished>(&report)) ended = one;
      }
      return ended != nullptr;
    }));
    return ended == nullptr ? AttemptFinished{} : *ended;
  }
  LaunchOrder order_of(std::uint32_t uid, const std::string& script) {
    LaunchOrder order = harness_.shell_order(kIdentityAttempt, script);
    order.command.owner = {uid, uid, "somebody"};
    return order;
  }
  ShimHarness harness_{false};
};

TEST_F(UnderRoot, TheCommandIsTheSubmitterAndNobodyElse) {
  const AttemptFinished end =
      run(order_of(kNobody, "id -u; id -ru; id -g; id -G; touch $GPUSCHED_CHECKPOINT_DIR/x"));
  EXPECT_EQ(end.exit_code, 0) << end.message;
  EXPECT_EQ(harness_.read(kIdentityAttempt, "log"), "65534\n65534\n65534\n65534\n");
}

TEST_F(UnderRoot, TheSubmitterGetsNoLimitThatIsAboveOurs) {
  rlimit ours{};
  ASSERT_EQ(::getrlimit(RLIMIT_RTPRIO, &ours), 0);
  if (ours.rlim_max >= 99) GTEST_SKIP() << "any priority is allowed here anyway";
  LaunchOrder order = order_of(kNobody, "ulimit -Hr");
  order.command.limits = {{RLIMIT_RTPRIO, 99, 99}};
  EXPECT_EQ(run(order).exit_code, 0);
  EXPECT_EQ(harness_.read(kIdentityAttempt, "log"), std::to_string(ours.rlim_max) + "\n");
}

TEST_F(UnderRoot, TheCommandHasAKeyringOfItsOwn) {
  const auto id = [] { return ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3, 0); };
  if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 || id() < 0) {
    GTEST_SKIP() << "this kernel has no keyrings";
  }
  EXPECT_EQ(run(order_of(kNobody, "grep -h keyring /proc/keys | grep _ses")).exit_code, 0);
  char ours[16];
  std::snprintf(ours, sizeof ours, "%08lx", static_cast<unsigned long>(id()));
  EXPECT_EQ(harness_.read(kIdentityAttempt, "log").find(ours), std::string::npos);
}

TEST_F(UnderRoot, FilesBelongToWhomTheyShould) {
  run(order_of(kNobody, "true"));
  const auto owner_and_mode = [&](const std::string& name) {
    struct stat about {};
    EXPECT_EQ(::lstat((harness_.attempt_path(kIdentityAttempt) + "/" + name).c_str(), &about), 0)
        << name;
    return std::pair(about.st_uid, about.st_mode & 0777);
  };
  using Pair = std::pair<uid_t, mode_t>;
  EXPECT_EQ(owner_and_mode("log"), Pair(kNobody, 0600));
  EXPECT_EQ(owner_and_mode("../checkpoint"), Pair(kNobody, 0700));
  EXPECT_EQ(owner_and_mode("spec"), Pair(0, 0600));
  EXPECT_EQ(owner_and_mode("claim"), Pair(0, 0600));
  EXPECT_EQ(owner_and_mode("status"), Pair(0, 0600));
  EXPECT_EQ(owner_and_mode("exit"), Pair(0, 0600));
  EXPECT_EQ(owner_and_mode("."), Pair(0, 0711));
}

TEST_F(UnderRoot, TheSubmitterCannotForgeRecords) {
  const AttemptFinished end =
      run(order_of(kNobody, "d=" + harness_.attempt_path(kIdentityAttempt) +
                                "; echo x > $d/exit; ln -s /etc $d/y; rm $d/claim; "
                                "cat $d/spec; cat $d/claim; exit 4"));
  EXPECT_EQ(end.exit_code, 4);
  EXPECT_EQ(end.cause, Cause::kExit);
}

TEST_F(UnderRoot, AUserWhoIsGoneIsALaunchFailure) {
  const AttemptFinished end = run(order_of(3'999'999, "true"));
  EXPECT_EQ(end.cause, Cause::kLaunch);
  EXPECT_EQ(end.message, "user 3999999 no longer exists");
}

TEST_F(UnderRoot, FilesAreOpenedWithTheSubmittersRights) {
  LaunchOrder order = order_of(kNobody, "echo x");
  order.command.output_path = "/etc/gpusched-must-not-appear";
  const AttemptFinished end = run(std::move(order));
  EXPECT_EQ(end.cause, Cause::kLaunch);
  EXPECT_NE(end.message.find("permission denied"), std::string::npos) << end.message;
  EXPECT_FALSE(std::filesystem::exists("/etc/gpusched-must-not-appear"));
}

TEST_F(UnderRoot, ADirectoryClosedToTheSubmitterIsALaunchFailure) {
  const std::string closed = harness_.state() + "/closed";
  std::filesystem::create_directory(closed);
  ::chmod(closed.c_str(), 0700);
  LaunchOrder order = order_of(kNobody, "true");
  order.command.working_directory = closed;
  const AttemptFinished end = run(std::move(order));
  EXPECT_EQ(end.message, "cannot enter working directory '" + closed + "': permission denied");
}

TEST_F(UnderRoot, AStrangerIsTurnedAwayAtTheControlSocket) {
  LaunchOrder order = harness_.order(kIdentityAttempt, CommandKind::kWaits);
  harness_.launcher().launch(std::move(order));
  ASSERT_TRUE(harness_.run_until([&] { return harness_.reports().size() == 1; }));
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    if (::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(9);
    auto client = ControlClient::connect(harness_.attempt_path(kIdentityAttempt));
    if (!client) ::_exit(8);
    const auto answer = client->receive();
    const bool refused = answer && std::holds_alternative<Refused>(*answer);
    ::_exit(refused ? 0 : 7);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(stranger, &status, 0), stranger);
  EXPECT_EQ(status, 0);
  harness_.finish(kIdentityAttempt, 0);
}

TEST(FullDisk, CostsOutputButNeitherTheJobNorItsExitCode) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a small disk";
  ShimHarness harness(false);
  const std::string jobs = harness.state() + "/jobs";
  ASSERT_TRUE(harness.run_until([&] { return std::filesystem::exists(jobs); }));
  const std::string place = jobs + "/1";
  std::filesystem::create_directory(place);
  if (::mount("none", place.c_str(), "tmpfs", 0, "size=256k,mode=711") != 0) {
    GTEST_SKIP() << "mounting is not allowed here";
  }
  // Fills the disk to the last byte, says so, waits, ends.
  const std::string script =
      "cat /dev/zero; read code < " + harness.fifo(kIdentityAttempt) + "; exit $code";
  LaunchOrder order = harness.shell_order(kIdentityAttempt, script);
  ::mkfifo(harness.fifo(kIdentityAttempt).c_str(), 0600);
  harness.launcher().launch(std::move(order));
  ASSERT_TRUE(harness.run_until(
      [&] { return harness.reports().size() == 1 && std::filesystem::space(place).free == 0; }));
  harness.finish(kIdentityAttempt, 21);
  // The record does not fit: the shim stays until it does.
  EXPECT_FALSE(
      harness.run_until([&] { return harness.reports().size() > 1; }, std::chrono::seconds(1)));
  std::filesystem::resize_file(place + "/1/log", 0);
  ASSERT_TRUE(harness.run_until([&] { return harness.reports().size() > 1; }));
  const auto* ended = std::get_if<AttemptFinished>(&harness.reports().back());
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->exit_code, 21);
  ::umount2(place.c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace gpusched
