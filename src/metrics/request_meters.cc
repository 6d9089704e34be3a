#include "metrics/request_meters.h"

#include <algorithm>

namespace gpusched::metrics {
namespace {

constexpr std::array<std::string_view, 5> kClasses = {"1xx", "2xx", "3xx", "4xx", "5xx"};

}  // namespace

void RequestMeters::answered(std::string_view route, std::string_view method, int status,
                             double seconds) {
  Entry& entry = entries_[{route, method}];
  ++entry.by_class[static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1)];
  entry.seconds.observe(seconds);
}

void RequestMeters::write(Exposition& out) const {
  out.family({.name = "gpusched_api_requests_total",
              .type = Type::kCounter,
              .help = "Requests that were answered, by route, method and class of status."});
  for (const auto& [asked, entry] : entries_) {
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
      if (entry.by_class[i] == 0) continue;
      out.add({{"route", asked.first}, {"method", asked.second}, {"code", kClasses[i]}},
              entry.by_class[i]);
    }
  }
  out.family({.name = "gpusched_api_request_duration_seconds",
              .type = Type::kHistogram,
              .help = "From a request to its answer; of a stream, to its beginning.",
              .unit = "seconds"});
  for (const auto& [asked, entry] : entries_) {
    out.add({{"route", asked.first}, {"method", asked.second}}, entry.seconds);
  }
}

}  // namespace gpusched::metrics
