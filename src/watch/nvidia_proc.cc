#include "watch/nvidia_proc.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "watch/numbers.h"
#include "watch/pci.h"

namespace gpusched::watch {
namespace {

constexpr const char* kCards = "proc/driver/nvidia/gpus/";

}  // namespace

std::vector<std::string> nvidia_proc_addresses(const Tree& tree) {
  std::vector<std::string> found;
  for (const std::string& name : tree.names(kCards)) {
    std::string pci = normal_pci(name);
    if (!pci.empty()) found.push_back(std::move(pci));
  }
  return found;
}

CardIdentity parse_nvidia_information(std::string_view text) {
  CardIdentity card;
  while (!text.empty()) {
    std::string_view value = take_until(text, '\n');
    const std::string_view key = trimmed(take_until(value, ':'));
    value = trimmed(value);
    if (key == "Model") card.model = value;
    if (key == "Bus Location") card.pci = normal_pci(value);
    if (key == "GPU UUID" && value.starts_with("GPU-") && value.find('?') == value.npos) {
      card.uuid = value;
    }
    if (key == "Device Minor") {
      const auto minor = whole_number(value);
      if (minor && *minor < 1024) card.minor = static_cast<int>(*minor);
    }
  }
  return card;
}

std::vector<CardIdentity> nvidia_proc_cards(const Tree& tree) {
  std::vector<CardIdentity> found;
  for (const std::string& name : tree.names(kCards)) {
    const auto text = tree.text(kCards + name + "/information");
    if (!text) continue;
    CardIdentity card = parse_nvidia_information(*text);
    if (!card.uuid.empty() && !card.pci.empty()) found.push_back(std::move(card));
  }
  std::ranges::stable_sort(found, {}, &CardIdentity::pci);
  return found;
}

}  // namespace gpusched::watch
