// A turn whose commit failed has not happened. What is undone, who hears of it, and the one thing
// that is done all the same: a job that fills the disk must be ended for the disk to have room.
#include <algorithm>
#include <deque>
#include <utility>

#include "core/state/state.h"
#include "engine/engine.h"

namespace gpusched {
namespace {

// How long after a failed commit the next one is tried.
constexpr Microseconds kRetryCommit{1'000'000};

std::vector<StopAttempt> stops_of(const Applied& applied) {
  std::vector<StopAttempt> stops;
  for (const Effect& effect : applied.effects) {
    if (const auto* stop = std::get_if<StopAttempt>(&effect)) stops.push_back(*stop);
  }
  return stops;
}

Error ended_but_not_kept(const std::vector<StopAttempt>& stops, const Error& error) {
  std::string jobs = stops.size() == 1 ? "job " : "jobs ";
  for (std::size_t i = 0; i < stops.size(); ++i) {
    jobs += (i == 0 ? "" : ", ") + to_string(stops[i].attempt.job);
  }
  return {error.code, jobs + (stops.size() == 1 ? " is" : " are") +
                          " being ended, but that cannot be written down: if the daemon is "
                          "restarted before it can, cancel again (" +
                          error.message + ")"};
}

}  // namespace

void Engine::note_cancels(const Event& event, const Applied& applied) {
  const auto* asked = std::get_if<CancelAsked>(&event);
  const auto* changed = std::get_if<Changed>(&applied.answer);
  if (asked == nullptr || changed == nullptr || stops_of(applied).empty()) return;
  for (const JobId id : changed->jobs) {
    flight_.cancels.push_back({{id, state_.find(id)->attempt}, asked->grace});
  }
}

// The end of what runs is asked for now, and written into the database with the next commit that
// succeeds; until then the store keeps it. Who only waits is not started meanwhile.
bool Engine::refuse_undone(Posted& posted, const CommitError& error,
                           const std::vector<KeptCancel>& in_commit, Now now) {
  const auto* asked = std::get_if<CancelAsked>(&posted.event);
  if (asked == nullptr) {
    posted.answer(failure(error));
    return false;
  }
  Applied applied = apply(state_, posted.event, now);
  state_.roll_back(now);
  const std::vector<StopAttempt> stops = stops_of(applied);
  if (stops.empty()) {
    posted.answer(failure(error));
    return false;
  }
  for (const StopAttempt& stop : stops)
    site_of(stop.attempt.job).launcher.stop(stop.attempt, stop.grace);
  const bool kept = error.cancels_kept &&
                    std::ranges::all_of(std::get<Changed>(applied.answer).jobs, [&](JobId id) {
                      return std::ranges::find(in_commit, id, [](const KeptCancel& one) {
                               return one.attempt.job;
                             }) != in_commit.end();
                    });
  if (kept) {
    posted.answer(std::move(applied.answer));
  } else {
    posted.answer(failure(ended_but_not_kept(stops, error)));
  }
  return true;
}

// Clients hear why, and what the world reported is kept for the next try, because it will not be
// reported again.
void Engine::undo(const CommitError& error, Now now) {
  state_.roll_back(now);
  trail_in_flight_.clear();
  degraded_ = Degraded{error, now.boot + kRetryCommit};
  Flight failed = std::exchange(flight_, {});
  for (const LaunchOrder& order : failed.prepared)
    site_of(order.attempt.job).launcher.abandon(order.attempt);
  std::deque<Posted> cancels, again;
  for (Posted& posted : failed.events) {
    if (posted.answer) {
      if (refuse_undone(posted, error, failed.cancels, now)) {
        cancels.push_back({std::move(posted.event), {}, std::move(posted.asked)});
      }
    } else if (std::holds_alternative<CancelAsked>(posted.event)) {
      cancels.push_back(std::move(posted));
    } else if (!std::holds_alternative<TimePassed>(posted.event) &&
               !std::holds_alternative<RetentionDue>(posted.event)) {
      again.push_back(std::move(posted));
    }
  }
  for (const std::uint64_t submission : failed.slices) {
    const auto large = std::ranges::find(large_, submission,
                                         [](const Large& one) { return one.whole.submission; });
    if (large != large_.end()) {
      large->answer(failure(error));
      large_.erase(large);
    }
    again.push_back({SubmissionAbandoned{submission}, {}});
  }
  // Clients that were still waiting for their turn would only fail the same way. A cancel was in no
  // commit yet: it gets its turn at once.
  keep_notes(std::move(failed.notes));
  for (AuditEntry& entry : failed.audit) {
    if (!entry.again) continue;  // It stands there with what has been done so far.
    entry.result = "failed";
    note(std::move(entry));
  }
  for (Bulk& bulk : std::exchange(bulks_, {})) {
    record_failed(bulk);
    bulk.answer(failure(error));
  }
  for (Posted& posted : queue_) {
    const bool cancel = std::holds_alternative<CancelAsked>(posted.event);
    if (posted.answer && !cancel) {
      posted.answer(failure(error));
      continue;
    }
    if (posted.answer) degraded_->retry_at = Boot{};
    (cancel ? cancels : again).push_back(std::move(posted));
  }
  queue_ = std::move(cancels);
  std::ranges::move(again, std::back_inserter(queue_));
}

}  // namespace gpusched
