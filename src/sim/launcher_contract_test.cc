// The launcher's contract on its twin in virtual time.
#include "tests/support/launcher_contract.h"

#include <map>
#include <memory>

#include "sim/sim_launcher.h"

namespace gpusched {
namespace {

class SimHarness {
 public:
  SimHarness() : launcher_([this](const LaunchOrder& order) { return plans_.at(order.attempt); }) {
    launcher_.report_to([this](const LauncherReport& report) { note(reports_, report); });
  }

  Launcher& launcher() { return launcher_; }
  LaunchOrder order(AttemptId attempt, CommandKind kind) {
    SimLauncher::Plan plan;
    plan.run_for = kind == CommandKind::kExitsWithThree ? Microseconds{1000} : Seconds{1'000'000};
    plan.exit_code = kind == CommandKind::kExitsWithThree ? 3 : 0;
    plan.ignores_term = kind == CommandKind::kIgnoresTerm;
    if (kind == CommandKind::kSaves) plan.saves_within = Microseconds{1000};
    if (kind == CommandKind::kNoSuchProgram) plan.cannot_run = "cannot run it";
    plans_[attempt] = plan;
    LaunchOrder order;
    order.attempt = attempt;
    return order;
  }
  const std::vector<SeamReport>& reports() const { return reports_; }
  bool run_until(const std::function<bool()>& condition) {
    for (int i = 0; i < 200'000 && !condition(); ++i) {
      now_.boot += Microseconds{1000};
      now_.wall += Microseconds{1000};
      launcher_.advance(now_);
    }
    return condition();
  }
  void restart() { launcher_.daemon_died(); }
  void finish(AttemptId attempt, int exit_code) { launcher_.finish(attempt, exit_code); }
  void kill_supervisor(AttemptId attempt) { launcher_.kill_supervisor(attempt); }

 private:
  Now now_{Wall{Seconds{1'700'000'000}}, Boot{Seconds{100}}};
  std::map<AttemptId, SimLauncher::Plan> plans_;
  std::vector<SeamReport> reports_;
  SimLauncher launcher_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, LauncherContract, ::testing::Types<SimHarness>);

}  // namespace
}  // namespace gpusched
