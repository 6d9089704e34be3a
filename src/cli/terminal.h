// What stdout, stderr and stdin are connected to, and the raw mode that `run` needs.
// The terminal is put back on every way out, also when a signal ends the program.
#pragma once

#include <cstddef>
#include <optional>

#include "cli/render/render.h"

namespace gpusched::cli {

bool is_terminal(int fd);

struct TerminalSize {
  int rows = 24;
  int columns = 80;
};
std::optional<TerminalSize> terminal_size(int fd);

// All three standard streams lead to somebody who is gone, such as an ssh without a terminal that
// was ended: no signal tells of that.
bool nobody_is_there();

// How to render on stdout, now: width 0 and no colour if it is not a terminal.
Page stdout_page();

// Input passes byte by byte and without echo while this lives. REQUIRES: one at a time.
class RawTerminal {
 public:
  enum class Signals : unsigned char { kAreInput, kWork };  // Ctrl-C and the like.
  explicit RawTerminal(int fd, Signals signals = Signals::kAreInput);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  bool active_ = false;
};

}  // namespace gpusched::cli
