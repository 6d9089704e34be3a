#include "core/state/gpu_hours.h"
#include "core/state/usage.h"

#include <cmath>

namespace gpusched {

std::optional<QuotaStop> hours_stop(const TenantBook::Entry* entry, const TenantTerms& terms,
                                    Now now) {
  const GpuHours& hours = terms.gpu_hours;
  if (hours.gpu_seconds == kNoLimit) return std::nullopt;
  const double used = entry != nullptr && entry->kept
                          ? used_in_period(entry->kept->usage, entry->rate, hours, now)
                          : 0;
  if (used < static_cast<double>(hours.gpu_seconds)) return std::nullopt;
  const std::string text = gpu_hours_text(hours);
  return QuotaStop{.kind = QuotaKind::kGpuHours,
                   .limit = hours.gpu_seconds,
                   .in_use = static_cast<std::uint64_t>(std::llround(used)),
                   .wanted = 0,
                   .period = text.substr(text.find('/') + 1)};
}

std::optional<Wall> next_quota_day(const TenantBook& tenants, const Pending& pending, Now now) {
  if (!tenants.any_quota()) return std::nullopt;
  for (const auto& [whose, queue] : pending.queues()) {
    const std::string& name = whose.tenant;
    const TenantBook::Entry* entry = tenants.find(name);
    if (entry == nullptr || !hours_stop(entry, entry->terms, now)) continue;
    return Wall{std::chrono::days{day_of(now.wall) + 1}};
  }
  return std::nullopt;
}

}  // namespace gpusched
