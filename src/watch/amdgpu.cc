#include "watch/amdgpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "watch/drm_clients.h"
#include "watch/hwmon.h"
#include "watch/kfd.h"
#include "watch/numbers.h"
#include "watch/pci.h"
#include "watch/sysfs_cards.h"

namespace gpusched::watch {
namespace {

std::string uuid_of(const Tree& tree, const DrmCard& card) {
  // A number that the driver keeps; reading it does not wake the card. Consumer cards have none.
  const auto unique = tree.word(card.device() + "/unique_id");
  return "amd-" + (unique ? *unique : card.pci);
}

std::string model_of(const Tree& tree, const DrmCard& card) {
  if (auto product = tree.word(card.device() + "/product_name")) return *product;
  if (const auto name = pci_name(tree, card.pci_id)) {
    return name->starts_with("AMD") ? *name : "AMD " + *name;
  }
  return "AMD GPU " + card.pci_id;
}

// "ue: 0\nce: 3".
void read_errors(const Tree& tree, const DrmCard& card, CardSample& sample) {
  const auto text = tree.text(card.device() + "/ras/umc_err_count");
  if (!text) return;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view value = take_until(rest, '\n');
    const std::string_view key = trimmed(take_until(value, ':'));
    if (key == "ue") sample.ecc_uncorrected = whole_number(value);
    if (key == "ce") sample.ecc_corrected = whole_number(value);
  }
}

void read_sensors(const Tree& tree, const DrmCard& card, CardSample& sample) {
  const Hwmon hwmon(tree, card.device());
  sample.power_watts = hwmon.power_watts();
  sample.power_limit_watts = hwmon.power_limit_watts();
  sample.temperature_c = hwmon.temperature({"edge", "junction"});
  sample.slowdown_temperature_c = hwmon.critical_temperature({"edge", "junction"});
  sample.memory_temperature_c = hwmon.temperature({"mem"});
  sample.fan_percent = hwmon.fan_percent();
  sample.core_clock_mhz = hwmon.clock_mhz("sclk");
  sample.memory_clock_mhz = hwmon.clock_mhz("mclk");
}

// The card's own memory; with that part of the host's that it may use, where it is one with it.
std::optional<std::uint64_t> memory(const Tree& tree, const DrmCard& card, const char* which,
                                    bool integrated) {
  auto bytes = tree.number(card.device() + "/mem_info_vram_" + which);
  const auto shared =
      integrated ? tree.number(card.device() + "/mem_info_gtt_" + which) : std::nullopt;
  if (shared) bytes = bytes.value_or(0) + std::min(*shared, ~bytes.value_or(0));
  return bytes;
}

CardSample read_card(const Tree& tree, const DrmCard& card, bool integrated) {
  CardSample sample;
  const auto percent = [&](const char* name) {
    const auto text = tree.word(card.device() + name);
    return text ? percentage(*text) : std::nullopt;
  };
  sample.vram_bytes = memory(tree, card, "total", integrated);
  sample.used_bytes = memory(tree, card, "used", integrated);
  if (sample.vram_bytes == 0U) sample.vram_bytes.reset();
  if (sample.vram_bytes && sample.used_bytes) {
    sample.used_bytes = std::min(*sample.used_bytes, *sample.vram_bytes);
  }
  sample.busy_percent = percent("/gpu_busy_percent");
  sample.memory_busy_percent = percent("/mem_busy_percent");
  read_sensors(tree, card, sample);
  read_errors(tree, card, sample);
  read_pcie(tree, card, sample);
  return sample;
}

// The larger of both books: what goes through KFD may or may not be in the other one too.
void add_kfd(std::map<int, ProcessSample>& by_pid, const KfdProcess& kfd) {
  ProcessSample& process = by_pid[kfd.pid];
  process.pid = kfd.pid;
  process.kind = ProcessKind::kCompute;
  if (kfd.vram_bytes) {
    process.vram_bytes = std::max(process.vram_bytes.value_or(0), *kfd.vram_bytes);
  }
  // What fdinfo counts leaves out its compute: alone it would call a busy process idle.
  if (kfd.occupied_percent) {
    process.busy_percent = std::max(process.busy_percent.value_or(0), *kfd.occupied_percent);
  } else {
    process.busy_percent.reset();
  }
}

class Amdgpu final : public Backend {
 public:
  explicit Amdgpu(const Host& host) : tree_(host.root), clients_(host, {"amdgpu"}) {}

