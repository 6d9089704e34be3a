#include "core/explain/knowledge.h"

#include <algorithm>

#include "base/check.h"
#include "base/percent.h"
#include "base/words.h"
#include "core/state/belief.h"
#include "core/state/run_time.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kGiBs = 1ULL << 30;

std::uint64_t own_peak(const StateView& state, const Job& job) {
  if (const auto* ended = std::get_if<Ended>(&job.state)) {
    const Usage& usage = usage_of(*ended);
    return usage.gpu ? usage.gpu->peak_card_vram_bytes : 0;
  }
  if (!job.active()) return 0;
  const auto used = state.seen().uses.of(job.current_attempt());
  return used ? used->peak_card_vram_bytes : 0;
}

// "3 earlier runs", "1 running job and 2 earlier runs of its program".
std::string runs_text(const Estimate& estimate) {
  const std::uint64_t ended = estimate.runs - std::min(estimate.runs, estimate.running);
  std::string text;
  if (estimate.running > 0) text = counted(estimate.running, "running job");
  if (ended > 0) text += (text.empty() ? "" : " and ") + counted(ended, "earlier run");
  switch (estimate.level) {
    case EstimateLevel::kSignature:
      return text;
    case EstimateLevel::kSweep:
      return text + " of its sweep";
    case EstimateLevel::kProgram:
      return text + " of its program";
  }
  CHECK(false);
}

// Declared too much, so that others waited for nothing; or too little, so that it may fail.
std::string on_declared(const Job& job, Knowledge& known) {
  const std::uint64_t asked = job.spec->needs.vram_bytes;
  const bool completed = job.ended() && std::get<Ended>(job.state).outcome == Outcome::kCompleted;
  if (known.used_bytes == 0 || (!completed && known.used_bytes <= asked)) return {};
  // Other runs may have used more.
  std::uint64_t most = known.used_bytes;
  if (known.estimate && known.out_of_memory == 0) {
    most = std::max(most, known.estimate->vram_bytes / 115 * 100);
  }
  const std::uint64_t suggested = suggested_for(most);
  const bool much_less = suggested < asked / 10 * 9;
  if (!much_less && known.used_bytes <= asked) return {};
  known.suggested_bytes = suggested;
  return "asked " + rounded_size(asked) + ", used " + rounded_size(known.used_bytes) +
         ": ask for " + rounded_size(suggested) + " next time";
}

std::string on_undeclared(const Job& job, const Knowledge& known) {
  const Grant* grant = grant_of(job);
  const bool whole = grant != nullptr && std::ranges::any_of(grant->cards, &CardGrant::whole);
  if (known.held_bytes > 0 && whole) {
    return job.ended() ? std::string() : "nothing is known of it yet: it has its card alone";
  }
  if (known.held_bytes > 0 && known.estimate) {
    return "held " + rounded_size(known.held_bytes) + " from " + runs_text(*known.estimate);
  }
  if (known.held_bytes > 0)
    return "held " + rounded_size(known.held_bytes) + " since its memory settled";
  if (known.estimate) {
    return "will hold " + rounded_size(known.estimate->vram_bytes) + " from " +
           runs_text(*known.estimate);
  }
  return "nothing is known of it: it starts alone on a card";
}

}  // namespace

std::uint64_t suggested_for(std::uint64_t used_bytes) {
  const std::uint64_t target = percent_of(used_bytes, 115);
  const std::uint64_t unit = target >= 4 * kGiBs ? kGiBs : kGiBs / 4;
  const std::uint64_t rounded = (target + unit / 2) / unit * unit;
  return rounded < percent_of(used_bytes, 105) ? rounded + unit : std::max(rounded, unit);
}

Knowledge knowledge_of(const StateView& state, const Job& job) {
  Knowledge known;
  Signature signature = signature_of(job);
  known.signature = std::move(signature.command);
  known.expected_run = expected_run(state, job);
  const Needs& needs = job.spec->needs;
  if (!needs.wants_cards()) return known;
  known.estimate = estimate_of(state, job);
  for (const auto& [key, found] : state.estimates().of(signature.id)) {
    known.out_of_memory += found.past.out_of_memory;
  }
  if (const Grant* grant = grant_of(job)) {
    for (const CardGrant& held : grant->cards) {
      known.held_bytes = std::max(known.held_bytes, held.vram_bytes);
    }
  }
  known.used_bytes = own_peak(state, job);
  if (needs.vram_bytes > 0) {
    known.advice = on_declared(job, known);
  } else if (!needs.exclusive) {
    known.advice = on_undeclared(job, known);
  }
  return known;
}

}  // namespace gpusched
