// Out of the cards: lock all, checkpoint all; and back again when one of them cannot be.

#include <algorithm>
#include <charconv>

#include "base/words.h"
#include "mover/host_memory.h"
#include "mover/move.h"
#include "mover/timed_call.h"
#include "os/clock.h"

namespace gpusched::mover {
namespace {

// A child that has just begun with CUDA appears between two looks; not without end.
constexpr int kRoundsMost = 8;
// A process on its way through cuInit is in no state to be locked for a moment.
constexpr int kLockTriesMost = 40;
constexpr std::chrono::milliseconds kLockPause{50};

}  // namespace

Move::Step Move::go_out() {
  const bool some_away = any(ProcessState::kCheckpointed);
  if (some_away && !any(ProcessState::kRunning) && !any(ProcessState::kLocked)) {
    if (Step trouble = hold_all()) return undo(*trouble);
    keep_those_that_left();
    return std::nullopt;
  }
  record_.times = {};
  record_.copied = 0;
  if (!some_away) record_.processes.clear();
  if (Step trouble = measure()) return undo(*trouble);
  if (moving_.empty()) return std::nullopt;
  if (Step trouble = check_ram()) return undo(*trouble);
  raise_memory_max();
  save();
  die_if_asked(directory_, "begun");
  if (Step trouble = lock_all()) return undo(*trouble);
  if (Step trouble = hold_all()) return undo(*trouble);
  save();  // With what they are held by.
  const std::vector<CardUse> before = cards_->look();
  if (Step trouble = checkpoint_all()) return undo(*trouble);
  measure_by_what_got_free(before);
  keep_those_that_left();
  return std::nullopt;
}

// Those that ended on the way have nothing to bring back.
void Move::keep_those_that_left() {
  forget_gone();
  std::erase_if(record_.processes, [&](const MoveRecord::Process& known) {
    return find(known.pid, known.started) == nullptr;
  });
}

// What each has on the cards, and what is free beside it. Only of those that are on them still.
Move::Step Move::measure() {
  const std::vector<CardUse> cards = cards_->look();
  const auto tree = processes_of(where_);
  record_.beside.clear();
  for (Moving& each : moving_) {
    if (each.state != ProcessState::kCheckpointed) each.process.cards.clear();
  }
  for (const CardUse& card : cards) {
    bool ours = false;
    for (const CardUse::Process& listed : card.processes) {
      const auto entry = std::ranges::find(tree, listed.pid, &ProcessEntry::pid);
      if (entry == tree.end()) continue;
      ours = true;
      Moving* moving = find(entry->pid, entry->started);
      const std::string name = "process " + std::to_string(listed.pid);
      if (listed.mps) return Trouble{name + " uses the card through MPS", true};
      if (moving == nullptr && listed.bytes.value_or(0) == 0) continue;
      if (moving == nullptr) {
        return Trouble{name + " holds memory on a card, and the driver does not let us move it"};
      }
      if (card.mig) return Trouble{name + " is on a card that is in MIG mode", true};
      if (moving->state == ProcessState::kCheckpointed) continue;
      moving->process.cards.push_back({card.uuid, listed.bytes.value_or(0)});
    }
    if (ours) record_.beside.push_back({card.uuid, card.free_bytes});
  }
  return std::nullopt;
}

// Where the driver does not say whose memory is whose (another pid namespace, an old driver), what
// was granted is taken for it.
std::uint64_t Move::bytes_on_cards() const {
  std::uint64_t bytes = 0;
  for (const Moving& each : moving_) {
    if (each.state == ProcessState::kCheckpointed) continue;
    for (const CardBytes& card : each.process.cards) bytes += card.bytes;
  }
  if (bytes > 0) return bytes;
  for (const CardBytes& card : words_.room) bytes += card.bytes;
  return bytes;
}

// And afterwards, what has become free. Others may have taken or given some meanwhile, so this is
// only for when nothing better is known.
void Move::measure_by_what_got_free(const std::vector<CardUse>& before) {
  if (moving_.empty() || record_.bytes() > 0) return;
  const std::vector<CardUse> after = cards_->look();
  for (const CardBytes& granted : words_.room) {
    const CardUse* then = find_card(before, granted.uuid);
    const CardUse* now = find_card(after, granted.uuid);
    if (then == nullptr || now == nullptr || now->free_bytes <= then->free_bytes) continue;
    moving_.front().process.cards.push_back({granted.uuid, now->free_bytes - then->free_bytes});
    record_.beside.push_back({granted.uuid, then->free_bytes});
  }
}

Move::Step Move::check_ram() const {
  const std::uint64_t bytes = bytes_on_cards();
  const auto simulated = cuda_->simulated_ram();
  const auto available = simulated ? simulated : available_ram();
  const std::uint64_t need = bytes + bytes / 20 + words_.reserve_bytes;
  // A job's limit is raised; that of a process that is not ours is not ours to raise.
  const auto allowed = words_.tree > 0 ? room_in_groups(words_.tree) : std::nullopt;
  if (allowed && *allowed < bytes + bytes / 20) {
    return Trouble{"its control group has " + gib_text(*allowed) + " of memory left, and " +
                   gib_text(bytes) + " of VRAM would have to go there"};
  }
  if (!available || *available >= need) return std::nullopt;
  return Trouble{"the host has " + gib_text(*available) + " of memory left, and to take " +
                 gib_text(bytes) + " of VRAM it needs " + gib_text(need)};
}

// The copy is charged to the job, which must not die of it.
void Move::raise_memory_max() {
  const auto now = read_memory_max(where_.leaf);
  if (!now || !record_.memory_max.empty()) return;
  std::uint64_t limit = 0;
  std::from_chars(now->data(), now->data() + now->size(), limit);
  const std::uint64_t bytes = bytes_on_cards();
  record_.memory_max = *now;
  save();  // First, so that what it was is known whatever happens.
  write_memory_max(where_.leaf, std::to_string(limit + bytes + bytes / 20));
}

Move::Step Move::lock_all() {
  const Boot deadline = read_clock().boot + words_.lock_timeout;
  int locked = 0;
  for (int round = 0; round < kRoundsMost; ++round) {
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      if (moving_[i].state != ProcessState::kRunning) continue;
      if (Step trouble = lock_one(moving_[i], ++locked, deadline)) return trouble;
      die_if_asked(directory_, "locked:" + std::to_string(locked));
    }
    forget_gone();
    if (Step trouble = scan()) return trouble;
    if (!any(ProcessState::kRunning)) return std::nullopt;
    if (Step trouble = measure()) return trouble;
    save();
  }
  return Trouble{"the job starts new processes on the card faster than they can be stopped"};
}

