#include "simdriver/world_create.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "simdriver/clock.h"
#include "simdriver/faults.h"
#include "simdriver/world_changes.h"

namespace gpusched::simdriver {
namespace {

void fill_card(const Scenario& scenario, const CardFacts& facts, CardState& state) {
  for (SharedI32* value :
       {&state.busy_percent, &state.memory_busy_percent, &state.temperature_c, &state.power_mw}) {
    value->store(kAutomatic);
  }
  state.persistence.store(scenario.persistence ? 1 : 0);
  state.accounting.store(scenario.accounting ? 1 : 0);
  state.power_limit_mw.store(facts.limit_mw);
  state.energy_stamp_us.store(monotonic_us());
}

void fill(WorldData& data, const Scenario& scenario) {
  data.layout_version = kLayoutVersion;
  data.size = sizeof(WorldData);
  data.scenario_digest = digest_of(scenario);
  std::memcpy(data.scenario, scenario.name.c_str(), scenario.name.size() + 1);
  data.created_us = wall_us();
  set_driver_version(data, scenario.driver_version);
  data.cuda_version.store(scenario.cuda_version);
  data.old_process_stride.store(scenario.old_process_stride ? 1 : 0);
  data.checkpoint_out_mib_s.store(scenario.checkpoint_out_mib_s);
  data.checkpoint_in_mib_s.store(scenario.checkpoint_in_mib_s);
  data.checkpoint_fixed_ms.store(scenario.checkpoint_fixed_ms);
  data.host_ram_bytes.store(scenario.host_ram_bytes);
  data.card_count = static_cast<std::uint32_t>(scenario.cards.size());
  for (std::size_t card = 0; card < scenario.cards.size(); ++card) {
    data.facts[card] = scenario.cards[card];
    fill_card(scenario, scenario.cards[card], data.states[card]);
  }
  data.magic = kMagic;
}

Result<void> write_file(const std::string& path, const Scenario& scenario) {
  const auto failed = [&path] {
    return failure(ErrorCode::kIo,
                   fmt::format("make the simulated world {}: {}", path, std::strerror(errno)));
  };
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return failed();
  // All of it, not a file with holes: on a disk that fills up later, the first touch of a hole
  // would kill whoever looks at a card.
  if (errno = ::posix_fallocate(fd.get(), 0, sizeof(WorldData)); errno != 0) return failed();
  void* memory =
      ::mmap(nullptr, sizeof(WorldData), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return failed();
  fill(*static_cast<WorldData*>(memory), scenario);
  ::munmap(memory, sizeof(WorldData));
  // Not left to the umask: jobs of every user write their own slots.
  if (::fchmod(fd.get(), 0666) != 0) return failed();
  return {};
}

Result<void> furnish(const World& world, const Scenario& scenario) {
  const ChangeLock lock(world);
  for (const std::string& function : scenario.missing_functions) {
    if (!add_fault(world, {FaultKind::kMissing, kNoCard, 0, function})) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("scenario {}: too many missing functions", scenario.name));
    }
  }
  for (const ScenarioProcess& process : scenario.processes) {
    if (auto added = add_foreign(world, process); !added) return failure(added.error());
  }
  return {};
}

}  // namespace

Result<World> create_world(const std::string& path, const Scenario& scenario) {
  // Finished under another name first: whoever finds the file finds all of it.
  const std::string unfinished = fmt::format("{}.{}.new", path, ::getpid());
  auto written = write_file(unfinished, scenario);
  if (!written) return failure(written.error());
  auto world = World::open(unfinished);
  Result<void> done;
  if (world) done = furnish(*world, scenario);
  if (world && done && ::link(unfinished.c_str(), path.c_str()) != 0) {
    done = failure(errno == EEXIST ? ErrorCode::kConflict : ErrorCode::kIo,
                   fmt::format("make the simulated world {}: {}", path, std::strerror(errno)));
  }
  ::unlink(unfinished.c_str());
  if (!world) return failure(world.error());
  if (!done) return failure(done.error());
  return World::open(path);
}

Result<World> open_or_create_world(const std::string& path, const Scenario& scenario) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    auto made = create_world(path, scenario);
    if (made || made.error().code != ErrorCode::kConflict) return made;
  }
  auto world = World::open(path);
  if (!world) return world;
  const std::string found = world->data().scenario;
  if (found != scenario.name) {
    return failure(ErrorCode::kConflict,
                   fmt::format("{} was made from scenario {}, not from {}: remove the file, or ask "
                               "for the same scenario again",
                               path, found, scenario.name));
  }
  if (world->data().scenario_digest != digest_of(scenario)) {
    return failure(ErrorCode::kConflict,
                   fmt::format("{} was made from another version of scenario {}: remove the file "
                               "to make it again",
                               path, found));
  }
  return world;
}

}  // namespace gpusched::simdriver
