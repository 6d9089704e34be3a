// What is typed while `run` and `attach` wait for a job to start: Ctrl-] d leaves it, all else is
// kept for the job. Ctrl-C stays a signal.
#pragma once

#include <optional>
#include <string>

#include "cli/detach_keys.h"
#include "cli/terminal.h"

namespace gpusched::cli {

class WaitingKeys {
 public:
  // From now on keys are read, if standard input is a terminal and this program is before it.
  void watch();
  // The terminal is as it was.
  void stop() { terminal_.reset(); }
  // For poll(); -1: nothing is read now.
  int fd() const;
  // Takes what was typed, never blocks; true: Ctrl-] d.
  bool take();

  // For who reads the keys from now on.
  DetachKeys keys;
  std::string typed;

 private:
  std::optional<RawTerminal> terminal_;
  bool gone_ = false;
};

}  // namespace gpusched::cli
