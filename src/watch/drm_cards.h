// The cards of one maker in /sys/class/drm, by what can be read without waking them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watch/tree.h"

namespace gpusched::watch {

struct DrmCard {
  int minor = 0;          // N of /dev/dri/cardN.
  std::string directory;  // "sys/class/drm/card0", below the root.
  std::string driver;
  std::string pci;     // Normal form.
  std::string pci_id;  // "1002:744C", upper case.
  std::string device() const { return directory + "/device"; }
};

// Those whose driver is one of these, in PCI order. Outputs ("card0-DP-1") are no cards, and what
// has no PCI address is left out.
std::vector<DrmCard> drm_cards(const Tree& tree, const std::vector<std::string>& drivers);

// The lines KEY=VALUE of a uevent file; empty if there is no such key.
std::string uevent_value(std::string_view text, std::string_view key);

// What the database of PCI names calls a device; `pci_id` is "VVVV:DDDD". Names in brackets are
// those of the product: "Navi 31 [Radeon RX 7900 XTX]" becomes "Radeon RX 7900 XTX".
std::optional<std::string> pci_name(std::string_view database, std::string_view pci_id);
std::optional<std::string> pci_name(const Tree& tree, std::string_view pci_id);

// "16.0 GT/s PCIe" is generation 4.
std::optional<int> pcie_generation(std::string_view link_speed);

}  // namespace gpusched::watch
