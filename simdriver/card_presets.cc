#include "simdriver/card_presets.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/card_description.h"

namespace gpusched::simdriver {
namespace {

struct Preset {
  std::string_view word;
  std::uint32_t architecture, major, minor, multiprocessors;
  std::uint32_t features;
  std::uint32_t idle_w, limit_w, lowest_w;
  std::uint32_t full_load_c, slowdown_c;
  std::uint32_t idle_mhz, core_mhz, memory_mhz;
  std::uint32_t pcie_generation, pci_device_id;
};

constexpr std::uint32_t kServer = kHasEcc | kHasMig | kHasRowRemapping;

// The last one is for every other name.
constexpr std::array kPresets = {
    Preset{"B200", 10, 10, 0, 148, kServer | kHasGpm, 140, 1000, 200, 70, 87, 345, 1965, 3996, 5,
           0x290110de},
    Preset{"H200", 9, 9, 0, 132, kServer | kHasGpm, 75, 700, 200, 68, 87, 345, 1980, 3201, 5,
           0x233510de},
    Preset{"H100", 9, 9, 0, 132, kServer | kHasGpm, 70, 700, 200, 70, 87, 345, 1980, 2619, 5,
           0x233010de},
    Preset{"A100", 7, 8, 0, 108, kServer, 55, 400, 100, 72, 89, 210, 1410, 1593, 4, 0x20b210de},
    Preset{"L40S", 8, 8, 9, 142, kHasEcc, 35, 350, 100, 74, 88, 210, 2520, 9001, 4, 0x26b910de},
    Preset{"4090", 8, 8, 9, 128, kHasFan, 20, 450, 150, 74, 90, 210, 2520, 10501, 4, 0x268410de},
    Preset{"3090", 7, 8, 6, 82, kHasFan, 25, 350, 100, 76, 93, 210, 1695, 9751, 4, 0x220410de},
    Preset{"T4", 6, 7, 5, 40, kHasEcc, 10, 70, 60, 80, 90, 300, 1590, 5001, 3, 0x1eb810de},
    Preset{"", 8, 8, 9, 100, kHasFan, 20, 300, 100, 75, 90, 210, 2400, 9001, 4, 0x26b010de},
};

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

CardFacts preset_of(std::string_view model) {
  const Preset& preset = *std::ranges::find_if(kPresets, [model](const Preset& each) {
    return model.find(each.word) != std::string_view::npos;
  });
  CardFacts facts;
  std::memset(&facts, 0, sizeof facts);  // Padding too: scenarios are compared by their bytes.
  facts.architecture = preset.architecture;
  facts.capability_major = preset.major;
  facts.capability_minor = preset.minor;
  facts.multiprocessors = preset.multiprocessors;
  facts.features = preset.features;
  facts.idle_mw = preset.idle_w * 1000;
  facts.limit_mw = preset.limit_w * 1000;
  facts.lowest_limit_mw = preset.lowest_w * 1000;
  facts.ambient_c = 30;
  facts.full_load_c = preset.full_load_c;
  facts.slowdown_c = preset.slowdown_c;
  facts.shutdown_c = preset.slowdown_c + 5;
  facts.idle_clock_mhz = preset.idle_mhz;
  facts.core_clock_mhz = preset.core_mhz;
  facts.memory_clock_mhz = preset.memory_mhz;
  facts.pcie_generation = preset.pcie_generation;
  facts.pcie_width = 16;
  facts.pci_device_id = preset.pci_device_id;
  return facts;
}

void set_uuid(CardFacts& facts, std::string_view seed, std::size_t number) {
  set_uuid_text(facts, simulated_uuid(seed, number));
}

bool set_uuid_text(CardFacts& facts, std::string_view uuid) {
  constexpr std::size_t kLength = 40;
  if (uuid.size() != kLength || !uuid.starts_with("GPU-")) return false;
  std::size_t digits = 0;
  for (const char c : uuid.substr(4)) {
    if (c == '-') continue;
    const int digit = digit_of(c);
    if (digit < 0 || digits == 32) return false;
    std::uint8_t& byte = facts.uuid_bytes[digits / 2];
    byte = static_cast<std::uint8_t>(digits % 2 == 0 ? digit << 4 : byte | digit);
    ++digits;
  }
  std::memset(facts.uuid, 0, sizeof facts.uuid);
  std::memcpy(facts.uuid, uuid.data(), uuid.size());
  return digits == 32;
}

void set_model(CardFacts& facts, std::string_view model) {
  std::memset(facts.model, 0, sizeof facts.model);
  std::memcpy(facts.model, model.data(), std::min(model.size(), sizeof facts.model - 1));
}

void set_place(CardFacts& facts, std::size_t number) {
  // As on real boards, with gaps: whoever counts buses instead of cards goes wrong.
  facts.pci_bus = static_cast<std::uint32_t>(1 + number * 3);
}

}  // namespace gpusched::simdriver
