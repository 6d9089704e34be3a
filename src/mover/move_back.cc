// Back to the cards: room first, because a restore without room destroys the process; then restore
// all, unlock all.
#include <algorithm>
#include <set>

#include "base/words.h"
#include "mover/move.h"
#include "mover/timed_call.h"

namespace gpusched::mover {
namespace {

// A restore may want a little more than what was counted; as much as was there before it left.
constexpr std::uint64_t kMostBeside = 512 << 20;
// Nothing is copied; a process that another call is at work in is in no state for it.
constexpr std::chrono::seconds kUnlockPatience{3};

std::uint64_t bytes_of(const std::vector<CardBytes>& cards, const std::string& uuid) {
  std::uint64_t sum = 0;
  for (const CardBytes& card : cards) sum += card.uuid == uuid ? card.bytes : 0;
  return sum;
}

}  // namespace

Move::Step Move::come_back() {
  const bool away = any(ProcessState::kCheckpointed);
  if (!away && !any(ProcessState::kLocked)) {
    put_back_memory_max();
    return std::nullopt;
  }
  if (away) {
    record_.times = {};
    record_.copied = 0;
  }
  if (Step trouble = away ? check_room() : std::nullopt) return trouble;
  save();
  die_if_asked(directory_, "begun back");
  if (Step trouble = hold_all()) return trouble;
  if (Step trouble = restore_all()) return trouble;
  if (Step trouble = unlock_all()) return trouble;
  put_back_memory_max();
  return std::nullopt;
}

// Those that are back already hold their part of it.
Move::Step Move::check_room() const {
  const std::vector<CardUse> cards = cards_->look();
  std::set<std::string> uuids;
  for (const CardBytes& wanted : words_.room) uuids.insert(wanted.uuid);
  for (const Moving& each : moving_) {
    for (const CardBytes& card : each.process.cards) uuids.insert(card.uuid);
  }
  for (const std::string& uuid : uuids) {
    const CardUse* card = find_card(cards, uuid);
    if (card == nullptr) return Trouble{"card " + uuid + " does not say what is free on it"};
    std::uint64_t coming = 0;
    std::uint64_t there = 0;
    for (const Moving& each : moving_) {
      const bool away = each.state == ProcessState::kCheckpointed;
      (away ? coming : there) += bytes_of(each.process.cards, uuid);
    }
    const std::uint64_t wanted = bytes_of(words_.room, uuid);
    const std::uint64_t asked = wanted > there ? wanted - there : 0;
    std::uint64_t need = coming + std::min(bytes_of(record_.beside, uuid), kMostBeside);
    // On a card that is otherwise empty more cannot be had, whatever was asked for.
    const bool empty = card->listed && card->processes.empty();
    if (!empty || coming == 0) need = std::max(need, asked);
    if (card->free_bytes >= need) continue;
    return Trouble{"card " + uuid + " has " + mib_text(card->free_bytes) + " free, and " +
                   mib_text(need) + " are needed"};
  }
  return std::nullopt;
}

Move::Step Move::restore_all() {
  constexpr Call kRestore{
      "restore", ProcessState::kCheckpointed, ProcessState::kLocked, &Cuda::restore, {}};
  if (!any(ProcessState::kCheckpointed)) return std::nullopt;
  const bool all = std::ranges::all_of(
      moving_, [](const Moving& each) { return each.state == ProcessState::kCheckpointed; });
  std::vector<Outcome> outcomes;
  timed_call(record_.times.restore, [&] {
    outcomes = carry_out_all(kRestore, "restored");
    return kSuccess;
  });
  if (all && !words_.out) count_copied(outcomes);
  return say_who_is_lost(outcomes, "bring", "back");
}

Move::Step Move::unlock_all() {
  constexpr Call kUnlock{"unlock", ProcessState::kLocked, ProcessState::kRunning, &Cuda::unlock,
                         kUnlockPatience};
  std::vector<Outcome> outcomes;
  timed_call(record_.times.unlock, [&] {
    outcomes = carry_out_all(kUnlock, "unlocked");
    return kSuccess;
  });
  return say_who_is_lost(outcomes, "let", "go on");
}

// A held process cannot end by itself: one that is gone on its way back died of it.
Move::Step Move::say_who_is_lost(const std::vector<Outcome>& outcomes, const char* verb,
                                 const char* where) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Moving& each = moving_[i];
    if (outcomes[i].code == kSuccess) continue;
    if (!is_gone(each.process.pid, each.process.started)) {
      return Trouble{std::string("the driver does not ") + verb + " " + name_of(each) + " " +
                         where + ": " + words_of(outcomes[i].code),
                     false, true};
    }
    if (words_.out) continue;
    return Trouble{name_of(each) + " died on its way back", false, true};
  }
  forget_gone();
  return std::nullopt;
}

}  // namespace gpusched::mover
