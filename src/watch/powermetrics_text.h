// What powermetrics says about the GPU of a Mac, from its stream of property lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpusched::watch {

// One sample; what it does not say is absent.
struct PowermetricsReading {
  std::optional<double> busy_percent;
  std::optional<double> power_watts;    // Mean over the interval.
  std::optional<double> energy_joules;  // Spent in the interval.
  std::optional<int> core_clock_mhz;
  std::string hardware_model;  // "Mac14,9"; may be empty.
};
Result<PowermetricsReading> parse_powermetrics(std::string_view plist);

// Cuts the stream into property lists. They are separated by a NUL byte, which stands before all
// but the first, so that the end of one is known by its last tag, not by the next one's begin.
class PlistStream {
 public:
  // The lists that are complete with these bytes. One that is larger than a sample can be is
  // dropped, together with what follows up to the next NUL.
  std::vector<std::string> take(std::string_view bytes);

 private:
  std::string pending_;
  bool dropping_ = false;
};

}  // namespace gpusched::watch
