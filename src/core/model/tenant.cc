#include "core/model/tenant.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "base/check.h"
#include "base/words.h"

namespace gpusched {
namespace {

constexpr double kHoursMost = 1e9;
constexpr std::array<std::pair<std::string_view, GpuHours::Period>, 3> kPeriods = {
    {{"day", GpuHours::Period::kDay},
     {"week", GpuHours::Period::kWeek},
     {"month", GpuHours::Period::kMonth}}};

std::string period_text(const GpuHours& hours) {
  for (const auto& [word, period] : kPeriods) {
    if (period == hours.period) return std::string(word);
  }
  return std::to_string(hours.days) + "d";
}

// Without digits that say nothing: 100, 0.5.
std::string plain_number(double number) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end.ptr};
}

std::string hours_of(std::uint64_t gpu_seconds) {
  return plain_number(std::round(static_cast<double>(gpu_seconds) / 36.0) / 100.0);
}

std::string on_disk(std::uint64_t bytes) {
  return bytes >= (1ULL << 62) ? "more files than can be counted" : rounded_size(bytes);
}

// As it is written after --time-limit.
std::string time_limit_word(std::uint64_t seconds) {
  if (seconds % 3600 == 0) return std::to_string(seconds / 3600) + "h";
  return seconds % 60 == 0 ? std::to_string(seconds / 60) + "m" : std::to_string(seconds) + "s";
}

std::string span_of(std::uint64_t seconds) {
  if (seconds % 3600 == 0) return std::to_string(seconds / 3600) + " h";
  if (seconds % 60 == 0) return std::to_string(seconds / 60) + " min";
  return std::to_string(seconds) + " s";
}

template <class T>
void take_over(std::optional<T>& field, const std::optional<T>& stronger) {
  if (stronger) field = stronger;
}

}  // namespace

std::optional<GpuHours> parse_gpu_hours(std::string_view text) {
  if (text == "none") return GpuHours{};
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  double amount = 0;
  const char* stop = text.data() + slash;
  const auto read = std::from_chars(text.data(), stop, amount, std::chars_format::fixed);
  if (read.ec != std::errc() || read.ptr != stop || !(amount >= 0) || amount > kHoursMost) {
    return std::nullopt;
  }
  GpuHours hours;
  hours.gpu_seconds = static_cast<std::uint64_t>(std::llround(amount * 3600));
  const std::string_view period = text.substr(slash + 1);
  for (const auto& [word, kind] : kPeriods) {
    if (period != word) continue;
    hours.period = kind;
    return hours;
  }
  if (period.size() < 2 || period.back() != 'd') return std::nullopt;
  const char* end = period.data() + period.size() - 1;
  const auto days = std::from_chars(period.data(), end, hours.days);
  if (days.ec != std::errc() || days.ptr != end) return std::nullopt;
  if (hours.days < 1 || hours.days > GpuHours::kDaysMost) return std::nullopt;
  hours.period = GpuHours::Period::kDays;
  return hours;
}

std::string gpu_hours_text(const GpuHours& hours) {
  if (hours.gpu_seconds == kNoLimit) return "none";
  return plain_number(static_cast<double>(hours.gpu_seconds) / 3600.0) + "/" + period_text(hours);
}

int day_of(Wall time) {
  return static_cast<int>(std::chrono::floor<std::chrono::days>(time.time_since_epoch()).count());
}

int first_day_of(const GpuHours& hours, int today) {
  const std::chrono::sys_days day{std::chrono::days{today}};
  switch (hours.period) {
    case GpuHours::Period::kDay:
      return today;
    case GpuHours::Period::kWeek:
      return today - static_cast<int>(std::chrono::weekday(day).iso_encoding() - 1);
    case GpuHours::Period::kMonth:
      return today -
             static_cast<int>(static_cast<unsigned>(std::chrono::year_month_day(day).day()) - 1);
    case GpuHours::Period::kDays:
      return today - hours.days + 1;
  }
  CHECK(false);
}

void TenantRule::take(const TenantRule& stronger) {
  take_over(weight, stronger.weight);
  take_over(cards, stronger.cards);
  take_over(vram_bytes, stronger.vram_bytes);
  take_over(running, stronger.running);
  take_over(queued, stronger.queued);
  take_over(gpu_hours, stronger.gpu_hours);
  take_over(time_limit_s, stronger.time_limit_s);
  take_over(highest_priority, stronger.highest_priority);
  take_over(projects, stronger.projects);
}

