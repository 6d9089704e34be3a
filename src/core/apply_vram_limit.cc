// `--vram-limit`: what a job may take on each of its cards, kept by looking. One look may catch a
// moment, so it takes two in a row; nobody else on the card is touched.
#include <map>

#include "core/transitions.h"

namespace gpusched {
namespace {

std::map<AttemptId, std::uint64_t> taken_by(const CardView& view) {
  std::map<AttemptId, std::uint64_t> taken;
  if (view.condition != CardCondition::kOk) return taken;
  for (const SeenProcess& process : view.processes) {
    if (process.attempt) taken[*process.attempt] += process.vram_bytes.value_or(0);
  }
  return taken;
}

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

void enforce_vram_limits(State& state, CardNumber card, const CardView& before,
                         const CardView& after, Now now, Applied& applied) {
  const auto earlier = taken_by(before);
  const std::string where = " on card " + std::to_string(number_of(card));
  for (const auto& [attempt, bytes] : taken_by(after)) {
    const Job* found = state.find(attempt.job);
    if (found == nullptr || !found->active() || found->current_attempt() != attempt) continue;
    const std::uint64_t limit = found->spec->rare->vram_limit_bytes;
    if (limit == 0 || found->spec->lease || stopping_of(*found) != StopReason::kNone) continue;
    const auto last = earlier.find(attempt);
    const std::uint64_t had = last == earlier.end() ? 0 : last->second;
    const std::uint64_t need = found->spec->needs.vram_bytes;
    const CardUse* use = state.uses().on_card(attempt, card);
    const bool first_time = use == nullptr || use->peak_vram_bytes <= need;
    if (need > 0 && bytes > need && first_time) {
      state.note(*found, "vram",
                 "takes " + mebibytes(bytes) + where + ", more than the " + mebibytes(need) +
                     " it asked for; its limit is " + mebibytes(limit),
                 now);
    }
    if (bytes <= limit || had <= limit) continue;
    Job job = *found;
    stopping_in(job) = StopReason::kVramLimit;
    state.note(job, "vram_limit",
               "takes " + mebibytes(bytes) + where + "; its limit is " + mebibytes(limit) +
                   "; the attempt is ended",
               now);
    applied.effects.emplace_back(StopAttempt{attempt, job.spec->time.grace});
    state.put(std::move(job), now);
  }
}

}  // namespace gpusched
