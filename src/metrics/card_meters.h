// What adds up of the cards' lives while this process looks at them: errors that the driver told
// of, and the time for which clocks were held down.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "metrics/exposition.h"
#include "watch/report.h"

namespace gpusched::metrics {

// Bit i of watch::Throttle.
inline constexpr std::array<std::string_view, 7> kThrottleReasons = {
    "idle", "setting", "power", "hardware", "soft_thermal", "hard_thermal", "power_brake"};

class CardMeters {
 public:
  void take(const watch::Report& report);
  void write(Exposition& out) const;

 private:
  struct Entry {
    std::optional<Boot> seen;
    std::array<double, kThrottleReasons.size()> throttled{};
    bool tells_throttle = false;
    std::map<std::uint64_t, std::uint64_t>
        xids;  // By number; 0: of more kinds than are told apart.
  };
  void add(Entry& entry, const watch::SampleReport& report);

  std::map<CardNumber, Entry> entries_;
};

}  // namespace gpusched::metrics
