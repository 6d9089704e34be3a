// The cards that a backend on sysfs has listed, by UUID, for the calls that come later from many
// threads. A card that is not listed, or whose directory has gone, is not found.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "watch/backend.h"
#include "watch/drm_cards.h"
#include "watch/sample.h"
#include "watch/tree.h"

namespace gpusched::watch {

class SysfsCards {
 public:
  void put(const std::string& uuid, const DrmCard& card);
  Result<DrmCard> find(const CardIdentity& card, const Tree& tree) const;
  // What `ask` says about this device, asked once: names do not change.
  template <class Ask>
  std::string model_of(const std::string& pci, const Ask& ask) {
    const std::lock_guard lock(mutex_);
    auto& model = models_[pci];
    if (model.empty()) model = ask();
    return model;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, DrmCard> by_uuid_;
  std::map<std::string, std::string> models_;  // By PCI address.
};

// The backend if it finds cards; else `none` is why there is none.
Probed probe_sysfs(std::unique_ptr<Backend> backend, const char* none);

// PCIe link and the parts of a sample that every card on PCI has. REQUIRES: it is awake.
void read_pcie(const Tree& tree, const DrmCard& card, CardSample& sample);

}  // namespace gpusched::watch
