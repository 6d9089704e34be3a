#include "mover/move.h"

#include <sys/stat.h>

#include <algorithm>

#include "jobdir/job_directory.h"
#include "jobdir/process_tree.h"
#include "mover/host_memory.h"
#include "os/clock.h"

namespace gpusched::mover {

Move::Move(const MoveWords& words, int directory, std::optional<MoveRecord> before)
    : words_(words), directory_(directory), before_(std::move(before)), began_(read_clock().boot) {
  record_.out = words.out;
  record_.token = words.token;
  if (!before_) {
    // Only its supervisor can have stopped it, or its record was lost: it must not stay stopped.
    record_.stopped = !words.out && words.tree == 0;
    return;
  }
  // What left the cards once is known from then; on the cards it is measured anew.
  record_.processes = before_->processes;
  record_.beside = before_->beside;
  record_.memory_max = before_->memory_max;
  record_.stopped = before_->stopped;
  if (before_->out == words.out && (!before_->done || before_->moved)) {
    record_.times = before_->times;
    record_.copied = before_->copied;
  }
}

MoveRecord Move::run() {
  Step trouble = prepare();
  if (!trouble) {
    trouble = words_.out ? go_out() : come_back();
  } else if (words_.out && before_ && !before_->done && !record_.stopped) {
    // A mover died at it, and what it left cannot be undone now: nobody would ever wake the job.
    trouble->lost = true;
  } else if (words_.out && was_away() && !trouble->lost) {
    trouble->aside = true;
  }
  return finish(trouble);
}

Move::Step Move::find_place() {
  if (words_.tree > 0) {
    where_ = {"", words_.tree, true, words_.apart};
    const Boot then = boot_of_ticks(words_.tree_started);
    if (words_.tree_started != 0 && is_gone(words_.tree, then)) {
      return Trouble{"process " + std::to_string(words_.tree) + " has ended"};
    }
  } else if (auto where = where_of(directory_)) {
    where_ = std::move(*where);
  } else {
    return Trouble{where.error().message};
  }
  where_.owner = words_.owner;
  // A number that was given to another's process since: not ours to touch.
  if (where_.leaf.empty() && where_.with_root && where_.owner.value_or(0) != 0 &&
      user_of_process(where_.root) != where_.owner) {
    return Trouble{"process " + std::to_string(where_.root) + " is not its owner's"};
  }
  return std::nullopt;
}

Move::Step Move::prepare() {
  if (Step trouble = find_place()) return trouble;
  auto cuda = Cuda::open();
  if (!cuda) return Trouble{cuda.error().error, cuda.error().never};
  cuda_ = std::move(*cuda);
  auto cards = Cards::open();
  if (!cards) return Trouble{"no look at the cards: " + cards.error().message};
  cards_ = std::move(*cards);
  if (Step trouble = wake_held()) return trouble;
  if (Step trouble = scan()) return trouble;
  if (Step trouble = wait_until_calm()) return trouble;
  if (Step trouble = find_lost()) return trouble;
  for (const Moving& each : moving_) {
    if (each.state == ProcessState::kRunning) hold_.let_go(each.process.pid);
    if (each.state != ProcessState::kFailed) continue;
    return Trouble{name_of(each) + " failed in an earlier move and cannot go on", false, true};
  }
  return std::nullopt;
}

// One that was moved and is not there any more, or not as one that has something to come back,
// did not come back. What ran on meanwhile may have ended by itself.
Move::Step Move::find_lost() const {
  if (words_.out || !was_away()) return std::nullopt;
  for (const MoveRecord::Process& known : record_.processes) {
    const bool found = std::ranges::any_of(moving_, [&](const Moving& each) {
      return each.process.pid == known.pid && each.process.started == known.started;
    });
    const bool gone = is_gone(known.pid, known.started);
    if (found || (gone && !record_.stopped)) continue;
    return Trouble{"process " + std::to_string(known.pid) + " was moved and " +
                       (gone ? "died meanwhile" : "is unknown to the driver now"),
                   false, true};
  }
  return std::nullopt;
}

std::string Move::name_of(const Moving& moving) const {
  return "process " + std::to_string(moving.process.pid);
}

Move::Moving* Move::find(pid_t pid, Boot started) {
  const auto found = std::ranges::find_if(moving_, [&](const Moving& each) {
    return each.process.pid == pid && each.process.started == started;
  });
  return found == moving_.end() ? nullptr : &*found;
}

bool Move::any(ProcessState state) const {
  return std::ranges::any_of(moving_, [&](const Moving& each) { return each.state == state; });
}

void Move::forget_gone() {
  std::erase_if(moving_,
                [](const Moving& each) { return is_gone(each.process.pid, each.process.started); });
}

// Those of the last move first and in its order, then those that are new.
Move::Step Move::scan() {
  const std::vector<ProcessEntry> tree = processes_of(where_);
  std::erase_if(moving_, [&](const Moving& each) {
    return std::ranges::none_of(tree, [&](const ProcessEntry& entry) {
      return entry.pid == each.process.pid && entry.started == each.process.started;
    });
  });
  for (const MoveRecord::Process& known : record_.processes) {
    for (const ProcessEntry& entry : tree) {
      if (entry.pid != known.pid || entry.started != known.started) continue;
      if (Step trouble = add_process(entry)) return trouble;
    }
  }
  for (const ProcessEntry& entry : tree) {
    if (Step trouble = add_process(entry)) return trouble;
  }
  return std::nullopt;
}

Move::Step Move::add_process(const ProcessEntry& entry) {
  if (find(entry.pid, entry.started) != nullptr) return std::nullopt;
  int thread = 0;
  const int code = cuda_->find_restore_thread(entry.pid, thread);
  if (code == kNotSupported) {
    return Trouble{"the driver cannot move processes: " + words_of(code), true};
  }
  if (code != kSuccess) return std::nullopt;  // It does not use CUDA.
  Moving moving{{entry.pid, entry.started, 0, {}}, ProcessState::kRunning};
  for (const MoveRecord::Process& known : record_.processes) {
    if (known.pid == entry.pid && known.started == entry.started) moving.process = known;
  }
  moving.process.thread = thread;
  if (const int asked = cuda_->read_state(entry.pid, moving.state); asked != kSuccess) {
    if (is_gone(entry.pid, entry.started)) return std::nullopt;
    return Trouble{"the driver does not say how " + name_of(moving) + " is: " + words_of(asked)};
  }
  moving_.push_back(std::move(moving));
  return std::nullopt;
}

bool Move::save() {
  // The figures of those that ended meanwhile stay: they do no harm, and sums stay sums.
  for (const Moving& each : moving_) {
    const auto known = std::ranges::find_if(record_.processes, [&](const auto& process) {
      return process.pid == each.process.pid && process.started == each.process.started;
    });
    if (known == record_.processes.end()) {
      record_.processes.push_back(each.process);
    } else {
      *known = each.process;
    }
  }
  record_.times.whole = read_clock().boot - began_;
  // Without a record nobody knows what was done: better to say it again than to go on.
  const auto write = [this] {
    return replace_file(directory_, kMoveFile, write_move(record_), 0600).has_value();
  };
  return write() || write();
}

// On a full disk: a process that has left its cards and is believed to be on them would be woken,
// and die. So this one stays until it could be written, as a shim does with an exit code.
void Move::save_at_last() {
  constexpr std::chrono::milliseconds kPause{200};
  while (!save()) {
    struct stat status {};
    const bool gone = ::fstat(directory_, &status) != 0 || status.st_nlink == 0;
    if (gone) return;
    pause_for(kPause);
  }
}

void Move::put_back_memory_max() {
  if (record_.memory_max.empty() || where_.leaf.empty()) return;
  if (write_memory_max(where_.leaf, record_.memory_max)) record_.memory_max.clear();
}

MoveRecord Move::finish(const Step& trouble) {
  record_.moved = !trouble;
  bool away = words_.out && !trouble;
  if (trouble) {
    // Without a record and without a driver nothing ever left the cards: its supervisor wakes it.
    const bool never_left = !words_.out && !before_ && trouble->never;
    away = !trouble->lost && !never_left && (!words_.out || trouble->aside);
    record_.left = trouble->lost ? MoveLeft::kLost : away ? MoveLeft::kAside : MoveLeft::kRunning;
    record_.never = trouble->never;
    record_.error = trouble->error;
  }
  if (away) {
    stop_and_let_go();
  } else {
    hold_.let_go();
    record_.stopped = false;
  }
  record_.done = true;
  save_at_last();
  return record_;
}

}  // namespace gpusched::mover
