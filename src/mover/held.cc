// Holding the threads of what is away or about to leave, and stopping it while they are held.
#include <algorithm>

#include "mover/move.h"
#include "mover/survivors.h"

namespace gpusched::mover {

// By what the last move left: it may be out of its cards, all of it or some.
bool Move::was_away() const {
  if (!before_) return false;
  if (before_->stopped) return true;
  if (!before_->done) return !before_->out;
  return before_->moved ? before_->out : before_->left == MoveLeft::kAside;
}

// What a mover has stopped is held before it is woken, and what a mover was killed at is held at
// once, whatever state it is in. The driver cannot be asked about what is stopped: which thread is
// the driver's own is known from before.
Move::Step Move::wake_held() {
  const auto is_stopped = [](pid_t pid) {
    return Trouble{"process " + std::to_string(pid) +
                   " of the job is stopped, and the driver would wait for it without end"};
  };
  if (!record_.stopped) {
    if (const auto stopped = find_stopped(where_)) return is_stopped(*stopped);
    if (!before_ || before_->done) return std::nullopt;
  }
  for (const MoveRecord::Process& known : record_.processes) {
    if (known.thread == 0 || is_gone(known.pid, known.started)) continue;
    if (state_of_thread(known.pid, known.thread) == 0) continue;
    // Ignoring failure: it has to return, held or not.
    (void)hold_.add(known.pid, known.thread);
  }
  if (!record_.stopped) return std::nullopt;
  die_if_asked(directory_, "held");
  if (const auto stopped = wake_all(where_, spared())) return is_stopped(*stopped);
  return std::nullopt;
}

// All but those that run: they could not end their work on the card.
Move::Step Move::hold_all() {
  for (const Moving& each : moving_) {
    const MoveRecord::Process& process = each.process;
    if (each.state == ProcessState::kRunning || hold_.holds(process.pid)) continue;
    const auto held = hold_.add(process.pid, process.thread);
    if (held || is_gone(process.pid, process.started)) continue;
    if (!words_.out || is_known_to_live_on(process.pid)) continue;
    return Trouble{held.error().message + ", and it might not live through the move"};
  }
  return std::nullopt;
}

std::vector<SparedThread> Move::spared() const {
  std::vector<SparedThread> threads;
  const auto add = [&](const MoveRecord::Process& process) {
    if (hold_.holds(process.pid)) threads.push_back({process.pid, process.thread});
  };
  if (moving_.empty()) {
    std::ranges::for_each(record_.processes, add);
  } else {
    std::ranges::for_each(moving_, add, &Moving::process);
  }
  return threads;
}

// It is out, and stays so. That it is stopped is on disk first: who comes next must hold it before
// he wakes it.
void Move::stop_and_let_go() {
  const bool lives_on =
      words_.awake && !record_.stopped && std::ranges::all_of(moving_, [](const Moving& each) {
        return is_known_to_live_on(each.process.pid);
      });
  if (!lives_on) {
    record_.stopped = true;
    save();
    // Threads around one that may stay awake may have nothing to do with a card.
    std::vector<pid_t> only;
    for (const Moving& each : moving_) {
      if (words_.awake) only.push_back(each.process.pid);
    }
    stop_all(where_, only, spared());
    die_if_asked(directory_, "stopped");
  }
  hold_.let_go();
}

}  // namespace gpusched::mover
