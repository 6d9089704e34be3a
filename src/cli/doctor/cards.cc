#include "cli/doctor/cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/doctor/machine.h"

namespace gpusched::cli {
namespace {

// The first driver with the public calls that move a process's VRAM to RAM and back.
constexpr int kCheckpointDriver = 570;

using Numbers = std::vector<int>;

// "card 1", "cards 0, 2".
std::string cards_named(const Numbers& cards) {
  return fmt::format("card{} {}", cards.size() == 1 ? "" : "s", fmt::join(cards, ", "));
}

bool is_nvidia(const CardLook& look) { return look.card.identity.vendor == watch::Vendor::kNvidia; }

// "-i 0,2" for nvidia-smi, which counts in PCI order too, but only its own.
std::string chosen(const LocalLook& look, const Numbers& cards) {
  Numbers indices;
  int index = 0;
  for (const CardLook& card : look.cards) {
    if (!is_nvidia(card)) continue;
    if (std::ranges::count(cards, number_of(card.card.number)) > 0) indices.push_back(index);
    ++index;
  }
  return fmt::format("-i {}", fmt::join(indices, ","));
}

// NVIDIA's cards by what their samples say of one thing: with the value, with another, silent.
struct Sorted {
  Numbers with, without, silent;
};
template <class Value>
Sorted sorted(const LocalLook& look, std::optional<Value> watch::CardSample::*field, Value wanted) {
  Sorted result;
  for (const CardLook& card : look.cards) {
    if (!is_nvidia(card)) continue;
    const int number = number_of(card.card.number);
    const auto value = card.sample ? card.sample->sample.*field : std::nullopt;
    (!value ? result.silent : *value == wanted ? result.with : result.without).push_back(number);
  }
  return result;
}

// A switch of the driver. `wanted` is the good position.
struct Switch {
  const char* about;
  std::optional<bool> watch::CardSample::*field;
  bool wanted;
  const char* costs;
  const char* fix;  // {} is the choice of cards.
};
constexpr const char* kState[] = {"off", "on"};

Finding check_switch(const LocalLook& look, const Switch& each) {
  const Sorted found = sorted(look, each.field, each.wanted);
  Finding finding{.about = each.about};
  if (!found.without.empty()) {
    finding.health = Health::kWarn;
    finding.is = fmt::format("{} for {}", kState[each.wanted ? 0 : 1], cards_named(found.without));
    finding.costs = each.costs;
    finding.fix = fmt::format(fmt::runtime(each.fix), chosen(look, found.without));
  } else if (!found.with.empty()) {
    finding.is = fmt::format("{} for {}", kState[each.wanted ? 1 : 0], cards_named(found.with));
  }
  if (!found.silent.empty()) {
    finding.is += fmt::format("{}the driver does not say for {}", finding.is.empty() ? "" : "; ",
                              cards_named(found.silent));
  }
  return finding;
}

Finding check_compute_mode(const LocalLook& look) {
  using Mode = watch::ComputeMode;
  const auto mode = &watch::CardSample::compute_mode;
  const Numbers prohibited = sorted(look, mode, Mode::kProhibited).with;
  const Numbers exclusive = sorted(look, mode, Mode::kExclusiveProcess).with;
  const Sorted plain = sorted(look, mode, Mode::kDefault);
  Finding finding{.about = "compute mode"};
  if (!prohibited.empty()) {
    finding.is = fmt::format("prohibited for {}", cards_named(prohibited));
    finding.costs = "jobs that are started there fail";
  }
  if (!exclusive.empty()) {
    finding.is += fmt::format("{}one process at a time for {}", finding.is.empty() ? "" : "; ",
                              cards_named(exclusive));
    finding.costs += fmt::format("{}jobs cannot share a card; the second one fails",
                                 finding.costs.empty() ? "" : "; ");
  }
  if (!plain.without.empty()) {
    finding.health = Health::kWarn;
    finding.fix = fmt::format("nvidia-smi {} -c DEFAULT, as root", chosen(look, plain.without));
    return finding;
  }
  finding.is = plain.with.empty() ? "the driver does not say"
                                  : fmt::format("default for {}", cards_named(plain.with));
  return finding;
}

std::optional<int> major_of(const std::string& version) {
  int major = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), major);
  if (error != std::errc()) return std::nullopt;
  return major;
}

