// What the NVIDIA driver says about its cards in /proc/driver/nvidia/gpus: enough to know a card
// without waking it, which neither its library nor its tool can promise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "watch/sample.h"
#include "watch/tree.h"

namespace gpusched::watch {

// Those whose UUID is known, in PCI order: the driver shows question marks for a card that has not
// been used since it was loaded.
std::vector<CardIdentity> nvidia_proc_cards(const Tree& tree);
// The addresses of all of them.
std::vector<std::string> nvidia_proc_addresses(const Tree& tree);
// Of one card's file of information; the UUID is empty where it is not known.
CardIdentity parse_nvidia_information(std::string_view text);

}  // namespace gpusched::watch
