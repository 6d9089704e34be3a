#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/cards_answer.h"
#include "api/metric_families.h"
#include "metrics/card_meters.h"

namespace gpusched {
namespace {

using metrics::Exposition;
using metrics::Type;
using Figure = std::optional<double>;

constexpr std::array<std::string_view, 6> kStates = {"ok",   "unknown", "asleep",
                                                     "gone", "drained", "ignored"};

template <class Number>
Figure as_double(const std::optional<Number>& value) {
  return value ? Figure(static_cast<double>(*value)) : std::nullopt;
}
template <class Number>
Figure scaled(const std::optional<Number>& value, double by) {
  return value ? Figure(static_cast<double>(*value) * by) : std::nullopt;
}

// The families of all cards, one after the other.
class CardFamilies {
 public:
  CardFamilies(std::vector<wire::Card> cards, const watch::CardBoard* board, Exposition& out)
      : cards_(std::move(cards)), board_(board), out_(out) {
    for (const wire::Card& card : cards_) names_.push_back(std::to_string(card.number));
  }

  void write_what_they_are() {
    out_.family({.name = "gpusched_card_info",
                 .type = Type::kInfo,
                 .help = "A card: its number, UUID, model and driver."});
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      out_.add({{"card", names_[i]},
                {"uuid", cards_[i].uuid},
                {"model", cards_[i].model},
                {"driver", driver_of(cards_[i].number)}},
               1);
    }
    out_.family({.name = "gpusched_card_state",
                 .help = "1 for the state that a card is in, 0 for all others."});
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      for (const std::string_view state : kStates) {
        out_.add({{"card", names_[i]}, {"state", state}}, cards_[i].state == state ? 1 : 0);
      }
    }
  }

  void write_memory() {
    each("gpusched_card_memory_total_bytes", "bytes", "Video memory of a card.",
         [](const wire::Card& card) { return Figure(card.vram_bytes); });
    each("gpusched_card_memory_reserved_bytes", "bytes", "Of it, what the driver keeps for itself.",
         [](const wire::Card& card) { return Figure(card.reserved_bytes); });
    each_sample("gpusched_card_memory_used_bytes", "bytes",
                "Of it, what is in use, without what the driver keeps.",
                [](const watch::CardSample& sample) { return as_double(sample.used_bytes); });
    each("gpusched_card_memory_held_bytes", "bytes", "Of it, what jobs were given.",
         [](const wire::Card& card) { return Figure(card.held_vram_bytes); });
    each("gpusched_card_memory_foreign_bytes", "bytes",
         "Of it, what is in use beyond what jobs were given.",
         [](const wire::Card& card) { return as_double(card.foreign_bytes); });
  }

  void write_use() {
    each("gpusched_card_share_held_ratio", "ratio", "Of a card's compute, what jobs were given.",
         [](const wire::Card& card) { return Figure(card.held_share_percent / 100.0); });
    each_sample("gpusched_card_busy_ratio", "ratio", "Part of the time with any kernel running.",
                [](const watch::CardSample& s) { return scaled(s.busy_percent, 0.01); });
    each_sample("gpusched_card_memory_busy_ratio", "ratio", "Part of the time with memory traffic.",
                [](const watch::CardSample& s) { return scaled(s.memory_busy_percent, 0.01); });
    each_sample("gpusched_card_sm_active_ratio", "ratio",
                "Of all multiprocessors, the part that computes, where it is measured.",
                [](const watch::CardSample& s) { return scaled(s.sm_active_percent, 0.01); });
  }

