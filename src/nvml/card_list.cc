#include "nvml/card_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace gpusched::nvml {
namespace {

constexpr u32 kLinksMost = 18;

template <std::size_t size>
std::string text_of(const std::array<char, size>& buffer) {
  return {buffer.data(), std::ranges::find(buffer, '\0')};
}

void read_memory(const Calls& calls, Device device, watch::CardIdentity& card) {
  Memory2 memory{};
  if (calls.memory2 != nullptr && calls.memory2(device, &memory) == kSuccess) {
    card.vram_bytes = memory.total;
    card.reserved_bytes = memory.reserved;
    return;
  }
  Memory1 plain{};
  if (calls.memory1(device, &plain) == kSuccess) card.vram_bytes = plain.total;
}

// The other ends of its links; those that are switches and not cards are sorted out later.
std::vector<std::string> links_of(const Calls& calls, Device device) {
  std::set<std::string> ends;
  if (calls.nvlink_state == nullptr || calls.nvlink_remote == nullptr) return {};
  for (u32 link = 0; link < kLinksMost; ++link) {
    u32 active = 0;
    const int code = calls.nvlink_state(device, link, &active);
    if (code != kSuccess && code != kNotFound) break;
    PciInfo remote{};
    if (active == 0 || calls.nvlink_remote(device, link, &remote) != kSuccess) continue;
    ends.insert(text_of(std::to_array(remote.bus_id)));
  }
  return {ends.begin(), ends.end()};
}

std::optional<FoundCard> card_at(const Library& library, u32 index,
                                 std::vector<std::string>& complaints) {
  const Calls& calls = library.calls();
  FoundCard found;
  const auto complain = [&](const char* doing, int code) {
    complaints.push_back(library.error_of(fmt::format("card {}: {}", index, doing), code).message);
  };
  if (const int code = calls.handle_by_index(index, &found.device); code != kSuccess) {
    if (code == kNoPermission) return std::nullopt;
    complain("open", code);
    return found;
  }
  watch::CardIdentity& card = found.identity;
  PciInfo pci{};
  if (calls.pci(found.device, &pci) == kSuccess) card.pci = text_of(std::to_array(pci.bus_id));
  std::ranges::transform(card.pci, card.pci.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'a' && c <= 'f' ? c - 'a' + 'A' : c);
  });
  std::array<char, 96> buffer{};
  if (const int code = calls.uuid(found.device, buffer.data(), buffer.size()); code != kSuccess) {
    complain("read its UUID", code);
    return found;
  }
  card.uuid = text_of(buffer);
  buffer.fill('\0');
  if (calls.name(found.device, buffer.data(), buffer.size()) == kSuccess) {
    card.model = text_of(buffer);
  }
  u32 minor = 0;
  if (calls.minor != nullptr && calls.minor(found.device, &minor) == kSuccess) {
    card.minor = static_cast<int>(minor);
  }
  read_memory(calls, found.device, card);
  card.nvlink_neighbours = links_of(calls, found.device);
  if (!card.vram_bytes) complaints.push_back("card " + card.uuid + ": its memory is unknown");
  return found;
}

}  // namespace

Result<std::vector<FoundCard>> list_cards(const Library& library,
                                          std::vector<std::string>& complaints) {
  u32 count = 0;
  if (const int code = library.calls().count(&count); code != kSuccess) {
    return failure(library.error_of("count the cards", code));
  }
  std::vector<FoundCard> found;
  for (u32 index = 0; index < count; ++index) {
    if (auto card = card_at(library, index, complaints)) found.push_back(std::move(*card));
  }
  const auto pci_of = [](const FoundCard& card) -> const std::string& { return card.identity.pci; };
  // The driver's own order is that of PCI but for rare machines; it stands where one is unknown.
  const bool all_known = std::ranges::none_of(found, &std::string::empty, pci_of);
  if (all_known) std::ranges::stable_sort(found, {}, pci_of);
  for (FoundCard& card : found) {
    std::erase_if(card.identity.nvlink_neighbours, [&](const std::string& pci) {
      return pci == card.identity.pci || std::ranges::find(found, pci, pci_of) == found.end();
    });
  }
  return found;
}

}  // namespace gpusched::nvml