Finding check_checkpoint(const LocalLook& look) {
  Finding finding{.about = "checkpoint calls"};
  const std::string version = nvidia_driver_version(look);
  if (!major_of(version)) {
    finding.health = Health::kWarn;
    finding.is = "the driver's version is not known";
    finding.costs = "it cannot be said whether running jobs can be moved aside";
    return finding;
  }
  if (has_checkpoint_calls(version)) {
    finding.is = fmt::format("driver {} has them", version);
    return finding;
  }
  finding.health = Health::kWarn;
  finding.is =
      fmt::format("driver {} is older than {}, the first to have them", version, kCheckpointDriver);
  finding.costs =
      "a running job's VRAM cannot be moved aside: who needs the card waits for its end";
  finding.fix = fmt::format("update the driver to {} or newer", kCheckpointDriver);
  return finding;
}

Finding check_backends(const LocalLook& look) {
  Finding finding{.about = "GPU drivers"};
  std::vector<std::string> parts;
  for (const watch::BackendState& backend : look.backends) {
    const auto seen = std::ranges::count(look.cards, backend.name,
                                         [](const CardLook& card) { return card.card.backend; });
    if (seen > 0) {
      parts.push_back(fmt::format("{} {}{}sees {} card{}", backend.name, backend.driver_version,
                                  backend.driver_version.empty() ? "" : " ", seen,
                                  seen == 1 ? "" : "s"));
    } else if (!backend.trouble.empty() && !backend.absent) {
      finding.health = Health::kBad;
      parts.push_back(fmt::format("{}: {}", backend.name, backend.trouble));
    }
  }
  finding.is = fmt::format("{}", fmt::join(parts, "; "));
  if (finding.health == Health::kBad) {
    finding.costs = "its cards cannot be used";
    finding.fix = "reboot after a driver update; the kernel's log says what else is wrong";
  }
  return finding;
}

Finding check_answers(const LocalLook& look) {
  Finding finding{.about = "cards"};
  std::vector<std::string> silent;
  for (const CardLook& card : look.cards) {
    if (card.state == "ok" || card.state == "asleep") continue;
    silent.push_back(fmt::format("card {} is {}{}{}", number_of(card.card.number), card.state,
                                 card.reason.empty() ? "" : ": ", card.reason));
  }
  finding.is = fmt::format("{} found, all answer", look.cards.size());
  if (silent.empty()) return finding;
  finding.health = Health::kBad;
  finding.is = fmt::format("{}", fmt::join(silent, "; "));
  finding.costs = "nothing new is started there";
  finding.fix = "look for Xid lines in the kernel's log; a card that is gone needs a reboot";
  return finding;
}

constexpr Switch kPersistence = {
    "persistence mode", &watch::CardSample::persistence, true,
    "the driver lets go of an idle card: the next job waits seconds for it, settings are lost, "
    "and a job that was moved aside may not come back",
    "nvidia-smi {} -pm 1, as root, or the service nvidia-persistenced"};
constexpr Switch kAccounting = {
    "accounting", &watch::CardSample::accounting, true,
    "a job's peak of VRAM is what was seen once a second; shorter peaks are missed",
    "nvidia-smi {} -am 1, as root, with persistence mode on"};
constexpr Switch kMig = {
    "MIG", &watch::CardSample::mig, false,
    "gpusched gives out whole cards: slices are not seen, use and accounts are missing, and jobs "
    "cannot be moved aside",
    "nvidia-smi {} -mig 0, as root, while nothing runs there"};

}  // namespace

std::string nvidia_driver_version(const LocalLook& look) {
  for (const watch::BackendState& backend : look.backends) {
    const bool nvidia = backend.name == "nvml" || backend.name == "nvidia-smi";
    if (nvidia && !backend.driver_version.empty()) return backend.driver_version;
  }
  return {};
}

bool has_checkpoint_calls(const std::string& version) {
  return major_of(version).value_or(0) >= kCheckpointDriver;
}

std::vector<Finding> check_cards(const Result<LocalLook>& look) {
  if (!look) {
    return {{"GPU drivers", Health::kWarn, look.error().message,
             "what the cards can do is not known here", ""}};
  }
  // Nobody found anything: where the library and the module are says more.
  if (look->cards.empty() && !driver_in_trouble(*look)) return {check_driver_library()};
  std::vector<Finding> findings = {check_backends(*look)};
  if (!look->cards.empty()) findings.push_back(check_answers(*look));
  if (!std::ranges::any_of(look->cards, is_nvidia)) return findings;
  findings.push_back(check_switch(*look, kPersistence));
  findings.push_back(check_switch(*look, kAccounting));
  findings.push_back(check_compute_mode(*look));
  findings.push_back(check_switch(*look, kMig));
  findings.push_back(check_checkpoint(*look));
  return findings;
}

}  // namespace gpusched::cli
