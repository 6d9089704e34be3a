// What WorkMeters tells.
#include "core/model/move.h"
#include "metrics/work_meters.h"

namespace gpusched::metrics {
namespace {

std::string_view outcome_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

constexpr std::array<std::string_view, 2> kKinds = {"command", "lease"};
constexpr std::string_view direction_word(bool out) { return out ? "out" : "back"; }

}  // namespace

void WorkMeters::write(Exposition& out) const {
  const auto histogram = [&](std::string_view name, std::string_view help, Histogram Times::*of) {
    out.family({.name = name, .type = Type::kHistogram, .help = help, .unit = "seconds"});
    for (std::size_t i = 0; i < kKinds.size(); ++i) out.add({{"kind", kKinds[i]}}, times_[i].*of);
  };
  histogram("gpusched_job_wait_seconds", "From submission to the decision to start it first.",
            &Times::wait);
  histogram("gpusched_job_start_seconds",
            "From the decision to start it to the start of its command.", &Times::start);
  histogram("gpusched_job_run_seconds", "Of jobs that ended: from start to end, last attempt.",
            &Times::run);
  out.family({.name = "gpusched_jobs_ended_total",
              .type = Type::kCounter,
              .help = "Jobs that ended, by outcome, and what failed ones failed by."});
  for (const auto& [how, count] : ended_) {
    out.add({{"outcome", outcome_word(how.first)},
             {"cause", how.second ? cause_name(*how.second) : "none"}},
            count);
  }
  out.family({.name = "gpusched_jobs_requeued_total",
              .type = Type::kCounter,
              .help = "Attempts after which the job waited for another one."});
  out.add({}, requeued_);
  out.family({.name = "gpusched_decisions_total",
              .type = Type::kCounter,
              .help = "Decisions that were carried out, by kind."});
  out.add({{"kind", "start"}}, starts_);
  out.add({{"kind", "move_aside"}}, moves_aside_);
  out.add({{"kind", "return"}}, returns_);
  out.add({{"kind", "stand_still"}}, stops_);
  write_moves(out);
}

void WorkMeters::write_moves(Exposition& out) const {
  const auto result_word = [](Result result) -> std::string_view {
    return result == Result::kDone ? "done" : result == Result::kFailed ? "failed" : "ended";
  };
  out.family({.name = "gpusched_moves_total",
              .type = Type::kCounter,
              .help = "Moves of jobs from their cards and back, by mechanism and result."});
  for (const auto& [move, count] : moves_) {
    out.add({{"mechanism", mechanism_name(move.first.first)},
             {"direction", direction_word(move.first.second)},
             {"result", result_word(move.second)}},
            count);
  }
  out.family({.name = "gpusched_move_duration_seconds",
              .type = Type::kHistogram,
              .help = "From the order to move a job to the word that it is done.",
              .unit = "seconds"});
  for (const auto& [move, times] : move_times_) {
    out.add({{"mechanism", mechanism_name(move.first)}, {"direction", direction_word(move.second)}},
            times);
  }
  out.family({.name = "gpusched_moved_bytes_total",
              .type = Type::kCounter,
              .help = "Video memory that was moved to host memory and back.",
              .unit = "bytes"});
  out.add({{"direction", "out"}}, moved_bytes_[0]);
  out.add({{"direction", "back"}}, moved_bytes_[1]);
}

void WorkMeters::write_tenants(Exposition& out, Now now) const {
  out.family({.name = "gpusched_gpu_seconds_total",
              .type = Type::kCounter,
              .help = "Cards held times seconds, by tenant.",
              .unit = "seconds"});
  for (const auto& [tenant, seconds] : seconds_.sums(now.boot)) {
    out.add({{"tenant", tenant}}, seconds);
  }
}

}  // namespace gpusched::metrics
