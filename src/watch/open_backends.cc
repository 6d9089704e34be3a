#include "watch/open_backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "watch/amdgpu.h"
#include "watch/intel.h"
#include "watch/ioreg.h"
#include "watch/nvidia_smi.h"
#include "watch/powermetrics.h"

namespace gpusched::watch {
namespace {

// Returns what the probe said, the backend taken out of it.
Finding take(Backends& all, std::string name, Probed probed) {
  Finding finding{std::move(name), probed.backend != nullptr, probed.absent,
                  std::move(probed.reason)};
  if (probed.backend != nullptr) all.opened.push_back(std::move(probed.backend));
  all.findings.push_back(finding);
  return finding;
}

void pass_over(Backends& all, std::string name, std::string reason) {
  all.findings.push_back({std::move(name), false, true, std::move(reason)});
}

}  // namespace

Backends open_backends(const Host& host, const std::function<Probed()>& probe_nvml) {
  Backends all;
  const Finding nvml = take(
      all, "nvml", probe_nvml ? probe_nvml() : Probed{nullptr, true, "not part of this build"});
  if (!nvml.found && nvml.absent) {
    take(all, "nvidia-smi", probe_nvidia_smi(host));
  } else {
    pass_over(all, "nvidia-smi",
              nvml.found ? "not needed beside nvml" : "would meet the same problem as nvml");
  }
  take(all, "amdgpu", probe_amdgpu(host));
  take(all, "intel", probe_intel(host));
  if (take(all, "powermetrics", probe_powermetrics(host)).found) {
    pass_over(all, "ioreg", "read together with powermetrics");
  } else {
    take(all, "ioreg", probe_ioreg(host));
  }
  return all;
}

std::vector<ListedCard> list_cards(const std::vector<std::unique_ptr<Backend>>& backends,
                                   std::vector<std::string>& complaints) {
  std::vector<ListedCard> found;
  for (const auto& backend : backends) {
    auto cards = backend->cards(complaints);
    if (!cards) {
      complaints.push_back(fmt::format("{}: {}", backend->name(), cards.error().message));
      continue;
    }
    for (CardIdentity& card : *cards) found.push_back({std::move(card), backend.get()});
  }
  const auto order = [](const ListedCard& card) {
    // Without an address behind those that have one.
    return std::tuple(card.identity.vendor, card.identity.pci.empty(), card.identity.pci,
                      card.identity.uuid);
  };
  std::ranges::stable_sort(found, {}, order);
  return found;
}

}  // namespace gpusched::watch
