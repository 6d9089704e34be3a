#include "watch/drm_cards.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "watch/numbers.h"
#include "watch/pci.h"

namespace gpusched::watch {
namespace {

constexpr std::size_t kLargestDatabase = 8 * 1024 * 1024;

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string product_of(std::string_view name) {
  const std::size_t open = name.rfind('[');
  const std::size_t close = name.rfind(']');
  if (open != std::string_view::npos && close != std::string_view::npos && close > open + 1) {
    name = name.substr(open + 1, close - open - 1);
  }
  return std::string(trimmed(name));
}

}  // namespace

std::string uevent_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view value = take_until(text, '\n');
    if (take_until(value, '=') == key) return std::string(trimmed(value));
  }
  return {};
}

std::vector<DrmCard> drm_cards(const Tree& tree, const std::vector<std::string>& drivers) {
  std::vector<DrmCard> found;
  for (const std::string& name : tree.names("sys/class/drm")) {
    if (!name.starts_with("card")) continue;
    const auto minor = whole_number(std::string_view(name).substr(4));
    if (!minor || *minor > 1024) continue;
    DrmCard card;
    card.minor = static_cast<int>(*minor);
    card.directory = "sys/class/drm/" + name;
    const auto uevent = tree.text(card.device() + "/uevent");
    if (!uevent) continue;
    card.driver = uevent_value(*uevent, "DRIVER");
    card.pci = normal_pci(uevent_value(*uevent, "PCI_SLOT_NAME"));
    card.pci_id = upper(uevent_value(*uevent, "PCI_ID"));
    if (card.pci.empty() || std::ranges::find(drivers, card.driver) == drivers.end()) continue;
    found.push_back(std::move(card));
  }
  std::ranges::stable_sort(found, {}, &DrmCard::pci);
  return found;
}

// The database has a line for each maker, and its devices below, behind a tab.
std::optional<std::string> pci_name(std::string_view database, std::string_view pci_id) {
  std::string_view device = pci_id;
  const std::string vendor = upper(take_until(device, ':'));
  if (vendor.empty() || device.empty()) return std::nullopt;
  bool ours = false;
  while (!database.empty()) {
    std::string_view line = take_until(database, '\n');
    if (line.empty() || line.front() == '#') continue;
    if (line.front() != '\t') {
      if (ours) return std::nullopt;
      ours = upper(line.substr(0, 4)) == vendor && line.size() > 4 && line[4] == ' ';
    } else if (ours && line.size() > 6 && line[1] != '\t' && line[5] == ' ' &&
               upper(line.substr(1, 4)) == upper(device)) {
      const std::string name = product_of(line.substr(5));
      if (!name.empty()) return name;
    }
  }
  return std::nullopt;
}

std::optional<std::string> pci_name(const Tree& tree, std::string_view pci_id) {
  for (const char* place : {"usr/share/misc/pci.ids", "usr/share/hwdata/pci.ids"}) {
    const auto database = tree.text(place, kLargestDatabase);
    if (database) return pci_name(*database, pci_id);
  }
  return std::nullopt;
}

std::optional<int> pcie_generation(std::string_view link_speed) {
  constexpr std::array<double, 6> kSpeeds = {2.5, 5, 8, 16, 32, 64};
  const auto speed = decimal_number(take_until(link_speed, ' '));
  if (!speed) return std::nullopt;
  const auto found = std::ranges::find(kSpeeds, *speed);
  if (found == kSpeeds.end()) return std::nullopt;
  return static_cast<int>(found - kSpeeds.begin()) + 1;
}

}  // namespace gpusched::watch
