// GPU-seconds by tenant, counted as cards are taken and given back. A name once shown stays; of
// more than a few tenants the later ones are one, so that no sum ever falls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "base/time.h"

namespace gpusched::metrics {

// Shown by name; all others are kOthers together. So is a tenant that bears that name.
inline constexpr std::size_t kTenantsMost = 50;
inline constexpr const char* kOthers = "other";

class TenantSeconds {
 public:
  // From now on the tenant has so many cards more (or fewer).
  void change(const std::string& tenant, std::int64_t cards, Boot now);
  // It had cards for so long, and nobody was told meanwhile.
  void add(const std::string& tenant, double seconds) { entry_of(tenant).seconds += seconds; }
  // By tenant, up to now.
  std::map<std::string, double> sums(Boot now) const;

 private:
  struct Entry {
    std::int64_t cards = 0;
    double seconds = 0;
    Boot since{};
    double at(Boot now) const;
  };
  Entry& entry_of(const std::string& tenant);

  std::map<std::string, Entry> entries_;
};

}  // namespace gpusched::metrics