Move::Step Move::lock_one(Moving& moving, int number, Boot deadline) {
  const int pid = moving.process.pid;
  for (int tries = 0; tries < kLockTriesMost; ++tries) {
    // The first gets all of the time; who comes last gets a little in any case.
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - read_clock().boot);
    const auto timeout = std::max(left, std::chrono::milliseconds{100});
    const DiesInside inside(directory_, "inside lock:" + std::to_string(number));
    const int code = timed_call(record_.times.lock, [&] { return cuda_->lock(pid, timeout); });
    if (code == kSuccess) {
      moving.state = ProcessState::kLocked;
      return std::nullopt;
    }
    if (is_gone(pid, moving.process.started)) return std::nullopt;
    if (code == kNotReady) {
      return Trouble{name_of(moving) + " did not end its work on the card within " +
                     std::to_string(words_.lock_timeout.count()) + " s"};
    }
    // Invalid value is what it says of graphs captured over several cards.
    if (code != kIllegalState) {
      const bool never = code == kNotSupported || code == kInvalidValue;
      return Trouble{"the driver does not lock " + name_of(moving) + ": " + words_of(code), never};
    }
    if (cuda_->read_state(pid, moving.state) == kSuccess &&
        moving.state != ProcessState::kRunning) {
      return std::nullopt;
    }
    pause_for(kLockPause);
  }
  return Trouble{name_of(moving) + " stays in a state in which it cannot be locked"};
}

Move::Step Move::checkpoint_all() {
  constexpr Call kCheckpoint{
      "checkpoint", ProcessState::kLocked, ProcessState::kCheckpointed, &Cuda::checkpoint, {}};
  const bool all = std::ranges::all_of(
      moving_, [](const Moving& each) { return each.state == ProcessState::kLocked; });
  std::vector<Outcome> outcomes;
  timed_call(record_.times.checkpoint, [&] {
    outcomes = carry_out_all(kCheckpoint, "checkpointed");
    return kSuccess;
  });
  if (all) count_copied(outcomes);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Moving& each = moving_[i];
    const int code = outcomes[i].code;
    if (code == kSuccess || is_gone(each.process.pid, each.process.started)) continue;
    return Trouble{"the driver does not move " + name_of(each) + ": " + words_of(code),
                   code == kNotSupported};
  }
  return std::nullopt;
}

// What has left is brought back, if there is room; then everything is resumed.
Move::Step Move::undo(Trouble trouble) {
  for (Moving& each : moving_) {
    if (cuda_->read_state(each.process.pid, each.state) != kSuccess) continue;
    if (each.state == ProcessState::kFailed) trouble.lost = true;
  }
  forget_gone();
  Step further = any(ProcessState::kCheckpointed) ? check_room() : std::nullopt;
  if (!further) further = restore_all();
  if (!further) further = unlock_all();
  if (further) {
    trouble.lost = true;
    trouble.error += "; then " + further->error;
  } else if (!trouble.lost) {
    put_back_memory_max();
  }
  return trouble;
}

}  // namespace gpusched::mover
