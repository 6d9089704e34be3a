#include "core/activity.h"

#include <algorithm>

namespace gpusched {
namespace {

double in_seconds_of(Microseconds span) { return std::chrono::duration<double>(span).count(); }

}  // namespace

void Activity::keep(const HolderLook& look) {
  last_.clear();
  for (const ThreadLook& thread : look.threads) last_[thread.id] = thread;
  last_at_ = look.at;
}

// What all threads took of a CPU since the last look; those that are new began with nothing.
double Activity::cpu_per_second_since(const HolderLook& look) const {
  if (!last_at_ || look.at <= *last_at_) return 0;
  Microseconds cpu{0};
  for (const ThreadLook& thread : look.threads) {
    const auto before = last_.find(thread.id);
    const Microseconds then = before == last_.end() ? Microseconds{0} : before->second.cpu;
    cpu += std::max(Microseconds{0}, thread.cpu - then);
  }
  return in_seconds_of(cpu) / in_seconds_of(look.at - *last_at_);
}

void Activity::learn(const HolderLook& look) {
  if (looks_ == 0) began_ = look.at;
  if (last_at_) {
    const double cpu = cpu_per_second_since(look);
    cpu_most_ = std::max(cpu_most_, cpu);
    cpu_sum_ += cpu;
    cpu_mean_ = cpu_sum_ / std::max(1, looks_);
  }
  ++looks_;
  for (const ThreadLook& thread : look.threads) {
    auto [found, is_new] = habits_.try_emplace(thread.id);
    Habit& habit = found->second;
    // A number that was given to another thread.
    if (is_new || thread.turns < habit.turns_then || thread.cpu < habit.cpu_then) {
      habit = {.since = look.at, .cpu_then = thread.cpu, .turns_then = thread.turns, .waits = {}};
    }
    const double span = in_seconds_of(look.at - habit.since);
    if (span > 0) {
      habit.turns_per_second = static_cast<double>(thread.turns - habit.turns_then) / span;
    }
    if (!thread.waits_in.empty()) habit.waits.insert(thread.waits_in);
  }
  keep(look);
}

bool Activity::computes(const HolderLook& look) {
  const double cpu = cpu_per_second_since(look);
  const bool much = cpu >= in_seconds_of(rules_.cpu_least) && cpu >= rules_.cpu_times * cpu_mean_ &&
                    cpu > cpu_most_;
  busy_looks_ = much ? busy_looks_ + 1 : 0;
  return busy_looks_ >= 2;
}

bool Activity::is_stuck(const HolderLook& look, const ThreadLook& thread) {
  const auto found = habits_.find(thread.id);
  // What a thread that is new does is not held against it.
  if (found == habits_.end() || thread.turns < found->second.turns_then) return false;
  const Habit& habit = found->second;
  const bool new_place = !thread.waits_in.empty() && !habit.waits.contains(thread.waits_in);
  if (new_place) {
    const Stay& stay =
        in_new_place_.try_emplace(thread.id, Stay{look.at, thread.turns}).first->second;
    if (look.at - stay.since >= rules_.stuck_for) return true;
  } else {
    in_new_place_.erase(thread.id);
  }
  if (habit.turns_per_second < rules_.turns_least) return false;
  const Stay& stay = not_woken_.try_emplace(thread.id, Stay{look.at, thread.turns}).first->second;
  const Microseconds span = look.at - stay.since;
  if (span < rules_.stuck_for) return false;
  const double usual = habit.turns_per_second * in_seconds_of(span);
  const auto turns = static_cast<double>(thread.turns - std::min(stay.turns, thread.turns));
  if (turns * rules_.turns_part < usual) return true;
  not_woken_[thread.id] = {look.at, thread.turns};
  return false;
}

std::optional<std::string> Activity::judge(const HolderLook& look) {
  if (looks_ < rules_.looks_least) {
    learn(look);
    return std::nullopt;
  }
  const bool busy = computes(look);
  bool stuck = false;
  for (const ThreadLook& thread : look.threads) stuck = is_stuck(look, thread) || stuck;
  keep(look);
  if (busy) return "it computes";
  if (stuck) return "a call of it waits for the card";
  return std::nullopt;
}

}  // namespace gpusched
