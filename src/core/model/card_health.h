// Limits beyond which a card gets nothing new: heat, memory errors, jobs that keep failing there.
// Sudden events (XIDs, a card off the bus) are the table of health.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/time.h"
#include "core/model/health.h"
#include "core/model/ids.h"

namespace gpusched {

// What the card says about itself; absent is unknown.
struct CardVitals {
  std::optional<double> temperature_celsius;
  std::optional<std::uint64_t> corrected_errors, uncorrected_errors;  // Since its driver's start.
  std::optional<bool> rows_failed;     // Damaged memory that could not be replaced.
  std::optional<bool> throttled = {};  // Heat or power holds its clocks down.
};

struct HealthLimits {
  int hottest_celsius = 95;
  Seconds hot_for{30};  // A peak is not heat.
  std::uint64_t uncorrected_errors = 1;
  std::uint64_t corrected_errors = 0;
  int failures = 6;
};

// What the configuration says for one card; absent: what holds for all. 0: never.
struct HealthRule {
  std::optional<int> hottest_celsius = {};
  std::optional<int> uncorrected_errors = {};
  std::optional<int> corrected_errors = {};
  std::optional<int> failures = {};
  friend bool operator==(const HealthRule&, const HealthRule&) = default;
};
HealthLimits limits_with(HealthLimits limits, const HealthRule& rule);

// What is remembered of a card between two looks and two jobs. Not stored: a restart begins anew.
struct HealthRecord {
  std::optional<Boot> hot_since;
  // Programs by tenant whose attempts have failed here since one went well.
  std::map<std::string, std::set<std::string>> failed_programs;
  // Since then an attempt went well on another card: it is not the machine that is at fault.
  bool well_elsewhere = false;
};

// What a new look means, if anything. `before` is the last one: counters speak when they rise.
std::optional<Verdict> judge_vitals(const HealthLimits& limits, const CardVitals& before,
                                    const CardVitals& vitals, HealthRecord& record, Now now);
// So much cooler than its limit that it may work again.
bool has_cooled(const HealthLimits& limits, const CardVitals& vitals);

// How attempts fare on cards, told apart by program: one that fails a hundred times is one fault.
class CardRecords {
 public:
  HealthRecord& of(CardNumber card) { return records_[card]; }
  // A job that ran without a card has shown nothing.
  void went_well(const std::set<CardNumber>& cards);
  // True: `most` programs have failed on the card, while others had no trouble. Where there are
  // `several` tenants, at most half of the programs may be of one: nobody shall be able to take a
  // card away from the others.
  bool failed(CardNumber card, const std::string& tenant, const std::string& program, int most,
              bool several);

 private:
  std::map<CardNumber, HealthRecord> records_;
};

}  // namespace gpusched
