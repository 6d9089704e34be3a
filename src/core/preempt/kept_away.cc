// What keeps a job from its cards that waits aside, in words: the same rules that decide on its
// return are asked one by one.
#include <algorithm>

#include "base/words.h"
#include "core/admit/foreign_holders.h"
#include "core/preempt/over_quota.h"
#include "core/preempt/pressure.h"
#include "core/preempt/resume.h"

namespace gpusched {
namespace {

constexpr std::size_t kOthersNamed = 5;

std::string card_word(CardNumber card) { return "card " + std::to_string(number_of(card)); }

// How a job is there; empty: it is not.
std::string presence(const StateView& state, const Job& job, std::size_t position) {
  const std::string name = "job " + to_string(job.id);
  if (aside_phase(job) != AsidePhase::kPaused) return name;
  if (aside_of(job)->mechanism != Mechanism::kFreeze) {
    const std::uint64_t bytes = seen_while_away(state, job, position);
    if (bytes == 0) return {};
    return name + " (should be away, but " + mib_text(bytes) + " of it are seen)";
  }
  if (!aside_of(job)->by_hand) return name + " (paused, keeps its memory)";
  return name + " (paused on request, keeps its memory until gpusched resume " + to_string(job.id) +
         ")";
}

std::string who_is_on(const StateView& state, const Job& job, std::size_t position) {
  const CardNumber card = state.cards()[position].number;
  std::string text;
  std::size_t named = 0;
  for (const JobId id : state.active()) {
    const Job& other = *state.find(id);
    if (id == job.id || given_on(other, card) == nullptr) continue;
    const std::string there = presence(state, other, position);
    if (there.empty()) continue;
    if (named == kOthersNamed) {
      text += " and others";
      break;
    }
    text += (named++ == 0 ? "" : ", ") + there;
  }
  const std::uint64_t foreign = state.holds_on(position).ungranted.vram_bytes;
  if (named > 0) return text + (named == 1 ? " is there" : " are there");
  if (foreign == 0) return {};
  return mib_text(foreign) + " are used by others";
}

// Another job that is aside, wants the same card and goes first; null: there is none.
const Job* first_before(const StateView& state, const Job& job, Now now) {
  for (const Waiting& one : waiting_aside(state, now)) {
    if (one.job->id == job.id) return nullptr;
    for (const CardGrant& held : grant_of(job)->cards) {
      if (given_on(*one.job, held.card) != nullptr) return one.job;
    }
  }
  return nullptr;
}

}  // namespace

std::string what_keeps_away(const StateView& state, const Job& job, Now now) {
  const Grant& grant = *grant_of(job);
  const Tentative free(state);
  for (const CardGrant& held : grant.cards) {
    const auto position = state.index_of(held.card);
    if (!position) return card_word(held.card) + " is not there";
    const Card& card = state.cards()[*position];
    if (!card.usable)
      return card_word(held.card) + (card.drained ? " is drained" : " is not usable");
  }
  const int cpus_free = state.host().cpus - free.host.cpus;
  if (grant.cpus > cpus_free) {
    return "needs " + std::to_string(grant.cpus) + " CPUs, " +
           std::to_string(std::max(0, cpus_free)) + " free";
  }
  if (aside_of(job)->why == AsideWhy::kPressure && !neighbours_are_calm(state, job, now)) {
    return "left a card under pressure; waits until those who stayed there end or stop growing";
  }
  if (would_exceed_quota(state, job)) {
    return "tenant '" + job.tenant + "' would hold more than its quota with it";
  }
  if (may_return(state, free, job, nullptr, now)) {
    const Job* first = first_before(state, job, now);
    if (first == nullptr) return {};
    return "job " + to_string(first->id) + ", which is aside as well, goes before it";
  }
  for (const CardGrant& held : grant.cards) {
    const std::size_t position = *state.index_of(held.card);
    const CardLack lack = lack_for_return(state, job, held, position, free.cards[position]);
    if (lack.what == Lack::kNothing) continue;
    if (lack.what == Lack::kForeignLoad) {
      return describe(foreign_holders(state, lack, now).front());
    }
    const std::string there = who_is_on(state, job, position);
    if (!there.empty()) return "waits for room on " + card_word(held.card) + ": " + there;
  }
  return {};
}

}  // namespace gpusched
