#include "watch/fdinfo.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "watch/numbers.h"
#include "watch/pci.h"

namespace gpusched::watch {
namespace {

// "2068 KiB"; a bare number is bytes.
std::optional<std::uint64_t> size_of(std::string_view value) {
  const auto number = whole_number(take_until(value, ' '));
  const std::string_view unit = trimmed(value);
  if (unit.empty()) return number;
  if (unit == "KiB") return scaled(number, 1024);
  if (unit == "MiB") return scaled(number, 1024 * 1024);
  if (unit == "GiB") return scaled(number, 1024 * 1024 * 1024);
  return std::nullopt;
}

// The regions of a client in one of the kernel's three ways of counting them.
struct Regions {
  std::optional<std::uint64_t> vram, shared;

  void add(std::string_view region, std::optional<std::uint64_t> bytes) {
    if (!bytes) return;
    const bool on_card = region.starts_with("vram") || region.starts_with("local");
    const bool on_host = region.starts_with("gtt") || region.starts_with("system");
    if (!on_card && !on_host) return;
    auto& sum = on_card ? vram : shared;
    const std::uint64_t before = sum.value_or(0);
    sum = before + std::min(*bytes, std::numeric_limits<std::uint64_t>::max() - before);
  }
};

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// True if the line was about an engine.
bool read_engine(DrmClient& client, std::string_view key, std::string_view value) {
  const auto number = whole_number(take_until(value, ' '));
  const auto engine = [&]() -> EngineUse& { return client.engines[std::string(key)]; };
  if (take_prefix(key, "drm-engine-capacity-")) {
    if (number && *number > 0 && *number < 1024) engine().capacity = *number;
  } else if (take_prefix(key, "drm-engine-")) {
    engine().busy_ns = number;
  } else if (take_prefix(key, "drm-total-cycles-")) {
    engine().total_cycles = number;
  } else if (take_prefix(key, "drm-cycles-")) {
    engine().cycles = number;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<DrmClient> parse_fdinfo(std::string_view text) {
  DrmClient client;
  bool has_id = false;
  Regions resident;
  Regions memory;
  Regions total;
  while (!text.empty()) {
    std::string_view value = take_until(text, '\n');
    std::string_view key = take_until(value, ':');
    value = trimmed(value);
    if (key == "drm-driver") {
      client.driver = value;
    } else if (key == "drm-pdev") {
      client.pci = normal_pci(value);
    } else if (key == "drm-client-id") {
      const auto id = whole_number(value);
      has_id = id.has_value();
      client.id = id.value_or(0);
    } else if (read_engine(client, key, value)) {
      continue;
    } else if (take_prefix(key, "drm-resident-")) {
      resident.add(key, size_of(value));
    } else if (take_prefix(key, "drm-memory-")) {
      memory.add(key, size_of(value));
    } else if (take_prefix(key, "drm-total-")) {
      total.add(key, size_of(value));
    }
  }
  if (client.driver.empty() || !has_id) return std::nullopt;
  // What is resident is what others cannot have; totals also count what was moved out.
  const auto first = [&](auto field) {
    return resident.*field ? resident.*field : memory.*field ? memory.*field : total.*field;
  };
  client.vram_bytes = first(&Regions::vram);
  client.shared_bytes = first(&Regions::shared);
  return client;
}

}  // namespace gpusched::watch
