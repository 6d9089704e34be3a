// What a key means. Pure: it changes the state, and what has to be asked of the daemon is returned.
#pragma once

#include <cstdint>
#include <string>

#include "cli/top/state.h"

namespace gpusched::cli::top {

struct Key {
  enum class Kind : unsigned char {
    kText,
    kUp,
    kDown,
    kPageUp,
    kPageDown,
    kHome,
    kEnd,
    kEnter,
    kEscape,
    kBackspace,
    kTab,
    kHelp,
    kOther
  };
  Kind kind = Kind::kOther;
  std::string text = {};  // kText: one character as UTF-8.
};

// `page` is how many lines a page has.
Order press(State& state, const Key& key, int page);

}  // namespace gpusched::cli::top
