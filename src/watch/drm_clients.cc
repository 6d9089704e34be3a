#include "watch/drm_clients.h"

#include <algorithm>
#include <array>
#include <utility>

#include "watch/drm_cards.h"
#include "watch/numbers.h"
#include "watch/pci.h"

namespace gpusched::watch {
namespace {

using namespace std::chrono_literals;

// Less than the sampler's period; long enough that rounding of the counters does not matter.
constexpr Microseconds kClientsGoodFor = 400ms;
// The engines that run kernels. Copies and video leave the rest of the card free for others.
constexpr std::array<std::string_view, 5> kComputing = {"gfx", "compute", "render", "rcs", "ccs"};

bool computes(std::string_view engine) {
  return std::ranges::find(kComputing, engine) != kComputing.end();
}

// Share of one engine that a client used between two readings; nothing if that cannot be said.
std::optional<double> share(const EngineUse& before, const EngineUse& now, Microseconds passed) {
  const auto grown = [](std::optional<std::uint64_t> from, std::optional<std::uint64_t> to) {
    return from && to && *to >= *from ? std::optional(static_cast<double>(*to - *from))
                                      : std::nullopt;
  };
  const auto capacity = static_cast<double>(now.capacity);
  if (const auto busy_ns = grown(before.busy_ns, now.busy_ns)) {
    return *busy_ns / (static_cast<double>(passed.count()) * 1e3 * capacity);
  }
  const auto cycles = grown(before.cycles, now.cycles);
  const auto total = grown(before.total_cycles, now.total_cycles);
  if (cycles && total && *total > 0) return *cycles / (*total * capacity);
  return std::nullopt;
}

bool has_computed(const DrmClient& client) {
  return std::ranges::any_of(client.engines, [](const auto& each) {
    const auto& [name, use] = each;
    return (name == "compute" || name == "ccs") &&
           (use.busy_ns.value_or(0) > 0 || use.cycles.value_or(0) > 0);
  });
}

void add(std::optional<std::uint64_t>& sum, std::optional<std::uint64_t> more) {
  if (more) sum = sum.value_or(0) + std::min(*more, ~sum.value_or(0));
}

}  // namespace

bool DrmClients::counts(const DrmClient& client) const {
  return !client.pci.empty() && std::ranges::find(drivers_, client.driver) != drivers_.end();
}

std::set<std::string> DrmClients::sleeping_files() const {
  std::set<std::string> found;
  for (const std::string& name : tree_.names("sys/class/drm")) {
    // Outputs, such as card0-DP-1, are no device files.
    if (name.find('-') != std::string::npos) continue;
    const auto uevent = tree_.text("sys/class/drm/" + name + "/device/uevent");
    if (uevent && is_suspended(tree_, normal_pci(uevent_value(*uevent, "PCI_SLOT_NAME")))) {
      found.insert("/dev/dri/" + name);
    }
  }
  return found;
}

void DrmClients::scan_process(const std::string& pid, const std::set<std::string>& asleep,
                              Clients& found) const {
  const auto number = process_number(pid);
  if (!number) return;
  const std::string place = "proc/" + pid;
  for (const std::string& fd : tree_.names(place + "/fd")) {
    // A link is cheap to read, and almost none is a card's.
    const auto target = tree_.link_target(place + "/fd/" + fd);
    if (!target || !target->starts_with("/dev/dri/") || asleep.contains(*target)) continue;
    const auto text = tree_.text(place + "/fdinfo/" + fd);
    auto client = text ? parse_fdinfo(*text) : std::nullopt;
    if (!client || !counts(*client)) continue;
    const auto key = std::pair(client->pci, client->id);
    // Inherited or passed on, a client is still one: it counts for the process with the lowest
    // pid, which as a rule is the one that opened it.
    const auto known = found.find(key);
    const int owner = *number;
    if (known == found.end() || owner < known->second.pid) {
      found.insert_or_assign(key, Seen{owner, std::move(*client)});
    }
  }
}

void DrmClients::refresh() {
  const Boot asked = host_.now();
  if (looked_ && asked - now_at_ < kClientsGoodFor) return;
  Clients found;
  const std::set<std::string> asleep = sleeping_files();
  for (const std::string& pid : tree_.names("proc")) scan_process(pid, asleep, found);
  before_ = std::exchange(now_, std::move(found));
  before_at_ = std::exchange(now_at_, asked);
  looked_twice_ = std::exchange(looked_, true);
}

std::optional<double> DrmClients::busy_of(int pid, std::string_view pci) const {
  if (!looked_twice_ || now_at_ <= before_at_) return std::nullopt;
  std::map<std::string, double> by_engine;
  bool known = false;
  for (const auto& [key, seen] : now_) {
    if (seen.pid != pid || seen.client.pci != pci) continue;
    const auto old = before_.find(key);
    if (old == before_.end()) continue;
    for (const auto& [engine, use] : seen.client.engines) {
      const auto past = old->second.client.engines.find(engine);
      if (!computes(engine) || past == old->second.client.engines.end()) continue;
      if (const auto part = share(past->second, use, now_at_ - before_at_)) {
        by_engine[engine] += *part;
        known = true;
      }
    }
  }
  if (!known) return std::nullopt;
  double most = 0;
  for (const auto& [engine, part] : by_engine) most = std::max(most, part);
  return percent_of(most, 1);
}

std::vector<ProcessSample> DrmClients::on(std::string_view pci, bool with_shared) {
  const std::lock_guard lock(mutex_);
  refresh();
  std::map<int, ProcessSample> by_pid;
  for (const auto& [key, seen] : now_) {
    if (seen.client.pci != pci) continue;
    ProcessSample& process = by_pid[seen.pid];
    if (process.pid == 0) process.kind = ProcessKind::kGraphics;
    process.pid = seen.pid;
    if (has_computed(seen.client)) process.kind = ProcessKind::kCompute;
    add(process.vram_bytes, seen.client.vram_bytes);
    if (with_shared) add(process.vram_bytes, seen.client.shared_bytes);
  }
  std::vector<ProcessSample> found;
  for (auto& [pid, process] : by_pid) {
    process.busy_percent = busy_of(pid, pci);
    process.name = tree_.word("proc/" + std::to_string(pid) + "/comm").value_or("");
    found.push_back(std::move(process));
  }
  return found;
}

}  // namespace gpusched::watch
