// One line that sums up: can a running job's VRAM be moved aside through the driver, here and by
// whom? What stands in the way has its own line with its remedy.
#include <fmt/format.h>

#include <algorithm>

#include "cli/doctor/cards.h"
#include "cli/doctor/host.h"

namespace gpusched::cli {
namespace {

struct Switches {
  int cards = 0, sliced = 0, not_persistent = 0;
};
Switches switches_of(const LocalLook& look) {
  Switches found;
  for (const CardLook& card : look.cards) {
    if (card.card.identity.vendor != watch::Vendor::kNvidia) continue;
    ++found.cards;
    if (!card.sample) continue;
    if (card.sample->sample.mig.value_or(false)) ++found.sliced;
    if (!card.sample->sample.persistence.value_or(true)) ++found.not_persistent;
  }
  return found;
}

}  // namespace

std::optional<Finding> check_moving(const HostFacts& facts, const LocalLook& look) {
  const Switches found = switches_of(look);
  if (found.cards == 0) return std::nullopt;
  const std::string version = nvidia_driver_version(look);
  std::vector<std::string> stops;
  if (!has_checkpoint_calls(version)) {
    stops.push_back(version.empty() ? "the driver's version is not known"
                                    : fmt::format("driver {} cannot", version));
  }
  if (!facts.mover) stops.emplace_back("gpusched-mover is not installed");
  if (found.sliced == found.cards) stops.emplace_back("every card is in MIG mode");
  std::vector<std::string> less;
  if (!facts.root) less.emplace_back("without root only jobs of the daemon's own user");
  if (!facts.root && facts.threads_out_of_reach) {
    less.emplace_back(
        "PyTorch programs only, as kernel.yama.ptrace_scope is not 0 and threads of others cannot "
        "be stopped");
  }
  if (found.sliced > 0) less.emplace_back("not from cards in MIG mode");
  if (facts.mps_pid) less.emplace_back("not of jobs that use MPS");
  if (found.not_persistent > 0) less.emplace_back("more safely with persistence mode on");
  if (facts.huge_pages != "always") less.emplace_back("faster with huge pages always");

  Finding finding{.about = "moving jobs aside"};
  if (!stops.empty()) {
    finding.health = Health::kWarn;
    finding.is = fmt::format("not through the driver: {}", fmt::join(stops, ", "));
    finding.costs =
        "an urgent job waits for the end of others, unless they save themselves or may be "
        "started again";
    return finding;
  }
  finding.is = fmt::format("works through driver {}{}{}", version, less.empty() ? "" : "; ",
                           fmt::join(less, ", "));
  return finding;
}

}  // namespace gpusched::cli
