// What running jobs say of their progress: their files are looked at now and then, a stat and a
// short read each, and only while something runs.
#include <chrono>

#include "daemon/daemon.h"

namespace gpusched {
namespace {

constexpr std::chrono::milliseconds kProgressPeriod{1000};
// Of one look: more jobs than this do not run on one machine at a time.
constexpr std::size_t kProgressMost = 256;

}  // namespace

void Daemon::look_at_progress() {
  if (std::exchange(watching_progress_, true)) return;
  progress_.expires_after(kProgressPeriod);
  progress_.async_wait([this](const boost::system::error_code& cancelled) {
    watching_progress_ = false;
    if (cancelled) return;
    std::size_t left = kProgressMost;
    std::map<AttemptId, ReportedProgress> reported;
    for (const JobId id : engine_->state().active()) {
      const Job& job = *engine_->state().find(id);
      const auto* running = std::get_if<Running>(&job.state);
      if (left == 0) break;
      if (running == nullptr) continue;
      --left;
      const AttemptId attempt = job.current_attempt();
      const auto read = read_progress(config_.state_directory, id, job.owner.uid);
      if (!read) continue;
      const auto before = reported_.find(attempt);
      if (before == reported_.end() || before->second != *read) {
        engine_->post(ProgressSeen{attempt, read->step, read->total, read->at, read->said});
      }
      reported.emplace(attempt, *read);
    }
    reported_ = std::move(reported);
    if (engine_->state().counts().running > 0) look_at_progress();
  });
}

}  // namespace gpusched
