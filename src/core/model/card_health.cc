#include "core/model/card_health.h"

#include <algorithm>
#include <cmath>

namespace gpusched {
namespace {

constexpr int kCoolerBy = 10;
// Enough to judge by; a card on which nothing ever goes well is drained long before.
constexpr std::size_t kProgramsMost = 1000;

std::string degrees(double celsius) { return std::to_string(std::lround(celsius)) + " °C"; }

bool rose_to(std::uint64_t limit, const std::optional<std::uint64_t>& before,
             const std::optional<std::uint64_t>& now) {
  return limit > 0 && before && now && *before < limit && *now >= limit;
}

std::optional<Verdict> judge_heat(const HealthLimits& limits, const CardVitals& vitals,
                                  HealthRecord& record, Now now) {
  const bool hot = limits.hottest_celsius > 0 && vitals.temperature_celsius &&
                   *vitals.temperature_celsius >= limits.hottest_celsius;
  if (!hot) {
    record.hot_since.reset();
    return std::nullopt;
  }
  if (!record.hot_since) record.hot_since = now.boot;
  if (now.boot - *record.hot_since < limits.hot_for) return std::nullopt;
  return Verdict{Consequence::kDrain, false, DrainEnd::kCooler,
                 "it is " + degrees(*vitals.temperature_celsius) + " hot (limit " +
                     degrees(limits.hottest_celsius) + ")",
                 "it works again below " + degrees(limits.hottest_celsius - kCoolerBy)};
}

}  // namespace

HealthLimits limits_with(HealthLimits limits, const HealthRule& rule) {
  if (rule.hottest_celsius) limits.hottest_celsius = *rule.hottest_celsius;
  if (rule.uncorrected_errors) {
    limits.uncorrected_errors = static_cast<std::uint64_t>(*rule.uncorrected_errors);
  }
  if (rule.corrected_errors) {
    limits.corrected_errors = static_cast<std::uint64_t>(*rule.corrected_errors);
  }
  if (rule.failures) limits.failures = *rule.failures;
  return limits;
}

std::optional<Verdict> judge_vitals(const HealthLimits& limits, const CardVitals& before,
                                    const CardVitals& vitals, HealthRecord& record, Now now) {
  if (vitals.rows_failed == true && before.rows_failed == false) {
    return Verdict{Consequence::kDrain, false, DrainEnd::kByHand,
                   "a damaged row of memory could not be replaced", "replace the card"};
  }
  if (rose_to(limits.uncorrected_errors, before.uncorrected_errors, vitals.uncorrected_errors)) {
    return Verdict{
        Consequence::kDrain, false, DrainEnd::kByHand,
        "memory errors that could not be corrected: " + std::to_string(*vitals.uncorrected_errors),
        "reset the card"};
  }
  if (rose_to(limits.corrected_errors, before.corrected_errors, vitals.corrected_errors)) {
    return Verdict{Consequence::kDrain, false, DrainEnd::kByHand,
                   "corrected memory errors: " + std::to_string(*vitals.corrected_errors),
                   "watch it, and reset the card when idle"};
  }
  return judge_heat(limits, vitals, record, now);
}

bool has_cooled(const HealthLimits& limits, const CardVitals& vitals) {
  return limits.hottest_celsius == 0 ||
         (vitals.temperature_celsius &&
          *vitals.temperature_celsius < limits.hottest_celsius - kCoolerBy);
}

void CardRecords::went_well(const std::set<CardNumber>& cards) {
  if (cards.empty()) return;
  for (auto& [card, record] : records_) {
    if (cards.contains(card)) {
      record.failed_programs.clear();
      record.well_elsewhere = false;
    } else if (!record.failed_programs.empty()) {
      record.well_elsewhere = true;
    }
  }
}

bool CardRecords::failed(CardNumber card, const std::string& tenant, const std::string& program,
                         int most, bool several) {
  HealthRecord& record = records_[card];
  std::set<std::string>& programs = record.failed_programs[tenant];
  if (programs.size() < kProgramsMost) programs.insert(program);
  const auto limit = static_cast<std::size_t>(std::max(most, 0));
  const std::size_t of_one = several ? (limit + 1) / 2 : limit;
  std::size_t failures = 0;
  for (const auto& [name, failed] : record.failed_programs) {
    failures += std::min(failed.size(), of_one);
  }
  return most > 0 && record.well_elsewhere && failures >= limit;
}

}  // namespace gpusched
