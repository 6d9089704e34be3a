#include "watch/nvidia_smi_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "watch/numbers.h"
#include "watch/pci.h"

namespace gpusched::watch {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

// Absent, whatever the words in the brackets are; old versions print N/A without any.
bool is_absent(std::string_view field) {
  return field.empty() || field.front() == '[' || field == "N/A";
}

// The bits of the driver's own mask.
std::uint32_t throttle_of(std::uint64_t mask) {
  constexpr std::pair<std::uint64_t, Throttle> kBits[] = {
      {0x1, kThrottleIdle},         {0x2, kThrottleSetting},     {0x4, kThrottlePower},
      {0x8, kThrottleHardware},     {0x10, kThrottleSetting},    {0x20, kThrottleSoftThermal},
      {0x40, kThrottleHardThermal}, {0x80, kThrottlePowerBrake}, {0x100, kThrottleSetting}};
  std::uint32_t found = 0;
  for (const auto& [bit, meaning] : kBits) {
    if ((mask & bit) != 0) found |= meaning;
  }
  return found;
}

std::optional<bool> switch_of(std::string_view field) {
  if (field == "Enabled") return true;
  if (field == "Disabled") return false;
  return std::nullopt;
}

std::optional<ComputeMode> compute_mode_of(std::string_view field) {
  if (field == "Default") return ComputeMode::kDefault;
  if (field == "Prohibited") return ComputeMode::kProhibited;
  if (field == "Exclusive_Process" || field == "Exclusive_Thread") {
    return ComputeMode::kExclusiveProcess;
  }
  return std::nullopt;
}

std::optional<int> small_number(std::string_view field) {
  const auto value = whole_number(field);
  if (!value || *value > 1'000'000) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<double> not_negative(std::string_view field) {
  const auto value = decimal_number(field);
  return value && *value >= 0 ? value : std::nullopt;
}

struct Column {
  const char* name;
  bool always;  // In every version that is worth asking.
  void (*read)(SmiCard&, std::string_view field);
};

// Before driver 535 it had another name.
constexpr std::pair<std::string_view, std::string_view> kOlderName = {
    "clocks_event_reasons.active", "clocks_throttle_reasons.active"};

// Asked for and read by the same row, so that the two cannot disagree.
constexpr Column kColumns[] = {
    {"uuid", true, [](SmiCard& c, std::string_view f) { c.identity.uuid = f; }},
    {"pci.bus_id", true, [](SmiCard& c, std::string_view f) { c.identity.pci = normal_pci(f); }},
    {"driver_version", true, [](SmiCard& c, std::string_view f) { c.driver_version = f; }},
    {"memory.total", true,
     [](SmiCard& c, std::string_view f) { c.sample.vram_bytes = scaled(whole_number(f), kMiB); }},
    {"memory.used", true,
     [](SmiCard& c, std::string_view f) { c.sample.used_bytes = scaled(whole_number(f), kMiB); }},
    {"memory.reserved", false,
     [](SmiCard& c, std::string_view f) {
       c.sample.reserved_bytes = scaled(whole_number(f), kMiB);
     }},
    {"utilization.gpu", true,
     [](SmiCard& c, std::string_view f) { c.sample.busy_percent = percentage(f); }},
    {"utilization.memory", false,
     [](SmiCard& c, std::string_view f) { c.sample.memory_busy_percent = percentage(f); }},
    {"temperature.gpu", true,
     [](SmiCard& c, std::string_view f) { c.sample.temperature_c = decimal_number(f); }},
    {"temperature.memory", false,
     [](SmiCard& c, std::string_view f) { c.sample.memory_temperature_c = decimal_number(f); }},
    {"power.draw", false,
     [](SmiCard& c, std::string_view f) { c.sample.power_watts = not_negative(f); }},
    {"power.limit", false,
     [](SmiCard& c, std::string_view f) { c.sample.power_limit_watts = not_negative(f); }},
    {"fan.speed", false,
     [](SmiCard& c, std::string_view f) {
       if (const auto speed = percentage(f)) c.sample.fan_percent = static_cast<int>(*speed);
     }},
    {"clocks.current.sm", false,
     [](SmiCard& c, std::string_view f) { c.sample.core_clock_mhz = small_number(f); }},
    {"clocks.current.memory", false,
     [](SmiCard& c, std::string_view f) { c.sample.memory_clock_mhz = small_number(f); }},
    {"clocks_event_reasons.active", false,
     [](SmiCard& c, std::string_view f) {
       if (const auto mask = hex_number(f)) c.sample.throttle = throttle_of(*mask);
     }},
    {"ecc.errors.corrected.volatile.total", false,
     [](SmiCard& c, std::string_view f) { c.sample.ecc_corrected = whole_number(f); }},
    {"ecc.errors.uncorrected.volatile.total", false,
     [](SmiCard& c, std::string_view f) { c.sample.ecc_uncorrected = whole_number(f); }},
    {"pcie.link.gen.current", false,
     [](SmiCard& c, std::string_view f) { c.sample.pcie_generation = small_number(f); }},
    {"pcie.link.width.current", false,
     [](SmiCard& c, std::string_view f) { c.sample.pcie_width = small_number(f); }},
    {"mig.mode.current", false,
     [](SmiCard& c, std::string_view f) { c.sample.mig = switch_of(f); }},
    {"persistence_mode", false,
     [](SmiCard& c, std::string_view f) { c.sample.persistence = switch_of(f); }},
    {"accounting.mode", false,
     [](SmiCard& c, std::string_view f) { c.sample.accounting = switch_of(f); }},
    {"compute_mode", false,
     [](SmiCard& c, std::string_view f) { c.sample.compute_mode = compute_mode_of(f); }},
    {"name", true, [](SmiCard& c, std::string_view f) { c.identity.model = f; }},
};

// The fields of a line for so many columns; what is too much belongs to the last, as names with a
// comma come without quotes. Nothing if there are too few.
std::optional<std::vector<std::string>> fields_for(std::string_view line, std::size_t columns) {
  std::vector<std::string> fields = csv_fields(line);
  if (fields.size() < columns) return std::nullopt;
  for (std::size_t i = columns; i < fields.size(); ++i) fields[columns - 1] += ", " + fields[i];
  fields.resize(columns);
  return fields;
}

// Rounded to whole MiB each, the parts can be a little more than the whole.
void make_consistent(SmiCard& card) {
  CardSample& sample = card.sample;
  if (sample.vram_bytes == 0U) sample.vram_bytes.reset();
  if (sample.vram_bytes) {
    const std::uint64_t total = *sample.vram_bytes;
    if (sample.reserved_bytes && *sample.reserved_bytes > total) sample.reserved_bytes.reset();
    const std::uint64_t most = total - sample.reserved_bytes.value_or(0);
    if (sample.used_bytes && *sample.used_bytes > most) sample.used_bytes = most;
  }
  card.identity.vram_bytes = sample.vram_bytes;
  card.identity.reserved_bytes = sample.reserved_bytes;
}

// "MIG-GPU-…/1/0" is a part of "GPU-…"; the newer "MIG-…" does not say of which card.
std::string card_of(std::string_view uuid) {
  if (uuid.starts_with("MIG-GPU-")) {
    uuid.remove_prefix(4);
    return std::string(take_until(uuid, '/'));
  }
  return uuid.starts_with("MIG-") ? std::string{} : std::string(uuid);
}

}  // namespace

std::vector<std::string> smi_card_columns() {
  std::vector<std::string> names;
  for (const Column& column : kColumns) names.emplace_back(column.name);
  return names;
}

std::vector<std::string> smi_least_card_columns() {
  std::vector<std::string> names;
  for (const Column& column : kColumns) {
    if (column.always) names.emplace_back(column.name);
  }
  return names;
}

std::vector<std::string> smi_process_columns() {
  return {"gpu_uuid", "gpu_bus_id", "pid", "used_memory"};
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields;
  std::string field;
  bool quoted = false;
  bool was_quoted = false;
  const auto finish = [&] {
    fields.emplace_back(was_quoted ? field : std::string(trimmed(field)));
    field.clear();
    was_quoted = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        field += line[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"' && trimmed(field).empty() && !was_quoted) {
      field.clear();
      quoted = was_quoted = true;
    } else if (c == ',') {
      finish();
    } else if (!was_quoted || (c != ' ' && c != '\t' && c != '\r')) {
      field += c;
    }
  }
  finish();
  return fields;
}

SmiCards parse_smi_cards(std::string_view text, const std::vector<std::string>& columns) {
  SmiCards found;
  std::set<std::string> seen;
  while (!text.empty()) {
    const std::string_view line = trimmed(take_until(text, '\n'));
    if (line.empty()) continue;
    SmiCard card;
    const auto fields = fields_for(line, columns.size());
    for (std::size_t i = 0; fields && i < columns.size(); ++i) {
      const std::string_view name = columns[i] == kOlderName.second ? kOlderName.first : columns[i];
      const auto column = std::ranges::find(kColumns, name, &Column::name);
      if (column != std::end(kColumns) && !is_absent((*fields)[i]))
        column->read(card, (*fields)[i]);
    }
    // A MIG instance is no card, and a card without a UUID cannot be told from another.
    if (!card.identity.uuid.starts_with("GPU-")) {
      if (!card.identity.uuid.starts_with("MIG-")) found.complaints.emplace_back(line);
      continue;
    }
    if (!seen.insert(card.identity.uuid).second) continue;
    make_consistent(card);
    found.cards.push_back(std::move(card));
  }
  std::ranges::stable_sort(found.cards, {}, [](const SmiCard& card) { return card.identity.pci; });
  return found;
}

std::vector<SmiProcess> parse_smi_processes(std::string_view text) {
  std::vector<SmiProcess> found;
  std::map<std::tuple<int, std::string, std::string>, std::size_t> place;  // In `found`.
  while (!text.empty()) {
    const std::string_view line = trimmed(take_until(text, '\n'));
    const auto fields = fields_for(line, 4);
    if (!fields) continue;
    const auto pid = process_number((*fields)[2]);
    if (!pid) continue;
    SmiProcess row;
    if (!is_absent((*fields)[0])) row.card_uuid = card_of((*fields)[0]);
    row.pci = normal_pci((*fields)[1]);
    row.process.pid = *pid;
    row.process.vram_bytes = scaled(whole_number((*fields)[3]), kMiB);
    const auto [same, is_new] =
        place.emplace(std::tuple(row.process.pid, row.card_uuid, row.pci), found.size());
    if (is_new) {
      found.push_back(std::move(row));
      continue;
    }
    // A sum with an unknown part is unknown.
    auto& sum = found[same->second].process.vram_bytes;
    if (sum && row.process.vram_bytes) {
      *sum += std::min(*row.process.vram_bytes, ~*sum);
    } else {
      sum.reset();
    }
  }
  return found;
}

std::string older_column(std::string_view column) {
  return column == kOlderName.first ? std::string(kOlderName.second) : std::string{};
}

std::string unknown_column(std::string_view text) {
  const std::size_t words = text.find("\" is not a valid field to query");
  if (words == std::string_view::npos || words == 0) return {};
  const std::size_t quote = text.rfind('"', words - 1);
  if (quote == std::string_view::npos) return {};
  return std::string(text.substr(quote + 1, words - quote - 1));
}

}  // namespace gpusched::watch