  std::string name() const override { return "amdgpu"; }
  std::string driver_version() const override {
    return tree_.word("sys/module/amdgpu/version").value_or("");
  }

  Result<std::vector<CardIdentity>> cards(std::vector<std::string>& complaints) override {
    std::vector<CardIdentity> found;
    const std::vector<KfdNode> nodes = kfd_nodes(tree_);
    for (const DrmCard& card : drm_cards(tree_, {"amdgpu"})) {
      CardIdentity identity;
      identity.uuid = uuid_of(tree_, card);
      identity.pci = card.pci;
      identity.vendor = Vendor::kAmd;
      identity.minor = card.minor;
      identity.model = cards_.model_of(card.pci, [&] { return model_of(tree_, card); });
      const auto node = std::ranges::find(nodes, card.pci, &KfdNode::pci);
      if (node != nodes.end()) identity.integrated = node->has_cpus;
      identity.vram_bytes = total_of(card, identity.integrated.value_or(false));
      if (!identity.vram_bytes && !is_suspended(tree_, card.pci)) {
        complaints.push_back(fmt::format("card {}: its memory is unknown", identity.uuid));
      }
      cards_.put(identity.uuid, card);
      found.push_back(std::move(identity));
    }
    return found;
  }

  Result<CardSample> sample(const CardIdentity& identity) override {
    const auto card = cards_.find(identity, tree_);
    if (!card) return failure(card.error());
    if (is_suspended(tree_, card->pci)) return CardSample{};
    return read_card(tree_, *card, identity.integrated.value_or(false));
  }

  Result<std::vector<ProcessSample>> processes(const CardIdentity& identity) override {
    const auto card = cards_.find(identity, tree_);
    if (!card) return failure(card.error());
    // Nobody computes on a card that sleeps.
    if (is_suspended(tree_, card->pci)) return std::vector<ProcessSample>{};
    std::map<int, ProcessSample> by_pid;
    for (ProcessSample& each : clients_.on(card->pci, identity.integrated.value_or(false))) {
      by_pid.emplace(each.pid, std::move(each));
    }
    for (const KfdNode& node : kfd_nodes(tree_)) {
      if (node.pci != card->pci) continue;
      for (const KfdProcess& each : kfd_processes(tree_, node)) add_kfd(by_pid, each);
    }
    std::vector<ProcessSample> found;
    for (auto& [pid, process] : by_pid) {
      if (process.name.empty()) {
        process.name = tree_.word("proc/" + std::to_string(pid) + "/comm").value_or("");
      }
      found.push_back(std::move(process));
    }
    return found;
  }

  Result<std::vector<CardEvent>> events(std::chrono::milliseconds) override {
    return std::vector<CardEvent>{};
  }

 private:
  // As it was while the card was awake: asking it now would wake it.
  std::optional<std::uint64_t> total_of(const DrmCard& card, bool integrated) {
    const bool asleep = is_suspended(tree_, card.pci);
    const std::lock_guard lock(mutex_);
    auto& total = totals_[card.pci];
    if (!asleep) total = memory(tree_, card, "total", integrated);
    if (total == 0U) total.reset();
    return total;
  }

  const Tree tree_;
  DrmClients clients_;
  SysfsCards cards_;
  std::mutex mutex_;
  std::map<std::string, std::optional<std::uint64_t>> totals_;  // By PCI address.
};

}  // namespace

Probed probe_amdgpu(const Host& host) {
  return probe_sysfs(std::make_unique<Amdgpu>(host), "no card has the driver amdgpu");
}

}  // namespace gpusched::watch