  void write_power_and_heat() {
    each_sample("gpusched_card_power_watts", "watts", "Power that a card takes.",
                [](const watch::CardSample& s) { return s.power_watts; });
    each_sample("gpusched_card_power_limit_watts", "watts", "Power that a card may take.",
                [](const watch::CardSample& s) { return s.power_limit_watts; });
    each_sample(
        "gpusched_card_energy_joules_total", "joules", "Energy since the driver was loaded.",
        [](const watch::CardSample& s) { return s.energy_joules; }, Type::kCounter);
    out_.family({.name = "gpusched_card_temperature_celsius",
                 .help = "Temperature of a card, by sensor.",
                 .unit = "celsius"});
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      if (!cards_[i].sample) continue;
      out_.add({{"card", names_[i]}, {"sensor", "core"}}, cards_[i].sample->temperature_c);
      out_.add({{"card", names_[i]}, {"sensor", "memory"}}, cards_[i].sample->memory_temperature_c);
    }
    each_sample("gpusched_card_slowdown_temperature_celsius", "celsius",
                "Temperature from which on a card slows itself down.",
                [](const watch::CardSample& s) { return s.slowdown_temperature_c; });
    each_sample("gpusched_card_fan_ratio", "ratio", "Speed of the fan, of its highest.",
                [](const watch::CardSample& s) { return scaled(s.fan_percent, 0.01); });
    out_.family({.name = "gpusched_card_throttled",
                 .help = "1 for each reason that holds a card's clocks down now, else 0."});
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      if (!cards_[i].sample || !cards_[i].sample->throttle) continue;
      for (std::size_t bit = 0; bit < metrics::kThrottleReasons.size(); ++bit) {
        out_.add({{"card", names_[i]}, {"reason", metrics::kThrottleReasons[bit]}},
                 *cards_[i].sample->throttle >> bit & 1U);
      }
    }
  }

  void write_health() {
    out_.family({.name = "gpusched_card_ecc_errors_total",
                 .type = Type::kCounter,
                 .help = "Memory errors since the driver was loaded."});
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      if (!cards_[i].sample) continue;
      out_.add({{"card", names_[i]}, {"kind", "corrected"}}, cards_[i].sample->ecc_corrected);
      out_.add({{"card", names_[i]}, {"kind", "uncorrected"}}, cards_[i].sample->ecc_uncorrected);
    }
    each_sample("gpusched_card_pcie_link_width", "", "Lanes of the PCIe link now.",
                [](const watch::CardSample& s) { return as_double(s.pcie_width); });
    each_sample("gpusched_card_pcie_link_generation", "", "Generation of the PCIe link now.",
                [](const watch::CardSample& s) { return as_double(s.pcie_generation); });
    constexpr double kMiB = 1U << 20;
    each_sample("gpusched_card_pcie_sent_bytes_per_second", "bytes_per_second",
                "What a card sends over PCIe.",
                [](const watch::CardSample& s) { return scaled(s.pcie_sent_mib_s, kMiB); });
    each_sample("gpusched_card_pcie_received_bytes_per_second", "bytes_per_second",
                "What a card receives over PCIe.",
                [](const watch::CardSample& s) { return scaled(s.pcie_received_mib_s, kMiB); });
  }

  void write_age(Now now) {
    each("gpusched_card_sample_age_seconds", "seconds", "Since a card was last seen.",
         [&](const wire::Card& card) {
           return card.sampled_at ? Figure(seconds_since(*card.sampled_at, now)) : std::nullopt;
         });
  }

 private:
  static double seconds_since(Wall then, Now now) {
    return std::chrono::duration<double>(std::max(now.wall - then, Wall::duration{0})).count();
  }
  template <class Of>
  void each(std::string_view name, std::string_view unit, std::string_view help, Of of,
            Type type = Type::kGauge) {
    out_.family({.name = name, .type = type, .help = help, .unit = unit});
    for (std::size_t i = 0; i < cards_.size(); ++i) out_.add({{"card", names_[i]}}, of(cards_[i]));
  }
  template <class Of>
  void each_sample(std::string_view name, std::string_view unit, std::string_view help, Of of,
                   Type type = Type::kGauge) {
    each(
        name, unit, help,
        [&](const wire::Card& card) { return card.sample ? of(*card.sample) : Figure(); }, type);
  }
  std::string_view driver_of(int number) const {
    if (board_ == nullptr) return {};
    for (const watch::NumberedCard& card : board_->cards) {
      if (number_of(card.number) != number) continue;
      for (const watch::BackendState& backend : board_->backends) {
        if (backend.name == card.backend) return backend.driver_version;
      }
    }
    return {};
  }

  std::vector<wire::Card> cards_;
  std::vector<std::string> names_;  // Their numbers.
  const watch::CardBoard* board_;
  Exposition& out_;
};

}  // namespace

void write_card_families(const Context& context, const Veil& veil, Exposition& out) {
  const StateView& state = context.state();
  const watch::CardBoard* board = context.ports.board ? context.ports.board() : nullptr;
  CardFamilies families(cards_of(state, board, veil), board, out);
  families.write_what_they_are();
  families.write_memory();
  families.write_use();
  families.write_power_and_heat();
  families.write_health();
  families.write_age(context.now());
  out.family({.name = "gpusched_cards_missing",
              .help = "Cards that the machine should have and that are not there."});
  out.add({}, state.cards_missing());
  out.family({.name = "gpusched_host_cpus", .help = "CPUs that jobs may have."});
  out.add({}, state.host().cpus);
  out.family({.name = "gpusched_host_cpus_held", .help = "Of them, what jobs were given."});
  out.add({}, state.host_holds().cpus);
  out.family({.name = "gpusched_host_memory_total_bytes",
              .help = "Host memory that jobs may have.",
              .unit = "bytes"});
  out.add({}, state.host().ram_bytes);
  out.family({.name = "gpusched_host_memory_held_bytes",
              .help = "Of it, what jobs were given.",
              .unit = "bytes"});
  out.add({}, state.host_holds().ram_bytes);
}

}  // namespace gpusched
