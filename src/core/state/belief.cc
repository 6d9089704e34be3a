#include "core/state/belief.h"

#include <algorithm>

#include "core/model/card_rules.h"

namespace gpusched {

std::string model_of(const StateView& state, const Grant& grant) {
  if (grant.cards.empty()) return {};
  const auto position = state.index_of(grant.cards.front().card);
  return position ? state.cards()[*position].model : std::string();
}

bool counts_history(const Job& job, const EstimateRules& rules) {
  const Needs& needs = job.spec->needs;
  if (!needs.wants_cards() || needs.exclusive) return false;
  return needs.vram_bytes == 0 || rules.trust_history;
}

namespace {

struct OnModel {
  const std::string* model;
  Estimate estimate;
};

// What is known on each model of card, by the nearest level that knows something of that model.
class Believed {
 public:
  Believed(const StateView& state, const Signatures& by, bool declared) : state_(state) {
    past(by.exact);
    // A job that says what it needs is not judged by others.
    if (declared) return;
    running(by.exact, EstimateLevel::kSignature);
    alike(by.sweep, EstimateLevel::kSweep);
    alike(by.program, EstimateLevel::kProgram);
  }
  const std::vector<OnModel>& all() const { return all_; }

 private:
  bool known(const std::string& model) const {
    return std::ranges::any_of(all_, [&](const OnModel& one) { return *one.model == model; });
  }
  void past(SignatureId id) {
    for (const auto& [key, known] : state_.estimates().of(id)) {
      if (known.estimate) all_.push_back({&key.model, *known.estimate});
    }
  }
  void add(const PastRunsKey& key, PeakRange peaks, EstimateLevel level) {
    const PeakRange running = state_.seen().siblings.find(key);
    peaks.add(running);
    if (peaks.runs == 0) return;
    all_.push_back({&key.model,
                    {.vram_bytes = hold_from_alike(peaks, state_.rules().estimates),
                     .runs = peaks.runs,
                     .running = running.runs,
                     .level = level}});
  }
  void running(SignatureId id, EstimateLevel level) {
    if (state_.seen().siblings.empty()) return;
    for (const auto& [key, shown] : state_.seen().siblings.of(id)) {
      if (!known(key.model)) add(key, {}, level);
    }
  }
  void alike(SignatureId id, EstimateLevel level) {
    if (id == SignatureId{}) return;
    for (const auto& [key, past] : state_.estimates().of(id)) {
      if (!known(key.model)) add(key, past.peaks, level);
    }
    running(id, level);
  }

  const StateView& state_;
  std::vector<OnModel> all_;
};

}  // namespace

Needs needs_now(const StateView& state, const Job& job) {
  Needs needs = job.spec->needs;
  needs.vram_floor_bytes = job.vram_floor_bytes;
  const EstimateRules& rules = state.rules().estimates;
  if (!counts_history(job, rules)) return needs;
  const Believed believed(state, signatures_of(job), needs.vram_bytes > 0);
  for (const auto& [model, estimate] : believed.all()) {
    Belief belief{*model, estimate.vram_bytes, estimate.share_percent};
    // Trusted or not, nobody gets more than was declared.
    if (needs.vram_bytes > 0) belief.vram_bytes = std::min(belief.vram_bytes, needs.vram_bytes);
    needs.beliefs.push_back(std::move(belief));
  }
  return needs;
}

CardAsk card_ask_now(const StateView& state, const ShapeKey& shape) {
  CardAsk least{.whole = true, .cards = shape.needs.gpus.least};
  const Believed believed(state, {shape.signature, shape.sweep_signature, shape.program_signature},
                          shape.needs.vram_bytes > 0);
  for (const auto& [model, estimate] : believed.all()) {
    std::uint64_t bytes = estimate.vram_bytes;
    if (shape.needs.vram_bytes > 0) bytes = std::min(bytes, shape.needs.vram_bytes);
    least.vram_bytes = least.whole ? bytes : std::min(least.vram_bytes, bytes);
    least.whole = false;
  }
  // One that declares something shares also where nothing is known.
  if (least.whole && !shape.needs.declares_nothing()) {
    return {.cards = shape.needs.gpus.least};
  }
  return least;
}

std::optional<Estimate> estimate_of(const StateView& state, const Job& job) {
  const Grant* grant = grant_of(job);
  const std::string model = grant ? model_of(state, *grant) : std::string();
  const Believed believed(state, signatures_of(job), job.spec->needs.vram_bytes > 0);
  for (const auto& [known_on, estimate] : believed.all()) {
    if (grant != nullptr && *known_on != model) continue;
    const bool there = std::ranges::any_of(state.cards(), [&, on = known_on](const Card& card) {
      return card.model == *on && matches(card, job.spec->needs.cards);
    });
    if (there) return estimate;
  }
  return std::nullopt;
}

}  // namespace gpusched
