// Back to the cards: room first, because a restore without room destroys the process; then restore
// all, unlock all.
#include <algorithm>
#include <set>

#include "mover/move.h"
#include "mover/timed_call.h"

namespace gpusched::mover {
namespace {

// A restore may want a little more than what was counted; as much as was there before it left.
constexpr std::uint64_t kMostBeside = 512 << 20;

std::uint64_t bytes_of(const std::vector<CardBytes>& cards, const std::string& uuid) {
  std::uint64_t sum = 0;
  for (const CardBytes& card : cards) sum += card.uuid == uuid ? card.bytes : 0;
  return sum;
}

std::string in_mib(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

Move::Step Move::come_back() {
  const bool away = any(ProcessState::kCheckpointed);
  if (!away && !any(ProcessState::kLocked)) {
    put_back_memory_max();
    return std::nullopt;
  }
  if (away) record_.times = {};
  if (Step trouble = away ? check_room() : std::nullopt) return trouble;
  save();
  die_if_asked(directory_, "begun back");
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
    return Trouble{"card " + uuid + " has " + in_mib(card->free_bytes) + " free, and " +
                   in_mib(need) + " are needed"};
  }
  return std::nullopt;
}

Move::Step Move::restore_all() {
  int done = 0;
  for (Moving& each : moving_) {
    if (each.state != ProcessState::kCheckpointed) continue;
    const int pid = each.process.pid;
    const int code = timed_call(record_.times.restore, [&] { return cuda_->restore(pid); });
    if (code != kSuccess) {
      if (is_gone(pid, each.process.started)) continue;
      return Trouble{"the driver does not bring " + name_of(each) + " back: " + words_of(code),
                     false, true};
    }
    each.state = ProcessState::kLocked;
    die_if_asked(directory_, "restored:" + std::to_string(++done));
  }
  forget_gone();
  return std::nullopt;
}

Move::Step Move::unlock_all() {
  int done = 0;
  for (Moving& each : moving_) {
    if (each.state != ProcessState::kLocked) continue;
    const int pid = each.process.pid;
    const int code = timed_call(record_.times.unlock, [&] { return cuda_->unlock(pid); });
    if (code != kSuccess) {
      if (is_gone(pid, each.process.started)) continue;
      if (cuda_->read_state(pid, each.state) == kSuccess && each.state == ProcessState::kRunning) {
        continue;
      }
      return Trouble{"the driver does not let " + name_of(each) + " go on: " + words_of(code),
                     false, true};
    }
    each.state = ProcessState::kRunning;
    die_if_asked(directory_, "unlocked:" + std::to_string(++done));
  }
  return std::nullopt;
}

}  // namespace gpusched::mover
