// Asks terminfo before ncurses does: newterm() leaks on a terminal that it does not know. In a file
// of its own, because <term.h> turns half of the short English words into macros.
#pragma once

namespace gpusched::cli::top {

// True if the description of `name` is installed here.
bool is_known_terminal(const char* name);

}  // namespace gpusched::cli::top
