// Shims and MPS servers, with a real launcher and the simulated driver's control daemon.
#include <gtest/gtest.h>

#include "jobdir/mps_place.h"
#include "jobdir/process_tree.h"
#include "launch/move_harness.h"

namespace gpusched {
namespace {

class MpsServers : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    harness_ = std::make_unique<MoveHarness>(GetParam());
    if (!harness_->why_not().empty()) GTEST_SKIP() << harness_->why_not();
  }
  void TearDown() override {
    for (const AttemptId id : begun_) harness_->launcher().stop(id, Seconds{0});
    EXPECT_TRUE(harness_->run_until([&] { return places().empty(); })) << "a server was left";
  }

  std::vector<std::string> places() const { return MpsPlace::list(harness_->state()); }
  std::string place(int number) const { return mps_place_name(::geteuid(), CardNumber{0}, number); }
  LaunchOrder order(AttemptId id, const std::string& script) {
    LaunchOrder made = harness_->on_cards(harness_->shell_order(id, script));
    made.command.added_variables.emplace_back("CUDA_VISIBLE_DEVICES", "0");
    MpsOrder& mps = made.devices.mps.emplace();
    mps.uuid = harness_->uuid();
    mps.program = MPS_CONTROL_PROGRAM;
    mps.variables = harness_->driver().environment();
    mps.linger = Seconds{0};
    return made;
  }
  void launch(const LaunchOrder& made) {
    begun_.push_back(made.attempt);
    harness_->launcher().launch(made);
  }
  template <class T>
  const T* report_of(AttemptId id) const {
    for (const SeamReport& report : harness_->reports()) {
      if (const auto* found = std::get_if<T>(&report); found && found->attempt == id) return found;
    }
    return nullptr;
  }
  bool starts(AttemptId id) {
    return harness_->run_until([&] { return report_of<AttemptRunning>(id) != nullptr; });
  }
  const AttemptFinished* end_of(AttemptId id) {
    harness_->run_until([&] { return report_of<AttemptFinished>(id) != nullptr; });
    return report_of<AttemptFinished>(id);
  }
  std::optional<MpsServer> server(int number) const {
    const auto found = MpsPlace::open(harness_->state(), place(number));
    return found ? found->server() : std::nullopt;
  }
  std::optional<StatusRecord> status(AttemptId id) const {
    const auto read = parse_status(harness_->read(id, "status"));
    return read ? std::optional(*read) : std::nullopt;
  }

  const AttemptId one_{JobId{1}, 1};
  const AttemptId two_{JobId{2}, 1};
  const AttemptId three_{JobId{3}, 1};
  std::unique_ptr<MoveHarness> harness_;
  std::vector<AttemptId> begun_;
};

TEST_P(MpsServers, OneServesAllJobsOfAUserOnACardAndGoesWithTheLast) {
  launch(order(one_, "sleep 1000"));
  launch(order(two_, "sleep 1000"));
  ASSERT_TRUE(starts(one_) && starts(two_));
  EXPECT_EQ(places(), std::vector<std::string>{place(1)});
  const auto found = server(1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->phase, MpsServer::Phase::kReady);
  EXPECT_EQ(found->processes.size(), 2U) << "control daemon and server";
  EXPECT_EQ(status(one_)->mps, "on");
  harness_->launcher().stop(one_, Seconds{0});
  ASSERT_NE(end_of(one_), nullptr);
  EXPECT_FALSE(harness_->run_until([&] { return places().empty(); }, std::chrono::seconds(2)));
  harness_->launcher().stop(two_, Seconds{0});
  EXPECT_TRUE(harness_->run_until([&] { return places().empty(); }));
  for (const MpsProcess& process : found->processes) {
    const auto now = find_process(process.pid);
    EXPECT_FALSE(now && !now->zombie && now->started == process.started);
  }
}

TEST_P(MpsServers, TheJobSeesItsCardByItsUuid) {
  launch(order(one_, "echo $CUDA_VISIBLE_DEVICES $CUDA_MPS_PIPE_DIRECTORY"));
  ASSERT_NE(end_of(one_), nullptr);
  EXPECT_EQ(harness_->read(one_, "log"),
            harness_->uuid() + " " + harness_->state() + "/mps/" + place(1) + "/pipe\n");
}

TEST_P(MpsServers, AServerThatDiesIsReplacedForTheNextJobAndNamedByThoseThatFail) {
  launch(order(one_, "read line < /dev/tty; sleep 1000"));
  launch(order(two_, "exec " + harness_->simjob(two_)));
  ASSERT_TRUE(starts(one_) && starts(two_));
  ASSERT_TRUE(harness_->run_until(harness_->computing(two_)));
  const auto first = server(1);
  ASSERT_TRUE(first && first->processes.size() == 2);
  ::kill(first->processes.back().pid, SIGKILL);
  const AttemptFinished* ended = end_of(two_);
  ASSERT_NE(ended, nullptr);
  EXPECT_EQ(ended->exit_code, 1);
  EXPECT_NE(ended->message.find("the MPS server that it used has ended"), std::string::npos)
      << ended->message;
  launch(order(three_, "exec " + harness_->simjob(three_)));
  ASSERT_TRUE(starts(three_));
  EXPECT_EQ(places(), (std::vector<std::string>{place(1), place(2)}));
  EXPECT_TRUE(harness_->run_until(harness_->computing(three_)));
}

TEST_P(MpsServers, WithoutAServerAJobRunsAllTheSameAndSaysWhy) {
  LaunchOrder made = order(one_, "echo ${CUDA_MPS_PIPE_DIRECTORY-none} $CUDA_VISIBLE_DEVICES");
  made.devices.mps->program = "/no/such/program";
  made.devices.vram_limits = {{"0000:03:00.0", 1}};
  launch(made);
  ASSERT_NE(end_of(one_), nullptr);
  EXPECT_EQ(harness_->read(one_, "log"), "none 0\n");
  EXPECT_EQ(report_of<AttemptRunning>(one_)->without_mps, "/no/such/program cannot be run");
  EXPECT_EQ(status(one_)->mps, "off: /no/such/program cannot be run");
  EXPECT_EQ(status(one_)->vram_limit, "watch");
  // The next launcher clears up what is left of the try.
  harness_->restart();
}

TEST_P(MpsServers, ANewLauncherReplacesAKeeperThatWasKilled) {
  launch(order(one_, "sleep 1000"));
  ASSERT_TRUE(starts(one_));
  const auto found = MpsPlace::open(harness_->state(), place(1));
  const auto control = find_process(server(1)->processes.front().pid);
  ASSERT_TRUE(found && control);
  ::kill(control->parent, SIGKILL);
  ASSERT_TRUE(harness_->run_until([&] { return !found->has_keeper(); }));
  harness_->restart();
  harness_->launcher().reattach(one_);
  EXPECT_TRUE(harness_->run_until([&] { return found->has_keeper(); }));
  EXPECT_EQ(mps_trouble(*found), "") << "the server has not noticed";
}

INSTANTIATE_TEST_SUITE_P(Groups, MpsServers, ::testing::Bool(), [](const auto& with) {
  return with.param ? "WithGroups" : "WithoutGroups";
});

}  // namespace
}  // namespace gpusched
