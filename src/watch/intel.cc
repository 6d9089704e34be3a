#include "watch/intel.h"

#include <algorithm>
#include <map>
#include <utility>

#include "watch/drm_clients.h"
#include "watch/hwmon.h"
#include "watch/numbers.h"
#include "watch/pci.h"
#include "watch/sysfs_cards.h"

namespace gpusched::watch {
namespace {

using namespace std::chrono_literals;

// Differences over less than this are mostly rounding.
constexpr Microseconds kShortest = 50ms;

const std::vector<std::string> kDrivers = {"i915", "xe"};

std::string intel_model_of(const Tree& tree, const DrmCard& card) {
  const auto name = pci_name(tree, card.pci_id);
  return name ? "Intel " + *name : "Intel GPU " + card.pci_id;
}

// The graphics part of a processor always has this address; a card never has.
bool is_integrated(const DrmCard& card) { return card.pci.ends_with(":00:02.0"); }

// Directories tile0, tile1, … of xe.
std::vector<std::string> tiles(const Tree& tree, const DrmCard& card) {
  std::vector<std::string> found;
  for (const std::string& name : tree.names(card.device())) {
    if (name.starts_with("tile") && whole_number(std::string_view(name).substr(4))) {
      found.push_back(card.device() + "/" + name);
    }
  }
  return found;
}

// What the card has in all, for those drivers that say so.
std::optional<std::uint64_t> total_of(const Tree& tree, const DrmCard& card) {
  std::optional<std::uint64_t> total = tree.number(card.directory + "/lmem_total_bytes");
  for (const std::string& tile : tiles(tree, card)) {
    const auto part = tree.number(tile + "/physical_vram_size_bytes");
    if (part) total = total.value_or(0) + std::min(*part, ~total.value_or(0));
  }
  return total == 0U ? std::nullopt : total;
}

std::optional<int> clock_of(const Tree& tree, const DrmCard& card) {
  // The frequency that it runs at, then the one that was asked for.
  for (const std::string& place :
       {card.device() + "/tile0/gt0/freq0/act_freq", card.device() + "/tile0/gt0/freq0/cur_freq",
        card.directory + "/gt/gt0/rps_act_freq_mhz", card.directory + "/gt_act_freq_mhz",
        card.directory + "/gt_cur_freq_mhz"}) {
    const auto mhz = tree.number(place);
    if (mhz && *mhz > 0 && *mhz < 100'000) return static_cast<int>(*mhz);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> idle_ms_of(const Tree& tree, const DrmCard& card) {
  for (const std::string& place :
       {card.device() + "/tile0/gt0/gtidle/idle_residency_ms",
        card.directory + "/gt/gt0/rc6_residency_ms", card.directory + "/power/rc6_residency_ms"}) {
    if (const auto idle = tree.number(place)) return idle;
  }
  return std::nullopt;
}

// Counters at one moment; what a sample says about load and power are their differences.
struct Counters {
  Boot at{};
  std::optional<std::uint64_t> idle_ms;
  std::optional<double> energy_joules;
};

void read_rates(const Counters& before, const Counters& now, CardSample& sample) {
  const double seconds = std::chrono::duration<double>(now.at - before.at).count();
  if (before.idle_ms && now.idle_ms && *now.idle_ms >= *before.idle_ms) {
    const double idle = static_cast<double>(*now.idle_ms - *before.idle_ms) / 1e3;
    sample.busy_percent = percent_of(seconds - idle, seconds);
  }
  if (!sample.power_watts && before.energy_joules && now.energy_joules &&
      *now.energy_joules >= *before.energy_joules) {
    sample.power_watts = (*now.energy_joules - *before.energy_joules) / seconds;
  }
}

class Intel final : public Backend {
 public:
  explicit Intel(const Host& host) : host_(host), tree_(host.root), clients_(host, kDrivers) {}

  std::string name() const override { return "intel"; }

  Result<std::vector<CardIdentity>> cards(std::vector<std::string>&) override {
    std::vector<CardIdentity> found;
    for (const DrmCard& card : drm_cards(tree_, kDrivers)) {
      CardIdentity identity;
      identity.uuid = "intel-" + card.pci;
      identity.pci = card.pci;
      identity.vendor = Vendor::kIntel;
      identity.minor = card.minor;
      identity.integrated = is_integrated(card);
      identity.model = cards_.model_of(card.pci, [&] { return intel_model_of(tree_, card); });
      // Kept by the driver since it was loaded: asking does not wake the card.
      identity.vram_bytes = total_of(tree_, card);
      cards_.put(identity.uuid, card);
      found.push_back(std::move(identity));
    }
    return found;
  }

  Result<CardSample> sample(const CardIdentity& identity) override {
    const auto card = cards_.find(identity, tree_);
    if (!card) return failure(card.error());
    if (is_suspended(tree_, card->pci)) {
      const std::lock_guard lock(mutex_);
      last_.erase(card->pci);  // Its counters stand still meanwhile.
      return CardSample{};
    }
    CardSample sample;
    sample.vram_bytes = total_of(tree_, *card);
    const auto available = tree_.number(card->directory + "/lmem_avail_bytes");
    if (sample.vram_bytes && available && *available <= *sample.vram_bytes) {
      sample.used_bytes = *sample.vram_bytes - *available;
    }
    const Hwmon hwmon(tree_, card->device());
    sample.power_watts = hwmon.power_watts();
    sample.power_limit_watts = hwmon.power_limit_watts();
    sample.energy_joules = hwmon.energy_joules();
    sample.temperature_c = hwmon.temperature({"pkg", "package"});
    sample.slowdown_temperature_c = hwmon.critical_temperature({"pkg", "package"});
    sample.memory_temperature_c = hwmon.temperature({"vram"});
    sample.core_clock_mhz = clock_of(tree_, *card);
    if (!identity.integrated.value_or(false)) read_pcie(tree_, *card, sample);
    add_rates(*card, sample);
    return sample;
  }

  Result<std::vector<ProcessSample>> processes(const CardIdentity& identity) override {
    const auto card = cards_.find(identity, tree_);
    if (!card) return failure(card.error());
    if (is_suspended(tree_, card->pci)) return std::vector<ProcessSample>{};
    return clients_.on(card->pci, is_integrated(*card));
  }

  Result<std::vector<CardEvent>> events(std::chrono::milliseconds) override {
    return std::vector<CardEvent>{};
  }

 private:
  // What was found over the last stretch that was long enough stands for a shorter one.
  struct Rates {
    Counters from;
    std::optional<double> busy_percent, power_watts;
  };

  void add_rates(const DrmCard& card, CardSample& sample) {
    const Counters now{host_.now(), idle_ms_of(tree_, card), sample.energy_joules};
    const std::lock_guard lock(mutex_);
    const auto last = last_.find(card.pci);
    if (last == last_.end()) {
      last_.emplace(card.pci, Rates{now, {}, {}});
      return;
    }
    Rates& rates = last->second;
    if (now.at - rates.from.at >= kShortest) {
      read_rates(rates.from, now, sample);
      rates = {now, sample.busy_percent, sample.power_watts};
      return;
    }
    sample.busy_percent = rates.busy_percent;
    if (!sample.power_watts) sample.power_watts = rates.power_watts;
  }

  const Host host_;
  const Tree tree_;
  DrmClients clients_;
  SysfsCards cards_;
  std::mutex mutex_;
  std::map<std::string, Rates> last_;  // By PCI address.
};

}  // namespace

Probed probe_intel(const Host& host) {
  return probe_sysfs(std::make_unique<Intel>(host), "no card has the driver i915 or xe");
}

}  // namespace gpusched::watch
