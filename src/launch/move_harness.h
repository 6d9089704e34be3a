// For tests: a real launcher with real shims and movers, and jobs on simulated cards.
#pragma once

#include <algorithm>

#include "jobdir/move_record.h"
#include "launch/shim_harness.h"
#include "tests/support/move_contract.h"
#include "tests/support/simulated_driver.h"

namespace gpusched {

class MoveHarness : public ShimHarness {
 public:
  explicit MoveHarness(bool with_cgroup, const std::string& scenario = "2x24G")
      : ShimHarness(with_cgroup), driver_(scenario) {
    mover_options_.variables = driver_.environment();
    restart();
  }

  testing::SimulatedDriver& driver() { return driver_; }
  std::string uuid() const { return driver_.world().data().facts[0].uuid; }
  void set_mover_variable(const std::string& variable) {
    mover_options_.variables.push_back(variable);
    restart();
  }
  void set_mover(const MoverOptions& mover) {
    mover_options_ = mover;
    restart();
  }

  std::string steps_file(AttemptId id) const { return state() + "/steps." + to_string(id); }
  LaunchOrder on_cards(LaunchOrder order) const {
    auto environment = std::make_shared<Environment>(*order.command.environment);
    for (const std::string& each : driver_.environment()) environment->variables.push_back(each);
    order.command.environment = std::move(environment);
    return order;
  }
  std::string simjob(AttemptId id) const {
    return std::string(SIMJOB_PROGRAM) + " --vram 4G --seconds 0 --step-ms 10 --steps-file " +
           steps_file(id);
  }
  LaunchOrder card_order(AttemptId id) { return on_cards(shell_order(id, "exec " + simjob(id))); }
  MoveOrder move_order(AttemptId id, bool checkpoint) {
    MoveOrder order{.attempt = id, .checkpoint = checkpoint};
    order.room = {{uuid(), kMoveVram}};
    order.host_bytes = kMoveVram;
    return order;
  }
  std::uint64_t held_on_card() const { return driver_.held_on(0); }
  bool on_card(AttemptId) const { return held_on_card() >= kMoveVram; }
  long steps(AttemptId id) const {
    long count = 0;
    std::ifstream(steps_file(id)) >> count;
    return count;
  }
  std::function<bool()> computing(AttemptId id) const {
    return [this, id, before = steps(id)] { return steps(id) > before + 2; };
  }
  void take_room() { filler_ = driver_.add_process({"card=0", "vram=22G"}); }
  void give_room() { driver_.remove_process(filler_); }
  void refuse_moves() { driver_.set({"return=cuCheckpointProcessCheckpoint:801"}); }
  void lose_on_return() { driver_.set({"return=cuCheckpointProcessRestore:304"}); }

  MoveRecord record(AttemptId id) const {
    const auto record = parse_move(read(id, kMoveFile));
    return record ? *record : MoveRecord{};
  }

 private:
  testing::SimulatedDriver driver_;
  int filler_ = 0;
};

}  // namespace gpusched
