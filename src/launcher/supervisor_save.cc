// A job that speaks the checkpoint contract is told to save itself (docs/checkpoint.md). The signal
// goes to who has a handler for it, never to a process that would die of it; until there is one,
// it is looked for again: a program may take a while to get that far.
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "jobdir/process_tree.h"
#include "launcher/supervisor.h"
#include "os/clock.h"

namespace gpusched {
namespace {

constexpr Microseconds kFirstTellPause{50'000};
constexpr Microseconds kLongestTellPause{1'000'000};

// When it must have ended: by the wall clock, and by CLOCK_BOOTTIME, which nobody sets.
std::string request_text(Now now, Seconds grace) {
  const auto seconds = [&](Microseconds since) {
    return static_cast<double>((since + grace).count()) / 1e6;
  };
  char line[64];
  std::snprintf(line, sizeof line, "%.3f %.3f\n", seconds(now.wall.time_since_epoch()),
                seconds(now.boot.time_since_epoch()));
  return line;
}

}  // namespace

void Supervisor::ask_to_save(const SaveCommand& command) {
  if (saving_) return;
  saving_ = command;
  const Now now = read_clock();
  timeline_.stop(now.boot + command.grace, command.stop_grace);
  // Without room on the disk for these few bytes there is the signal still.
  (void)replace_file(parts_.directory.get(), "request", request_text(now, command.grace), 0644);
  // What is frozen cannot save anything.
  if (timeline_.paused()) set_paused(false);
  tell_to_save();
}

void Supervisor::tell_to_save() {
  tell_at_.reset();
  if (saving_->signal == 0) return;
  const std::vector<pid_t> waiting = nearest_that_catch(pid_, ::getpid(), saving_->signal);
  for (const pid_t pid : waiting) ::kill(pid, saving_->signal);
  if (!waiting.empty()) return;
  tell_pause_ = std::clamp(tell_pause_ * 2, kFirstTellPause, kLongestTellPause);
  tell_at_ = read_clock().boot + tell_pause_;
}

}  // namespace gpusched
