// A process that ran before its shim: taken over, watched over, let go.
#include <csignal>

#include "base/text.h"
#include "jobdir/launch_protocol.h"
#include "launcher/supervisor.h"
#include "os/clock.h"

namespace gpusched {

void Supervisor::watch_over(std::optional<AdoptedTree> process,
                            const std::optional<StatusRecord>& before) {
  const Now now = read_clock();
  adopted_ = std::move(process);
  pid_ = parts_.order.adopted->pid;
  started_ = true;
  phase_ = Phase::kRunning;
  status_ = before.value_or(StatusRecord{});
  status_.pid = pid_;
  status_.adopted = true;
  status_.boot_id = settings_.boot_id;
  if (!before) {
    status_.started_at = now.wall;
    status_.started_boot = now.boot;
  }
  // Time counts from the adoption, whichever shim keeps it.
  timeline_.begin(parts_.order.time, status_.started_boot);
  ended_.started_at = status_.started_at;
  children_left_ = false;
  write_status_file();
  report(encode(CommandStarted{ended_.attempt, pid_, status_.started_at}));
  if (!adopted_) {
    on_adopted_gone();
  } else if (before && adopted_->is_stopped()) {
    timeline_.pause(now.boot);  // It was aside when the other shim died.
  }
  look_for_directory(now.boot);
  while (phase_ != Phase::kDone) turn();
}

void Supervisor::on_adopted_gone() {
  if (phase_ != Phase::kRunning) return;
  // What was to end ends whole; what has ended by itself leaves the rest to itself.
  if (adopted_ && told_to_end_) adopted_->signal_rest(SIGKILL);
  phase_ = Phase::kRecording;
  record_exit();
}

void Supervisor::let_go() {
  if (timeline_.paused()) set_paused(false);
  let_go_ = true;
  phase_ = Phase::kRecording;
  record_exit();
}

void Supervisor::compose_adopted_exit() {
  ended_.cause = Cause::kExit;
  ended_.let_go = let_go_;
  ended_.message = let_go_ ? "let go" : "its process has ended; how, only its parent knows";
  if (!timed_out_) return;
  ended_.cause = Cause::kTimeout;
  ended_.message = "its time limit of " + format_duration(timeline_.rule().limit) + " was reached";
}

}  // namespace gpusched
