// A tenant: the unit of isolation, quota and fair share; by default the Unix user. What is said
// of it (TenantRule), what then holds (TenantTerms), and what it has used (TenantUsage). All
// plain values; who keeps them is TenantBook, who judges by them quota.h and fair_share.h.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/model/job.h"

namespace gpusched {

// The rule of this name holds for every tenant that has none of its own.
inline constexpr std::string_view kDefaultTenant = "default";
// Says that there is no limit, where another rule would set one.
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// The highest priority that users may ask for, unless a rule says otherwise: the top of `high`.
// Administrators may always ask for any.
inline constexpr int kUsersHighestPriority = 84;
inline constexpr int kPriorityMost = 100;

// GPU-hours are counted by days of UTC: those since midnight, since Monday, since the first of the
// month, or today and the days before it, `days` in all.
struct GpuHours {
  enum class Period : std::uint8_t { kDay, kWeek, kMonth, kDays };
  static constexpr int kDaysMost = 60;
  std::uint64_t gpu_seconds = kNoLimit;
  Period period = Period::kDay;
  int days = 0;  // For kDays.
  friend bool operator==(const GpuHours&, const GpuHours&) = default;
};
// "100/week", "0.5/day", "200/month", "40/10d", "none"; nothing if it is none of these.
std::optional<GpuHours> parse_gpu_hours(std::string_view text);
std::string gpu_hours_text(const GpuHours& hours);
// The first day, since 1970, that counts together with `today`.
int first_day_of(const GpuHours& hours, int today);
// Days of UTC since 1970.
int day_of(Wall time);

// What the projects of a tenant have of its share, by name. Jobs of projects that are not named go
// together under the empty name, with a weight of 1 unless that is given here.
using ProjectWeights = std::map<std::string, double>;
inline constexpr std::size_t kProjectsMost = 1000;

// What somebody says of a tenant; absent: not said here.
struct TenantRule {
  static constexpr double kWeightLeast = 0.001;
  static constexpr double kWeightMost = 1e6;
  std::optional<double> weight;
  std::optional<std::uint64_t> cards;       // Held at one time; a shared card counts as one.
  std::optional<std::uint64_t> vram_bytes;  // Held at one time.
  std::optional<std::uint64_t> running;     // Jobs at one time.
  std::optional<std::uint64_t> queued;      // Jobs that wait, held ones too.
  std::optional<GpuHours> gpu_hours;
  std::optional<std::uint64_t> time_limit_s;  // The longest that a job may ask for.
  std::optional<std::uint64_t> highest_priority;
  std::optional<ProjectWeights> projects;  // Empty: no shares of projects.

  bool empty() const { return *this == TenantRule{}; }
  // Takes over what `stronger` says.
  void take(const TenantRule& stronger);
  friend bool operator==(const TenantRule&, const TenantRule&) = default;
};

// What holds for a tenant once every rule has been heard.
struct TenantTerms {
  double weight = 1;
  std::uint64_t cards = kNoLimit;
  std::uint64_t vram_bytes = kNoLimit;
  std::uint64_t running = kNoLimit;
  std::uint64_t queued = kNoLimit;
  GpuHours gpu_hours;
  std::uint64_t time_limit_s = kNoLimit;
  int highest_priority = kUsersHighestPriority;

  // Some limit could keep a job from starting.
  bool limits_starts() const {
    return cards != kNoLimit || vram_bytes != kNoLimit || running != kNoLimit ||
           gpu_hours.gpu_seconds != kNoLimit || time_limit_s != kNoLimit;
  }
  friend bool operator==(const TenantTerms&, const TenantTerms&) = default;
};
TenantTerms terms_from(const TenantRule& rule);

// What the configuration says. A user who is not named is a tenant of his own.
struct ConfiguredTenants {
  std::map<std::string, TenantRule> rules;
  std::map<std::string, std::string> tenant_of_user;
  // Unix groups that are tenants, in the order of the file. Their rules are under "group:NAME".
  std::vector<std::string> groups = {};
};
// Before the name of a Unix group.
inline constexpr std::string_view kGroupMark = "group:";
// For whom a user's jobs count who is in these Unix groups: as named by user, else the first of the
// groups in the file, else the user.
std::string tenant_for(const ConfiguredTenants& configured, const std::string& user,
                       const std::vector<std::string>& groups);

// What a tenant has used, in GPU-seconds: a card for a second, times the share of it that was held.
struct TenantUsage {
  double gpu_seconds = 0;  // Each second counts half as much after every half-life.
  // Up to when it is counted. Boot time measures while the machine stays up, wall time after that.
  Wall at{};
  Boot boot{};
  std::map<int, double> days;  // Undecayed, by day of UTC; those that a period can reach.
  std::map<std::string, double> projects = {};  // As gpu_seconds, by names of ProjectWeights.
  friend bool operator==(const TenantUsage&, const TenantUsage&) = default;
};

// The durable part of a tenant.
struct Tenant {
  std::string name;
  TenantRule rule;  // Set at run time; overrides the configuration's field by field.
  TenantUsage usage;
  friend bool operator==(const Tenant&, const Tenant&) = default;
};

// What a tenant's jobs hold now.
struct TenantHolds {
  std::uint64_t cards = 0;
  std::uint64_t vram_bytes = 0;
  std::uint64_t running = 0;  // Jobs, starting ones too.

  void add(const Grant& grant);
  void remove(const Grant& grant);
  friend bool operator==(const TenantHolds&, const TenantHolds&) = default;
};

enum class QuotaKind : std::uint8_t { kCards, kVram, kRunning, kGpuHours, kTimeLimit, kDisk };
// Which quota keeps a job from starting, in the quota's own unit: cards, bytes, jobs, GPU-seconds,
// seconds, bytes.
struct QuotaStop {
  QuotaKind kind = QuotaKind::kCards;
  std::uint64_t limit = 0;
  std::uint64_t in_use = 0;
  std::uint64_t wanted = 0;  // By the job; 0: no time limit.
  std::string period;        // Of GPU-hours: "week".
};
std::string describe(const QuotaStop& stop);
std::string what_would_help(const QuotaStop& stop, const std::string& tenant);

}  // namespace gpusched
