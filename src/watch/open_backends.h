// Looks for every kind of card at once: a machine may have several makers'. What was not found
// keeps its reason, for `gpusched doctor`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "watch/backend.h"
#include "watch/host.h"

namespace gpusched::watch {

// What became of one way of looking.
struct Finding {
  std::string backend;
  bool found = false;
  bool absent = false;  // Nothing is wrong: there is no such hardware, driver or program.
  std::string reason;   // A sentence, also where it was found.
};

struct Backends {
  std::vector<std::unique_ptr<Backend>> opened;
  std::vector<Finding> findings;  // One per way of looking that was tried or passed over.
};

// `probe_nvml` lives elsewhere, because it loads a driver's library; it may be empty. nvidia-smi
// is for machines without that library: where the library has a problem, the program has it too.
Backends open_backends(const Host& host, const std::function<Probed()>& probe_nvml);

struct ListedCard {
  CardIdentity identity;
  Backend* backend = nullptr;  // Of the Backends that were asked.
};

// The cards of all of them, in the order that numbers follow: by maker (NVIDIA, AMD, Intel, Apple),
// so that the graphics part of a processor does not move the numbers that CUDA uses, then by PCI
// address, then by UUID. A backend that fails is a complaint, and the others are listed.
std::vector<ListedCard> list_cards(const std::vector<std::unique_ptr<Backend>>& backends,
                                   std::vector<std::string>& complaints);

}  // namespace gpusched::watch
