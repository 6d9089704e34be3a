#include "core/apply/seen_use.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/percent.h"
#include "base/words.h"
#include "core/model/kind.h"

namespace gpusched {
namespace {

// Peaks are written down when they have grown by so much since the last time.
constexpr std::uint64_t kGrownPercent = 10;

// What the job counts with on this card from now on. Nullopt: it keeps the card to itself.
// `waited_for`: another job of its program waits.
std::optional<CardGrant> settled_grant(const StateView& state, const Job& job,
                                       const CardGrant& held, bool waited_for) {
  const EstimateRules& rules = state.rules().estimates;
  const auto position = state.index_of(held.card);
  const CardUse* use = state.seen().uses.on_card(job.current_attempt(), held.card);
  if (!position || use == nullptr) return std::nullopt;
  const bool settled = use->settled(rules);
  if (!settled && !(waited_for && use->steady(rules))) return std::nullopt;
  CardGrant grant = held;
  // A few seconds prove less than minutes.
  PeakRange peak;
  peak.add(use->peak_vram_bytes);
  const std::uint64_t part = settled ? percent_of(use->peak_vram_bytes, rules.settled_hold_percent)
                                     : hold_from_alike(peak, rules);
  const std::uint64_t capacity = state.cards()[*position].capacity_bytes();
  grant.vram_bytes = std::min(std::max(part, job.vram_floor_bytes), capacity);
  const double load = std::ceil(use->load_percent.value_or(100));
  grant.share_percent = std::clamp(static_cast<int>(load), 1, 100);
  grant.whole = false;
  return grant;
}

// True: the job has changed.
bool give_up_rest(const StateView& state, Job& job, Running& running, std::string& told) {
  const bool unknown = !job.spec->needs.exclusive && !running.grant.cards.empty() &&
                       std::ranges::all_of(running.grant.cards, &CardGrant::whole);
  if (!unknown) return false;
  const bool waited_for = job.program_signature != SignatureId{} &&
                          state.pending().waits_for_program(job.program_signature);
  std::vector<CardGrant> grants;
  for (const CardGrant& held : running.grant.cards) {
    std::optional<CardGrant> grant = settled_grant(state, job, held, waited_for);
    if (!grant) return false;
    grants.push_back(*grant);
  }
  told = "its memory no longer grows: it holds " + gib_text(grants.front().vram_bytes) +
         (grants.size() > 1 ? " of each card" : "") + ", others may join it";
  running.grant.cards = std::move(grants);
  return true;
}

// Others of its program may be judged by it once it has shown on all its cards what it takes.
void show(State& state, const Job& job) {
  const Grant& grant = *grant_of(job);
  std::uint64_t peak = 0;
  for (const CardGrant& held : grant.cards) {
    const CardUse* use = state.seen().uses.on_card(job.current_attempt(), held.card);
    if (use == nullptr || !use->steady(state.rules().estimates)) return;
    peak = std::max(peak, use->peak_vram_bytes);
  }
  const auto position = state.index_of(grant.cards.front().card);
  if (position && kind_of(job).teaches)
    state.show_sibling(job, state.cards()[*position].model, peak);
}

bool write_down(const StateView& state, const Job& job, Running& running) {
  const std::optional<GpuUsage> used = state.seen().uses.of(job.current_attempt());
  if (!used) return false;
  const std::uint64_t written = running.used ? running.used->peak_card_vram_bytes : 0;
  if (used->peak_card_vram_bytes <= written + written / 100 * kGrownPercent) return false;
  running.used = std::make_shared<const GpuUsage>(*used);
  return true;
}

}  // namespace

void take_seen_use(State& state, CardNumber card, Now now) {
  // Few: those that run on one card. Changing one changes what is iterated over.
  std::vector<JobId> there;
  for (const JobId id : state.active()) {
    const Job& job = *state.find(id);
    if (!std::holds_alternative<Running>(job.state) || is_aside(job)) continue;
    if (given_on(job, card) != nullptr) there.push_back(id);
  }
  for (const JobId id : there) {
    show(state, *state.find(id));
    Job job = *state.find(id);
    Running& running = std::get<Running>(job.state);
    std::string told;
    const bool settled = give_up_rest(state, job, running, told);
    const bool written = write_down(state, job, running);
    if (!settled && !written) continue;
    if (settled) state.note(job, "settled", told, now);
    state.put(std::move(job), now);
  }
}

}  // namespace gpusched
