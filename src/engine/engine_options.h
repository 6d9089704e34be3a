// What the daemon and the simulator tell the engine once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/job.h"
#include "engine/launcher.h"

namespace gpusched {

struct EngineOptions {
  std::uint64_t log_limit_bytes = 0;
  std::string jobs_directory;     // Where checkpoint directories are.
  bool devices_by_uuid = false;   // CUDA_VISIBLE_DEVICES as UUIDs instead of indices.
  bool filter_devices = false;    // An attempt may open no card that it was not granted.
  std::string devices_open = {};  // Else: why not.
  std::string mps_control = {};   // The program that starts MPS servers; empty: there is none.
  std::vector<std::string> mps_variables = {};
  Seconds mps_linger{30};
  std::string sim_world;  // Where jobs find the simulated driver; empty: none.
  std::string sim_libraries;
  // What is to be known of a job again that the store has lost; empty: its command alone.
  std::function<std::string(const Job&)> note_of = {};
  // The part of it that is never too long: what it holds.
  std::function<std::string(const Job&)> holds_of = {};
  // What is near cards at these PCI addresses; empty: nobody looks.
  std::function<NearCpus(const std::vector<std::string>& pci)> near_cpus = {};
  // Reads environments that are only in the store. Without it all of them stay in memory.
  std::function<void(std::vector<std::string> hashes,
                     std::function<void(Result<EnvironmentsByHash>)> done)>
      read_environments = {};
  std::size_t slice = 500;        // Jobs of a large submission applied per turn.
  std::size_t slice_beside = 50;  // The same in a turn that somebody else waits for.
  std::size_t backlog = 100'000;  // Events that may gather before new client events are refused.
};

}  // namespace gpusched
