#include "replay/past.h"

#include <algorithm>
#include <utility>

namespace gpusched::replay {

void settle(PastJob& past, const std::vector<CardGrant>& grants) {
  Needs& needs = past.job.needs;
  if (!needs.cards.unset()) {
    needs.cards.edit().only.names.clear();
    needs.cards.edit().avoid.names.clear();
  }
  for (const CardGrant& grant : grants) {
    past.cards.push_back(static_cast<int>(number_of(grant.card)));
    if (grant.whole) continue;
    past.part = grant.share_percent / 100.0;
    const bool known = grant.vram_bytes < kUnknownHold;
    if (needs.vram_bytes == 0 && known) needs.vram_bytes = grant.vram_bytes;
    if (needs.share_percent == 0) needs.share_percent = grant.share_percent;
  }
}

std::optional<PastJob> past_job_of(const Job& job) {
  const auto* ended = std::get_if<Ended>(&job.state);
  if (ended == nullptr || !ended->started_at) return std::nullopt;
  PastJob past;
  past.submitted = job.submitted_at;
  past.started = std::max(*ended->started_at, past.submitted);
  past.ended = std::max(ended->ended_at, past.started);
  past.moves = job.moves;
  past.job.line = number_of(job.id);
  past.job.needs = job.spec->needs;
  past.job.priority = job.priority;
  past.job.time_limit = job.spec->time.limit;
  past.job.tenant = job.tenant;
  past.job.duration = past.ended - past.started;
  past.detail.vram_bytes = past.job.needs.vram_bytes;
  past.detail.share_asked = past.job.needs.share_percent > 0;
  settle(past, ended->grant.cards);
  return past;
}

Past past_of(std::vector<PastJob> jobs, const Machine& machine) {
  // Those of one array came together, and in the order of their numbers.
  std::ranges::sort(jobs, {},
                    [](const PastJob& one) { return std::pair(one.submitted, one.job.line); });
  Past past;
  past.as_it_was.nodes = machine.nodes;
  past.as_it_was.cards = machine.total();
  const Wall zero = jobs.front().submitted;
  for (PastJob& one : jobs) {
    one.job.submit = one.submitted - zero;
    JobOutcome seen;
    seen.first_start = one.started - zero;
    seen.end = one.ended - zero;
    seen.on_cards = one.job.duration;
    seen.preemptions = one.moves;
    Stretch stretch{.job = past.trace.size(), .start = *seen.first_start, .end = seen.end};
    stretch.part = one.part;
    for (const int number : one.cards) {
      const auto card = std::ranges::find_if(
          machine.cards, [&](const Card& each) { return number_of(each.number) == number; });
      if (card == machine.cards.end()) continue;  // Gone since.
      stretch.cards.push_back(static_cast<int>(card - machine.cards.begin()));
    }
    past.trace.push_back(std::move(one.job));
    past.details.push_back(std::move(one.detail));
    past.as_it_was.jobs.push_back(seen);
    past.as_it_was.stretches.push_back(std::move(stretch));
  }
  std::ranges::stable_sort(past.as_it_was.stretches, {}, &Stretch::end);
  return past;
}

}  // namespace gpusched::replay
