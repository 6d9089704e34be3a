// Who has what on a card, summed up at the moment of looking: nothing is counted twice and
// nothing has to be put right after a process was killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simdriver/world.h"

namespace gpusched::simdriver {

struct ProcessUse {
  int pid = 0;
  ProcessKind kind = ProcessKind::kCompute;
  std::uint64_t vram_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::uint32_t demand_permille = 0;  // What it would use alone.
  std::uint32_t busy_permille = 0;    // What it gets.
  std::uint64_t started_us = 0;
  bool in_world_only = false;
};

struct CardUse {
  std::vector<ProcessUse> processes;
  std::uint64_t used_bytes = 0;  // Without what the driver reserves.
  std::uint32_t demand_permille = 0;

  std::uint32_t busy_permille() const { return demand_permille < 1000 ? demand_permille : 1000; }
};

CardUse look_at_card(const World& world, std::size_t card);

// Memory that left the cards for the host's with checkpointed processes.
std::uint64_t saved_bytes_of_all(const World& world);

std::uint64_t capacity_of(const World& world, std::size_t card);

// Takes `bytes` more for the process of this slot, or nothing and false where they do not fit.
// No lock: a frozen process would keep it. The wish is published first, then everybody's are
// added up, so of two that fit only alone never both are granted.
// REQUIRES: called by the slot's process, one call at a time.
bool take_bytes(const World& world, std::size_t slot, std::size_t card, std::uint64_t bytes);
void give_bytes(const World& world, std::size_t slot, std::size_t card, std::uint64_t bytes);

}  // namespace gpusched::simdriver
