// Reads the text of macOS's `ioreg`: entries ("+-o Name <class X, id 0x1, …>"), each followed by
// its properties ("key" = value). Only what is needed about GPUs is understood; any bytes are
// accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "watch/sample.h"

namespace gpusched::watch {

struct IoregEntry {
  std::string name;
  std::string class_name;
  std::vector<std::pair<std::string, std::string>> properties;  // Values as they stand.
  // Empty if there is no such property.
  std::string_view property(std::string_view key) const;
};
std::vector<IoregEntry> parse_ioreg(std::string_view text);

// The number under this key of a value like {"Device Utilization %"=2,"Tiler Utilization %"=1}.
std::optional<std::uint64_t> ioreg_number(std::string_view dict, std::string_view key);
// The text of a value in quotes, else the value itself.
std::string ioreg_string(std::string_view value);

struct AppleGpu {
  std::string model;
  std::string registry_class;  // "AGXAcceleratorG13X".
  CardSample sample;           // Without the total: that is the machine's memory.
};
// The GPUs among the entries; those of other makers, in older Macs, are passed over.
std::vector<AppleGpu> apple_gpus(const std::vector<IoregEntry>& entries);

// The processes among the user clients, each once, by pid.
std::vector<ProcessSample> apple_processes(const std::vector<IoregEntry>& clients);

}  // namespace gpusched::watch
