#include "simdriver/world_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "simdriver/clock.h"

namespace gpusched::simdriver {
namespace {

// Near the largest pid of Linux on 64 bits: no real process has such a number.
constexpr int kFirstPid = 4190000;

template <std::size_t size>
void copy_text(char (&to)[size], std::string_view from) {
  const std::size_t length = std::min(from.size(), size - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

int free_pid(const WorldData& data) {
  int pid = kFirstPid;
  for (const ForeignProcess& each : data.foreign) {
    if (each.used.load() != 0 && each.pid >= pid) pid = each.pid + 1;
  }
  return pid;
}

}  // namespace

Result<int> add_foreign(const World& world, const ScenarioProcess& process) {
  WorldData& data = world.data();
  if (process.card >= world.card_count()) {
    return failure(ErrorCode::kNotFound, fmt::format("there is no card {}", process.card));
  }
  ForeignProcess* place = nullptr;
  for (ForeignProcess& each : data.foreign) {
    const bool used = each.used.load() != 0;
    if (used && process.pid != 0 && each.pid == process.pid && each.card == process.card) {
      place = &each;
      break;
    }
    if (!used && place == nullptr) place = &each;
  }
  if (place == nullptr) {
    return failure(ErrorCode::kBusy, fmt::format("more than {} processes", kForeignMost));
  }
  const int pid = process.pid != 0 ? process.pid : free_pid(data);
  if (place->used.load() == 0) place->started_us = wall_us();
  place->pid = pid;
  place->card = static_cast<std::uint32_t>(process.card);
  place->kind = process.kind;
  copy_text(place->name, process.name);
  copy_text(place->user, process.user);
  place->vram_bytes.store(process.vram_bytes);
  place->busy_permille.store(process.busy_permille);
  place->used.store(1);
  announce_change(world);
  return pid;
}

Result<void> remove_foreign(const World& world, int pid) {
  bool found = false;
  for (ForeignProcess& each : world.data().foreign) {
    if (each.used.load() == 0 || each.pid != pid) continue;
    each.used.store(0);
    found = true;
  }
  if (!found) {
    return failure(ErrorCode::kNotFound, fmt::format("there is no foreign process {}", pid));
  }
  announce_change(world);
  return {};
}

void set_driver_version(WorldData& data, std::string_view version) {
  copy_text(data.driver_version, version);
  std::uint32_t major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  data.driver_major.store(major);
}

}  // namespace gpusched::simdriver
