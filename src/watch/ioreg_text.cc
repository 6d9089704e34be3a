#include "watch/ioreg_text.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "watch/numbers.h"

namespace gpusched::watch {
namespace {

// The tree's lines in front of an entry or a property.
std::string_view without_branches(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" |\t\r");
  return first == std::string_view::npos ? std::string_view{} : trimmed(line.substr(first));
}

IoregEntry entry_of(std::string_view line) {
  IoregEntry entry;
  const std::size_t bracket = std::min(line.find('<'), line.size());
  entry.name = trimmed(line.substr(0, bracket));
  constexpr std::string_view kClass = "class ";
  const std::size_t word = line.find(kClass, bracket);
  if (word != std::string_view::npos) {
    std::string_view rest = line.substr(word + kClass.size());
    entry.class_name = rest.substr(0, rest.find_first_of(",> "));
  }
  return entry;
}

// One process: "pid 390, WindowServer".
std::optional<ProcessSample> creator_of(std::string_view text) {
  if (!text.starts_with("pid ")) return std::nullopt;
  text.remove_prefix(4);
  const auto pid = process_number(take_until(text, ','));
  if (!pid) return std::nullopt;
  ProcessSample process;
  process.pid = *pid;
  process.name = trimmed(text);
  return process;
}

}  // namespace

std::string_view IoregEntry::property(std::string_view key) const {
  const auto found =
      std::ranges::find(properties, key, &std::pair<std::string, std::string>::first);
  return found == properties.end() ? std::string_view{} : std::string_view(found->second);
}

std::vector<IoregEntry> parse_ioreg(std::string_view text) {
  std::vector<IoregEntry> entries;
  while (!text.empty()) {
    std::string_view line = without_branches(take_until(text, '\n'));
    if (line.starts_with("+-o ")) {
      entries.push_back(entry_of(line.substr(4)));
    } else if (line.starts_with('"') && !entries.empty()) {
      const std::size_t equals = line.find("\" = ");
      if (equals == std::string_view::npos || equals == 0) continue;
      entries.back().properties.emplace_back(line.substr(1, equals - 1),
                                             trimmed(line.substr(equals + 4)));
    }
  }
  return entries;
}

std::optional<std::uint64_t> ioreg_number(std::string_view dict, std::string_view key) {
  const std::string sought = "\"" + std::string(key) + "\"=";
  // A key stands behind { or a comma: "x Device" is not "Device".
  for (std::size_t at = dict.find(sought); at != std::string_view::npos;
       at = dict.find(sought, at + 1)) {
    if (at == 0 || (dict[at - 1] != '{' && dict[at - 1] != ',')) continue;
    const std::string_view value = dict.substr(at + sought.size());
    return whole_number(value.substr(0, value.find_first_of(",}")));
  }
  return std::nullopt;
}

std::string ioreg_string(std::string_view value) {
  // Data that is text is printed as <"text">.
  if (value.size() >= 2 && value.front() == '<' && value.back() == '>') {
    value = value.substr(1, value.size() - 2);
  }
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  return std::string(value);
}

std::vector<AppleGpu> apple_gpus(const std::vector<IoregEntry>& entries) {
  std::vector<AppleGpu> found;
  for (const IoregEntry& entry : entries) {
    if (!entry.class_name.starts_with("AGX")) continue;
    const std::string_view statistics = entry.property("PerformanceStatistics");
    if (statistics.empty()) continue;
    AppleGpu gpu;
    gpu.registry_class = entry.class_name;
    gpu.model = ioreg_string(entry.property("model"));
    const auto busy = ioreg_number(statistics, "Device Utilization %");
    if (busy && *busy <= 100) gpu.sample.busy_percent = static_cast<double>(*busy);
    gpu.sample.used_bytes = ioreg_number(statistics, "In use system memory");
    // Allocated counts what nobody has touched: it stands in only where the other is missing.
    if (!gpu.sample.used_bytes) {
      gpu.sample.used_bytes = ioreg_number(statistics, "Alloc system memory");
    }
    found.push_back(std::move(gpu));
  }
  return found;
}

std::vector<ProcessSample> apple_processes(const std::vector<IoregEntry>& clients) {
  std::map<int, ProcessSample> by_pid;
  for (const IoregEntry& client : clients) {
    auto process = creator_of(ioreg_string(client.property("IOUserClientCreator")));
    if (!process) continue;
    // Metal does not say what for: whatever draws a window is a client too.
    process->kind = ProcessKind::kGraphics;
    by_pid.emplace(process->pid, std::move(*process));
  }
  std::vector<ProcessSample> found;
  for (auto& [pid, process] : by_pid) found.push_back(std::move(process));
  return found;
}

}  // namespace gpusched::watch
