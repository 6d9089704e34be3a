// What gpusched-simjob is asked to do.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace gpusched::simjob {

struct Options {
  std::uint64_t vram_bytes = 0;  // Per card.
  unsigned util_percent = 50;    // Of each card.
  std::chrono::milliseconds ramp{0};
  std::chrono::milliseconds work{10000};  // At full speed; 0: until it is ended.
  std::chrono::milliseconds step{100};
  int gpus = 1;
  int pieces = 0;  // Allocations that make up the memory; 0: as the ramp needs.
  std::string steps_file;
  bool resume = false;
  bool managed = false;  // Unified memory: cannot be moved aside.
  int busy_threads = 0;  // That look at memory which the driver manages, all the time.
  bool help = false;
};

Result<Options> parse_options(const std::vector<std::string>& words);
// "5", "5s", "250ms", "2m".
Result<std::chrono::milliseconds> parse_pause(const std::string& text);
extern const char* const kHelp;

}  // namespace gpusched::simjob
