#include "mover/move.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/clock.h"
#include "mover/host_memory.h"
#include "process/job_directory.h"
#include "process/process_tree.h"

namespace gpusched::mover {

void die_if_asked(int directory, const std::string& step) {
  const char* wanted = std::getenv("GPUSCHED_MOVER_DIES_AT");
  if (wanted == nullptr || step != wanted) return;
  const std::string mark = "died." + step;
  if (::openat(directory, mark.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600) < 0) return;
  ::raise(SIGKILL);
}

Move::Move(const MoveWords& words, int directory, std::optional<MoveRecord> before)
    : words_(words), directory_(directory), before_(std::move(before)), began_(read_clock().boot) {
  record_.out = words.out;
  record_.token = words.token;
  if (!before_) return;
  // What left the cards once is known from then; on the cards it is measured anew.
  record_.processes = before_->processes;
  record_.beside = before_->beside;
  record_.memory_max = before_->memory_max;
  if (before_->out == words.out && (!before_->done || before_->moved)) {
    record_.times = before_->times;
  }
}

MoveRecord Move::run() {
  Step trouble = prepare();
  if (!trouble) {
    trouble = words_.out ? go_out() : come_back();
  } else if (words_.out && before_ && !before_->done) {
    // A mover died at it, and what it left cannot be undone now: nobody would ever wake the job.
    trouble->lost = true;
  }
  return finish(trouble);
}

Move::Step Move::prepare() {
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
  if (const auto stopped = find_stopped(where_)) {
    return Trouble{"process " + std::to_string(*stopped) +
                   " of the job is stopped, and the driver would wait for it without end"};
  }
  auto cuda = Cuda::open();
  if (!cuda) return Trouble{cuda.error().error, cuda.error().never};
  cuda_ = std::move(*cuda);
  auto cards = Cards::open();
  if (!cards) return Trouble{"no look at the cards: " + cards.error().message};
  cards_ = std::move(*cards);
  if (Step trouble = scan()) return trouble;
  for (const Moving& each : moving_) {
    if (each.state != ProcessState::kFailed) continue;
    return Trouble{name_of(each) + " failed in an earlier move and cannot go on", false, true};
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
  const int code = cuda_->find_restore_thread(entry.pid);
  if (code == kNotSupported) {
    return Trouble{"the driver cannot move processes: " + words_of(code), true};
  }
  if (code != kSuccess) return std::nullopt;  // It does not use CUDA.
  Moving moving{{entry.pid, entry.started, {}}, ProcessState::kRunning};
  for (const MoveRecord::Process& known : record_.processes) {
    if (known.pid == entry.pid && known.started == entry.started) moving.process = known;
  }
  if (const int asked = cuda_->read_state(entry.pid, moving.state); asked != kSuccess) {
    if (is_gone(entry.pid, entry.started)) return std::nullopt;
    return Trouble{"the driver does not say how " + name_of(moving) + " is: " + words_of(asked)};
  }
  moving_.push_back(std::move(moving));
  return std::nullopt;
}

void Move::save() {
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
  if (const auto written = replace_file(directory_, kMoveFile, write_move(record_), 0644);
      !written) {
    (void)replace_file(directory_, kMoveFile, write_move(record_), 0644);
  }
}

void Move::put_back_memory_max() {
  if (record_.memory_max.empty() || where_.leaf.empty()) return;
  if (write_memory_max(where_.leaf, record_.memory_max)) record_.memory_max.clear();
}

MoveRecord Move::finish(const Step& trouble) {
  record_.done = true;
  record_.moved = !trouble;
  if (trouble) {
    const MoveLeft unharmed = words_.out ? MoveLeft::kRunning : MoveLeft::kAside;
    record_.left = trouble->lost ? MoveLeft::kLost : unharmed;
    record_.never = trouble->never;
    record_.error = trouble->error;
  }
  save();
  return record_;
}

}  // namespace gpusched::mover
