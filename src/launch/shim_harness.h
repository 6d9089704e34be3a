// For tests: a real launcher with real shims in a temporary state directory, on its own loop.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "jobdir/control_client.h"
#include "jobdir/job_directory.h"
#include "launch/shim_launcher.h"
#include "launch/shim_mover.h"
#include "tests/support/launcher_contract.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {

class ShimHarness {
 public:
  explicit ShimHarness(bool with_cgroup) {
    ::chmod(directory_.path().c_str(), 0711);
    if (with_cgroup) {
      cgroup_ = prepare_cgroups(find_cgroup_base(directory_.path()), false);
      if (cgroup_.path.empty()) why_not_ = cgroup_.explanation;
      if (cgroup_.path.find("/gpusched-") == std::string::npos) {
        why_not_ = "this process is in a delegated group: the test would change it";
        cgroup_ = {};
      }
    }
    restart();
  }
  ~ShimHarness() {
    // Whatever a failed test left running.
    for (const AttemptId& id : ordered_) {
      if (const auto client = ControlClient::connect(attempt_path(id))) {
        ControlClient one = std::move(const_cast<ControlClient&>(*client));
        (void)one.ask(StopCommand{Seconds{0}});
        while (one.receive()) {
        }
      }
    }
    mover_.reset();
    launcher_.reset();
    if (cgroup_.path.empty()) return;
    // Shims that have said their last word may still be on their way out.
    const Fd shims(::open((cgroup_.path + "/shims").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (shims) wait_until_leaf_is_empty(shims.get(), 5000);
    for (const char* group : {"/daemon", "/shims", "/jobs", "/mps", ""}) {
      remove_leaf(cgroup_.path + group);
    }
  }

  const std::string& why_not() const { return why_not_; }
  Launcher& launcher() { return *launcher_; }
  Mover& mover() { return *mover_; }
  int launcher_pid() const { return launcher_->launcher_pid(); }
  bool follows(AttemptId id) const {
    return std::ranges::any_of(launcher_->shims(),
                               [&](const auto& one) { return one.first == id; });
  }
  const std::vector<SeamReport>& reports() const { return reports_; }
  const std::vector<std::string>& complaints() const { return complaints_; }
  const std::string& state() const { return directory_.path(); }
  const CgroupBase& cgroup() const { return cgroup_; }
  std::string attempt_path(AttemptId id) const { return attempt_directory(state(), id); }
  std::string fifo(AttemptId id) const { return directory_ / ("fifo." + to_string(id)); }
  std::string read(AttemptId id, const std::string& name) const {
    std::ifstream file(attempt_path(id) + "/" + name);
    std::stringstream content;
    content << file.rdbuf();
    return content.str();
  }

  void restart() {
    mover_.reset();
    launcher_.reset();
    loop_ = std::make_unique<boost::asio::io_context>(1);
    ShimLauncher::Options options;
    options.state_directory = directory_.path();
    options.launcher_program = GPUSCHED_TEST_LAUNCHER;
    options.cgroup = cgroup_;
    options.complain = [this](const std::string& text) { complaints_.push_back(text); };
    auto started = ShimLauncher::start(*loop_, std::move(options));
    if (!started) {
      ADD_FAILURE() << started.error().message;
      std::abort();
    }
    launcher_ = std::move(*started);
    mover_ = std::make_shared<ShimMover>(*loop_, *launcher_, mover_options_);
    launcher_->report_to([this](const LauncherReport& report) { note(reports_, report); });
    mover_->report_to([this](const MoverReport& report) { note(reports_, report); });
  }

  bool run_until(const std::function<bool()>& condition,
                 std::chrono::seconds patience = std::chrono::seconds(30)) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      loop_->restart();
      loop_->run_one_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  LaunchOrder plain_order(AttemptId id, std::vector<std::string> argv) {
    ordered_.push_back(id);
    LaunchOrder order;
    order.attempt = id;
    order.command.argv = std::move(argv);
    auto environment = std::make_shared<Environment>();
    environment->variables = {"PATH=/usr/bin:/bin", "HOME=/"};
    order.command.environment = std::move(environment);
    order.command.added_variables = {
        {"GPUSCHED_JOB_ID", to_string(id.job)},
        {"GPUSCHED_ATTEMPT", std::to_string(id.number)},
        {"GPUSCHED_CHECKPOINT_DIR", checkpoint_directory(state(), id.job)}};
    order.command.working_directory = "/";
    order.command.owner = {::geteuid(), ::getegid(), "tester"};
    return order;
  }
  LaunchOrder shell_order(AttemptId id, const std::string& script) {
    return plain_order(id, {"sh", "-c", script});
  }

  LaunchOrder order(AttemptId id, CommandKind kind) {
    const std::string wait = "read code < " + fifo(id) + "; exit $code";
    switch (kind) {
      case CommandKind::kExitsWithThree:
        return shell_order(id, "exit 3");
      case CommandKind::kWaits:
        ::mkfifo(fifo(id).c_str(), 0600);
        return shell_order(id, wait);
      case CommandKind::kIgnoresTerm:
        ::mkfifo(fifo(id).c_str(), 0600);
        return shell_order(id, "trap '' TERM; echo ready; " + wait);
      case CommandKind::kSaves:
        ::mkfifo(fifo(id).c_str(), 0600);
        return shell_order(id, "trap 'exit 75' USR1; " + wait);
      case CommandKind::kNoSuchProgram:
        break;
    }
    return plain_order(id, {"/no/such/program"});
  }
  void wait_until_ready(AttemptId id) {
    EXPECT_TRUE(run_until([&] { return read(id, "log") == "ready\n"; }));
  }
  void finish(AttemptId id, int exit_code) {
    std::ofstream(fifo(id)) << exit_code << "\n";  // Waits for the reader.
  }
  int shim_pid(AttemptId id) const {
    const auto claim = parse_claim(read(id, "claim"));
    return claim ? claim->pid : 0;
  }
  void kill_supervisor(AttemptId id) {
    const int pid = shim_pid(id);
    ASSERT_GT(pid, 1);
    ::kill(pid, SIGKILL);
  }

 protected:
  MoverOptions mover_options_;  // From the next restart() on.

 private:
  testing::TemporaryDirectory directory_;
  CgroupBase cgroup_;
  std::string why_not_;
  std::vector<SeamReport> reports_;
  std::vector<std::string> complaints_;
  std::vector<AttemptId> ordered_;
  std::unique_ptr<boost::asio::io_context> loop_;
  std::shared_ptr<ShimLauncher> launcher_;
  std::shared_ptr<ShimMover> mover_;
};

}  // namespace gpusched
