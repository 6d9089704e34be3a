#include "cli/top/terminfo.h"

// In this order: the second one needs the first.
#include <curses.h>
#include <term.h>
#include <unistd.h>

namespace gpusched::cli::top {

bool is_known_terminal(const char* name) {
  int error = 0;
  if (::setupterm(name, STDOUT_FILENO, &error) != OK) return false;
  ::del_curterm(cur_term);
  return true;
}

}  // namespace gpusched::cli::top
