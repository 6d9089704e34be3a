// Runs a program to its end and keeps what it says, within a time and a size: the tools of drivers
// hang when a card does, and nobody may wait for them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "watch/host.h"

namespace gpusched::watch {

struct ProgramRun {
  std::vector<std::string> arguments;  // The first is the program's path.
  std::chrono::milliseconds deadline{5000};
  std::size_t most_bytes = 1024 * 1024;  // Of its output; its errors are cut after 4 KiB.
};

struct ProgramOutput {
  std::string output;
  std::string errors;
  int exit_code = 0;
};

// kUnavailable: it was ended at its deadline. kTooLarge: it said too much. A program that fails by
// itself is a value with its exit code.
Result<ProgramOutput> run_program(const ProgramRun& run, const Host& host);

}  // namespace gpusched::watch
