// What a card is: names, places, links, modes.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>

#include "simdriver/nvml/session.h"

namespace nvml = gpusched::simdriver::nvml;
using namespace gpusched::simdriver;
using nvml::Device;

namespace {

constexpr unsigned kTeslaBrand = 2;
constexpr unsigned kGeforceBrand = 5;
constexpr unsigned kP2pOk = 0;
constexpr unsigned kP2pNotSupported = 5;
constexpr unsigned kP2pNvlink = 2;
constexpr unsigned kTopologyNode = 40;
constexpr unsigned kTopologySystem = 50;

bool is_geforce(const CardFacts& facts) {
  return std::string_view(facts.model).find("GeForce") != std::string_view::npos;
}

void fill_pci(nvml::PciInfo& info, std::uint32_t bus, std::uint32_t device_id) {
  info = {};
  info.bus = bus;
  info.device_id = device_id;
  info.subsystem_id = device_id;
  std::snprintf(info.legacy_bus_id, sizeof info.legacy_bus_id, "%04X:%02X:00.0", 0U, bus);
  std::snprintf(info.bus_id, sizeof info.bus_id, "%08X:%02X:00.0", 0U, bus);
}

// The card at the other end of a link; links are dealt out to the peers in turn.
std::size_t peer_at(const CardFacts& facts, unsigned link) {
  const int peers = std::popcount(facts.nvlink_peers);
  std::uint64_t rest = facts.nvlink_peers;
  for (unsigned skip = link % static_cast<unsigned>(peers); skip > 0; --skip) rest &= rest - 1;
  return static_cast<std::size_t>(std::countr_zero(rest));
}

int check_link(const CardFacts& facts, unsigned link) {
  if (facts.nvlink_links == 0 || facts.nvlink_peers == 0) return nvml::kNotSupported;
  return link < facts.nvlink_links ? nvml::kSuccess : nvml::kInvalidArgument;
}

int value_of(unsigned* out, unsigned value) {
  *out = value;
  return nvml::kSuccess;
}

}  // namespace

