// A scenario: what a simulated world is made from. Read from a YAML file, found by name among the
// installed ones, or made from a few words such as `2x24G,1x80G:H100`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "simdriver/world_layout.h"

namespace gpusched::simdriver {

struct ScenarioProcess {
  int pid = 0;
  std::size_t card = 0;
  ProcessKind kind = ProcessKind::kCompute;
  std::string name, user;
  std::uint64_t vram_bytes = 0;
  std::uint32_t busy_permille = 0;
};

struct Scenario {
  std::string name;
  std::string driver_version = "580.159.04";
  std::uint32_t cuda_version = 13000;  // 1000 times the major number plus 10 times the minor one.
  bool persistence = true, accounting = false, old_process_stride = false;
  std::uint32_t checkpoint_out_mib_s = 0, checkpoint_in_mib_s = 0, checkpoint_fixed_ms = 0;
  std::uint64_t host_ram_bytes = 0;  // For what checkpoints move there; 0: no limit.
  std::vector<std::string> missing_functions;
  std::vector<CardFacts> cards;
  std::vector<ScenarioProcess> processes;
};

// Errors name the source, the line and what is wrong there.
Result<Scenario> read_scenario(const std::string& text, const std::string& source);
Result<Scenario> read_scenario_file(const std::string& path);
// The words of engine/card_description.h.
Result<Scenario> describe_scenario(std::string_view words);

// A path (with a slash), else the name of a file in `directory`, else a description.
Result<Scenario> find_scenario(const std::string& wanted, const std::string& directory);

// Equal for equal scenarios, in every process and version.
std::uint64_t digest_of(const Scenario& scenario);

}  // namespace gpusched::simdriver
