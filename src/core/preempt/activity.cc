#include "core/preempt/activity.h"

#include <algorithm>

namespace gpusched {
namespace {

// A program that makes a new lock for every wait is not followed for ever.
constexpr std::size_t kAddressesMost = 4096;

}  // namespace

void Activity::learn(const HolderLook& look) {
  ++looks_;
  stays_.clear();
  for (const ThreadLook& thread : look.threads) {
    auto [found, is_new] = habits_.try_emplace(thread.id);
    Habit& habit = found->second;
    // A number that was given to another thread.
    if (is_new || thread.turns < habit.turns) {
      habit = {.since = look.at, .turns = thread.turns};
    }
    const double span = std::chrono::duration<double>(look.at - habit.since).count();
    if (span > 0) {
      habit.turns_per_second = static_cast<double>(thread.turns - habit.turns) / span;
    }
    if (thread.wait != ThreadWait::kFutex) continue;
    habit.at_futex = true;
    if (thread.address != 0 && addresses_.size() < kAddressesMost) {
      addresses_.insert(thread.address);
    }
  }
}

bool Activity::is_stuck(const HolderLook& look, const ThreadLook& thread) {
  const auto known = habits_.find(thread.id);
  const Habit habit = known == habits_.end() ? Habit{} : known->second;
  const bool waits = thread.wait == ThreadWait::kFutex || thread.wait == ThreadWait::kUnknown;
  const auto [found, is_new] = stays_.try_emplace(thread.id);
  Stay& stay = found->second;
  const bool same =
      stay.turns == thread.turns && stay.wait == thread.wait && stay.address == thread.address;
  if (is_new || !waits || !same) {
    stay = {look.at, thread.turns, thread.wait, thread.address};
    return false;
  }
  const Microseconds span = look.at - stay.since;
  if (thread.wait == ThreadWait::kUnknown) {
    return habit.turns_per_second >= rules_.turns_least && span >= rules_.silent_for;
  }
  if (thread.address != 0 && addresses_.contains(thread.address)) return false;
  if (thread.address == 0 && habit.at_futex) return false;
  return span >= (habit.at_futex ? rules_.other_lock_for : rules_.stuck_for);
}

bool Activity::judge(const HolderLook& look) {
  if (looks_ < rules_.looks_least) {
    learn(look);
    return false;
  }
  bool stuck = false;
  for (const ThreadLook& thread : look.threads) stuck = is_stuck(look, thread) || stuck;
  return stuck;
}

}  // namespace gpusched
