// What a backend may touch of the machine: files below a root, programs of a search path, a clock.
// Tests put a constructed tree, stand-in programs and a clock of their own here.
#pragma once

#include <functional>
#include <string>

#include "os/clock.h"

namespace gpusched::watch {

struct Host {
  std::string root = "/";
  std::string program_path;  // Like $PATH; empty: that of this process.
  std::function<Boot()> now = [] { return read_clock().boot; };
};

}  // namespace gpusched::watch