TenantTerms terms_from(const TenantRule& rule) {
  const TenantTerms none;
  return {.weight = rule.weight.value_or(none.weight),
          .cards = rule.cards.value_or(none.cards),
          .vram_bytes = rule.vram_bytes.value_or(none.vram_bytes),
          .running = rule.running.value_or(none.running),
          .queued = rule.queued.value_or(none.queued),
          .gpu_hours = rule.gpu_hours.value_or(none.gpu_hours),
          .time_limit_s = rule.time_limit_s.value_or(none.time_limit_s),
          .highest_priority = static_cast<int>(std::min<std::uint64_t>(
              rule.highest_priority.value_or(kUsersHighestPriority), kPriorityMost))};
}

void TenantHolds::add(const Grant& grant) {
  cards += grant.cards.size();
  for (const CardGrant& held : grant.cards) vram_bytes += held.vram_bytes;
  ++running;
}

void TenantHolds::remove(const Grant& grant) {
  cards -= grant.cards.size();
  for (const CardGrant& held : grant.cards) vram_bytes -= held.vram_bytes;
  --running;
}

std::string describe(const QuotaStop& stop) {
  const std::string quota = "the tenant's quota of ";
  switch (stop.kind) {
    case QuotaKind::kCards:
      if (stop.wanted > stop.limit) {
        return "needs " + counted(stop.wanted, "card") + ", more than " + quota +
               counted(stop.limit, "card");
      }
      return quota + counted(stop.limit, "card") + " is reached (" + std::to_string(stop.in_use) +
             " held, " + std::to_string(stop.wanted) + " needed)";
    case QuotaKind::kVram:
      if (stop.wanted > stop.limit) {
        return "needs " + rounded_size(stop.wanted) + " of VRAM, more than " + quota +
               rounded_size(stop.limit);
      }
      return quota + rounded_size(stop.limit) + " of VRAM is reached (" +
             rounded_size(stop.in_use) + " held, " + rounded_size(stop.wanted) + " needed)";
    case QuotaKind::kRunning:
      return quota + counted(stop.limit, "running job") + " is reached (" +
             std::to_string(stop.in_use) + " running)";
    case QuotaKind::kGpuHours:
      return quota + hours_of(stop.limit) + " GPU-hours per " + stop.period + " is used up (" +
             hours_of(stop.in_use) + " used)";
    case QuotaKind::kTimeLimit:
      return stop.wanted == 0 ? "has no time limit; the tenant's longest is " + span_of(stop.limit)
                              : "has a time limit of " + span_of(stop.wanted) +
                                    ", the tenant's longest is " + span_of(stop.limit);
    case QuotaKind::kDisk:
      return "the tenant's jobs keep " + on_disk(stop.in_use) +
             " in checkpoint directories and logs on the daemon's disk, more than the limit of " +
             on_disk(stop.limit);
  }
  CHECK(false);
}

std::string what_would_help(const QuotaStop& stop, const std::string& tenant) {
  const std::string raise =
      "an administrator may raise it: gpusched tenant set " + shell_word(tenant);
  const std::uint64_t enough = stop.in_use + stop.wanted;
  switch (stop.kind) {
    case QuotaKind::kCards:
      return raise + " --cards " + std::to_string(enough);
    case QuotaKind::kVram:
      return raise + " --vram " + std::to_string((enough + (1ULL << 30) - 1) >> 30) + "G";
    case QuotaKind::kRunning:
      return raise + " --running " + std::to_string(stop.limit + 1);
    case QuotaKind::kGpuHours:
      return raise + " --gpu-hours " + std::to_string(stop.in_use / 3600 + 1) + "/" + stop.period;
    case QuotaKind::kTimeLimit:
      return raise + " --time-limit " + (stop.wanted == 0 ? "none" : time_limit_word(stop.wanted));
    case QuotaKind::kDisk:
      return "remove what is no longer needed in the checkpoint directories of this tenant's jobs "
             "(gpusched show names the directory of each); an administrator may raise "
             "limits.disk_per_tenant";
  }
  CHECK(false);
}

std::string tenant_for(const ConfiguredTenants& configured, const std::string& user,
                       const std::vector<std::string>& groups) {
  const auto named = configured.tenant_of_user.find(user);
  if (named != configured.tenant_of_user.end()) return named->second;
  for (const std::string& group : configured.groups) {
    if (std::ranges::find(groups, group) != groups.end()) return std::string(kGroupMark) + group;
  }
  return user;
}

}  // namespace gpusched
