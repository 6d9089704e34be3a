#include "daemon/job_containers.h"

#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/decide/decide.h"
#include "core/state/state.h"

namespace gpusched::testing {
namespace {

using watch::Container;

Now instant(int seconds) {
  return {Wall{Microseconds{Seconds{1000 + seconds}}}, Boot{Microseconds{Seconds{seconds}}}};
}

// One job that has run since second 10, on the only card.
class JobContainersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Card card;
    card.uuid = "GPU-1";
    card.vram_bytes = 8ULL << 30;
    state_.set_cards({card});
    auto spec = std::make_shared<JobSpec>();
    spec->argv = {"true"};
    spec->environment = std::make_shared<Environment>();
    SubmitAsked asked;
    asked.submission = 1;
    asked.spec = spec;
    asked.tasks.emplace_back();
    apply(state_, asked, instant(9));
    for (const Decision& decision : decide(state_, instant(9)).decisions) {
      accept(state_, decision, instant(9));
    }
    apply(state_, AttemptRunning{attempt_, instant(10).wall}, instant(10));
  }
  void end_job() {
    AttemptFinished finished{.attempt = attempt_};
    finished.exit_code = 0;
    finished.ended_at = instant(30).wall;
    apply(state_, finished, instant(30));
  }
  watch::SampleReport report_with(Container::Kind kind, const std::string& id) {
    watch::SampleReport report;
    report.at = instant(20);
    watch::WatchedProcess process;
    process.owner.attempt = attempt_;
    process.owner.container = Container{kind, id, {}, "/docker/" + id};
    report.processes = {process, process};
    return report;
  }

  State state_{Rules{}, HostCapacity{4, 1ULL << 30}};
  AttemptId attempt_{JobId{1}, 1};
  JobContainers containers_;
};

TEST_F(JobContainersTest, AreNamedOnceWhenTheirAttemptIsOver) {
  containers_.learn(report_with(Container::Kind::kDocker, "aa"), state_);
  containers_.learn(report_with(Container::Kind::kPodman, "bb"), state_);
  EXPECT_TRUE(containers_.take_left_behind(state_).empty());
  end_job();
  const auto left = containers_.take_left_behind(state_);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].attempt, attempt_);
  EXPECT_EQ(left[0].since, instant(10).boot);
  EXPECT_EQ(left[0].groups, (std::vector<std::string>{"/docker/aa", "/docker/bb"}));
  EXPECT_TRUE(containers_.take_left_behind(state_).empty());
}

TEST_F(JobContainersTest, AMachineIsNobodysContainer) {
  containers_.learn(report_with(Container::Kind::kLxc, "lab"), state_);
  containers_.learn(report_with(Container::Kind::kSystemd, "lab"), state_);
  end_job();
  EXPECT_TRUE(containers_.take_left_behind(state_).empty());
}

TEST_F(JobContainersTest, AnAttemptThatIsOverTeachesNothing) {
  end_job();
  containers_.learn(report_with(Container::Kind::kDocker, "aa"), state_);
  EXPECT_TRUE(containers_.take_left_behind(state_).empty());
}

}  // namespace
}  // namespace gpusched::testing