extern "C" {

int nvmlDeviceGetName(Device device, char* name, unsigned size) {
  return nvml::on_card(__func__, device, [&](const nvml::CardCall& call) {
    return nvml::copy_text(call.facts.model, name, size);
  });
}

int nvmlDeviceGetUUID(Device device, char* uuid, unsigned size) {
  return nvml::on_card(__func__, device, [&](const nvml::CardCall& call) {
    return nvml::copy_text(call.facts.uuid, uuid, size);
  });
}

int nvmlDeviceGetSerial(Device device, char* serial, unsigned size) {
  return nvml::on_card(__func__, device, [&](const nvml::CardCall& call) -> int {
    if (is_geforce(call.facts)) return nvml::kNotSupported;
    return nvml::copy_text("16510" + std::to_string(10000000 + call.card), serial, size);
  });
}

int nvmlDeviceGetVbiosVersion(Device device, char* version, unsigned size) {
  return nvml::on_card(__func__, device, [&](const nvml::CardCall&) {
    return nvml::copy_text("00.00.00.00.01", version, size);
  });
}

int nvmlDeviceGetBoardPartNumber(Device device, char* number, unsigned size) {
  return nvml::on_card(__func__, device, [&](const nvml::CardCall&) {
    return nvml::copy_text("000-00000-0000-000", number, size);
  });
}

int nvmlDeviceGetIndex(Device device, unsigned* index) {
  return nvml::on_card(__func__, device, index, [](const nvml::CardCall& call, unsigned& out) {
    const auto& listed = call.session.listed;
    const auto found = std::ranges::find(listed, call.card);
    if (found == listed.end()) return nvml::kGpuIsLost;
    out = static_cast<unsigned>(found - listed.begin());
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetMinorNumber(Device device, unsigned* minor) {
  return nvml::on_card(__func__, device, minor, [](const nvml::CardCall& call, unsigned& out) {
    return value_of(&out, static_cast<unsigned>(call.card));
  });
}

int nvmlDeviceGetPciInfo_v3(Device device, nvml::PciInfo* info) {
  return nvml::on_card(__func__, device, info, [](const nvml::CardCall& call, nvml::PciInfo& out) {
    fill_pci(out, call.facts.pci_bus, call.facts.pci_device_id);
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetBrand(Device device, unsigned* brand) {
  return nvml::on_card(__func__, device, brand, [](const nvml::CardCall& call, unsigned& out) {
    return value_of(&out, is_geforce(call.facts) ? kGeforceBrand : kTeslaBrand);
  });
}

int nvmlDeviceGetArchitecture(Device device, unsigned* architecture) {
  return nvml::on_card(__func__, device, architecture,
                       [](const nvml::CardCall& call, unsigned& out) {
                         return value_of(&out, call.facts.architecture);
                       });
}

int nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  return nvml::on_card(__func__, device, major, [&](const nvml::CardCall& call, int& out) -> int {
    if (minor == nullptr) return nvml::kInvalidArgument;
    out = static_cast<int>(call.facts.capability_major);
    *minor = static_cast<int>(call.facts.capability_minor);
    return nvml::kSuccess;
  });
}

int nvmlDeviceGetNumGpuCores(Device device, unsigned* cores) {
  return nvml::on_card(__func__, device, cores, [](const nvml::CardCall& call, unsigned& out) {
    return value_of(&out, call.facts.multiprocessors * 128);
  });
}

int nvmlDeviceGetDisplayMode(Device device, unsigned* shown) {
  return nvml::on_card(__func__, device, shown, [](const nvml::CardCall& call, unsigned& out) {
    return value_of(&out, call.has(kHasDisplay) ? 1 : 0);
  });
}

int nvmlDeviceGetDisplayActive(Device device, unsigned* shown) {
  return nvml::on_card(__func__, device, shown, [](const nvml::CardCall& call, unsigned& out) {
    return value_of(&out, call.has(kHasDisplay) ? 1 : 0);
  });
}

int nvmlDeviceGetNvLinkState(Device device, unsigned link, unsigned* active) {
  return nvml::on_card(__func__, device, active,
                       [link](const nvml::CardCall& call, unsigned& out) -> int {
                         const int code = check_link(call.facts, link);
                         return code != nvml::kSuccess ? code : value_of(&out, 1);
                       });
}

int nvmlDeviceGetNvLinkVersion(Device device, unsigned link, unsigned* version) {
  return nvml::on_card(__func__, device, version,
                       [link](const nvml::CardCall& call, unsigned& out) -> int {
                         const int code = check_link(call.facts, link);
                         return code != nvml::kSuccess ? code : value_of(&out, 4);
                       });
}

int nvmlDeviceGetNvLinkRemoteDeviceType(Device device, unsigned link, unsigned* type) {
  return nvml::on_card(
      __func__, device, type, [link](const nvml::CardCall& call, unsigned& out) -> int {
        const int code = check_link(call.facts, link);
        return code != nvml::kSuccess ? code : value_of(&out, call.has(kNvlinkSwitched) ? 2 : 0);
      });
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned link, nvml::PciInfo* info) {
  return nvml::on_card(__func__, device, info,
                       [link](const nvml::CardCall& call, nvml::PciInfo& out) -> int {
                         if (const int code = check_link(call.facts, link); code != nvml::kSuccess)
                           return code;
                         if (call.has(kNvlinkSwitched)) {
                           constexpr std::uint32_t kFirstSwitchBus = 0xd0;
                           fill_pci(out, kFirstSwitchBus + link % 4, 0x22a310de);
                           return nvml::kSuccess;
                         }
                         const CardFacts& peer = call.world.data().facts[peer_at(call.facts, link)];
                         fill_pci(out, peer.pci_bus, peer.pci_device_id);
                         return nvml::kSuccess;
                       });
}

int nvmlDeviceGetP2PStatus(Device device, Device other, unsigned index, unsigned* status) {
  return nvml::on_card(
      __func__, device, status, [&](const nvml::CardCall& call, unsigned& out) -> int {
        const std::size_t peer = nvml::card_of(other);
        if (peer >= call.world.card_count() || index > 4) return nvml::kInvalidArgument;
        const bool linked = (call.facts.nvlink_peers >> peer & 1) != 0;
        const bool fine = peer != call.card && (index == kP2pNvlink ? linked : linked || index < 2);
        return value_of(&out, fine ? kP2pOk : kP2pNotSupported);
      });
}

int nvmlDeviceGetTopologyCommonAncestor(Device device, Device other, unsigned* level) {
  return nvml::on_card(__func__, device, level,
                       [&](const nvml::CardCall& call, unsigned& out) -> int {
                         const std::size_t peer = nvml::card_of(other);
                         if (peer >= call.world.card_count()) return nvml::kInvalidArgument;
                         if (peer == call.card) return value_of(&out, 0);
                         // Half of the cards on each of two processors.
                         const std::size_t half = (call.world.card_count() + 1) / 2;
                         const bool same = (peer < half) == (call.card < half);
                         return value_of(&out, same ? kTopologyNode : kTopologySystem);
                       });
}

}  // extern "C"
