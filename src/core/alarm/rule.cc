#include "core/alarm/rule.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/number.h"
#include "base/text.h"

namespace gpusched {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr Severity kInfo = Severity::kInfo;
constexpr Severity kWarning = Severity::kWarning;
constexpr Severity kCritical = Severity::kCritical;
constexpr Seconds kNow{0};
constexpr Seconds kMinute{60};
constexpr Seconds kHour{3600};
constexpr Seconds kOneDay{24 * 3600};
constexpr std::string_view kCardGone = "card_lost sampler_stalled";
constexpr auto kNoValue = std::nullopt;
using About = AlarmSubject;
using Unit = AlarmUnit;

// By kind.
constexpr std::array<AlarmKindRow, kAlarmKinds> kKinds = {{
    {AlarmKind::kCardLost, "card_lost",
     "a card fell off the bus (at once), does not answer, or is missing; not of one that is "
     "drained "
     "by hand or left out by the configuration",
     About::kCards, Unit::kNone, false, kNoValue, 1, 2 * kMinute, kNow, kCritical, true,
     "sampler_stalled"},
    {AlarmKind::kTemperature, "temperature",
     "a card is as hot as its own slowdown limit less 5 °C, or as 85 °C where it has none; its "
     "memory as hot as 95 °C",
     About::kCard, Unit::kCelsius, false, kNoValue, 0.95, 5 * kMinute, kMinute, kWarning, true,
     kCardGone},
    {AlarmKind::kThrottling, "throttling",
     "the hardware slows a card down for heat or power; for ten times as long the driver does so "
     "for heat while the card is busy. A power cap is no alarm",
     About::kCard, Unit::kNone, false, kNoValue, 1, kMinute, 5 * kMinute, kWarning, true,
     kCardGone},
    {AlarmKind::kXid, "xid",
     "the driver reports an error of a card; one that is a program's own fault counts once three "
     "users met it within a day",
     About::kCard, Unit::kNone, false, kNoValue, 1, kNow, kHour, kWarning, true, kCardGone},
    {AlarmKind::kEcc, "ecc",
     "so many memory errors were corrected within an hour, or one could not be", About::kCard,
     Unit::kCount, false, 100, 1, kNow, kOneDay, kWarning, true, kCardGone},
    {AlarmKind::kHealth, "health", "a rule of health has drained a card", About::kCard, Unit::kNone,
     false, kNoValue, 1, kNow, kNow, kCritical, true, "card_lost sampler_stalled xid"},
    {AlarmKind::kForeignVram, "foreign_vram",
     "processes that are no jobs hold so much VRAM of a card", About::kCard, Unit::kBytes, false,
     kGiB, 0.9, 10 * kMinute, kMinute, kWarning, true, kCardGone},
    {AlarmKind::kVramFull, "vram_full",
     "so many percent of a card's VRAM are in use, and its jobs have more than they were given",
     About::kCard, Unit::kPercent, false, 95, 0.95, kMinute, kMinute, kWarning, true, kCardGone},
    {AlarmKind::kIdleCard, "idle_card", "a card is free while a job waits that fits there",
     About::kCard, Unit::kNone, false, kNoValue, 1, 10 * kMinute, kNow, kWarning, true, kCardGone},
    {AlarmKind::kIdleHolder, "idle_holder",
     "a job or process holds VRAM and has not used it for so long", About::kHolder, Unit::kSeconds,
     false, 3600, 0.5, kNow, kNow, kWarning, true, kCardGone},
    {AlarmKind::kLongWait, "long_wait", "the job that waits longest has waited for so long",
     About::kMachine, Unit::kSeconds, false, 24.0 * 3600, 0.9, kNow, 10 * kMinute, kWarning, true,
     ""},
    {AlarmKind::kJobFailed, "job_failed",
     "jobs of a user failed; those within this time are told together", About::kUser, Unit::kNone,
     false, kNoValue, 1, kMinute, 10 * kMinute, kInfo, true, ""},
    {AlarmKind::kFailuresInRow, "failures_in_row",
     "so many jobs of one program and tenant failed one after the other", About::kPrograms,
     Unit::kCount, false, 3, 0, kNow, kOneDay, kWarning, true, ""},
    {AlarmKind::kOverQuota, "over_quota",
     "a tenant holds more than its quota, or its GPU-hours are used up while its jobs wait",
     About::kTenant, Unit::kNone, false, kNoValue, 1, 10 * kMinute, kMinute, kInfo, true, ""},
    {AlarmKind::kDiskLow, "disk_low",
     "less is free on the disk of the state directory; of a small one a tenth counts if that is "
     "less",
     About::kMachine, Unit::kBytes, true, 2 * kGiB, 1.5, kMinute, kMinute, kCritical, true, ""},
    {AlarmKind::kSamplerStalled, "sampler_stalled",
     "nothing was heard of any card for so long, and for three looks", About::kMachine,
     Unit::kSeconds, false, 30, 1, kNow, 10 * Seconds{1}, kCritical, true, ""},
    {AlarmKind::kStoreSlow, "store_slow", "a commit takes so long", About::kMachine, Unit::kSeconds,
     false, 1, 0.5, kMinute, kMinute, kWarning, true, ""},
    {AlarmKind::kWeeklyReport, "weekly_report",
     "not an alarm: a report of the last seven days at this time of the week", About::kNone,
     Unit::kNone, false, kNoValue, 1, kNow, kNow, kInfo, false, ""},
}};

constexpr bool is_by_kind() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  }
  return true;
}
static_assert(is_by_kind());

constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

std::string two_digits(std::int64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

std::span<const AlarmKindRow> alarm_kinds() { return kKinds; }

const AlarmKindRow& alarm_kind_row(AlarmKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

const AlarmKindRow* find_alarm_kind(std::string_view name) {
  const auto* const row = std::ranges::find(kKinds, name, &AlarmKindRow::name);
  return row == kKinds.end() ? nullptr : &*row;
}

AlarmRule default_rule(const AlarmKindRow& row) {
  AlarmRule rule;
  rule.name = row.name;
  rule.kind = row.kind;
  rule.enabled = row.enabled;
  rule.hold = row.hold;
  rule.clear_for = row.clear_for;
  rule.severity = row.severity;
  for (const std::string_view name : split_nonempty(row.inhibited_by, ' ')) {
    rule.inhibited_by.emplace_back(name);
  }
  return rule;
}

AlarmRules::AlarmRules() {
  all.reserve(kKinds.size());
  for (const AlarmKindRow& row : kKinds) all.push_back(default_rule(row));
}

const AlarmRule* AlarmRules::find(std::string_view name) const {
  const auto found = std::ranges::find(all, name, &AlarmRule::name);
  return found == all.end() ? nullptr : &*found;
}

std::string alarm_watches(const AlarmRule& rule) {
  if (rule.threshold && rule.kind == AlarmKind::kTemperature) {
    return "a card is so hot; its memory so hot, and 95 °C at least";
  }
  if (rule.threshold && rule.kind == AlarmKind::kDiskLow) {
    return "less is free on the disk of the state directory";
  }
  return std::string(alarm_kind_row(rule.kind).watches);
}

std::optional<double> threshold_of(const AlarmRule& rule) {
  return rule.threshold ? rule.threshold : alarm_kind_row(rule.kind).threshold;
}

double clear_of(const AlarmRule& rule, double threshold) {
  return rule.clear_at.value_or(threshold * alarm_kind_row(rule.kind).clear_part);
}

std::optional<std::string> check_receivers(const AlarmRules& rules,
                                           std::span<const std::string> known) {
  const auto fault = [&](const std::vector<std::string>& names,
                         const std::string& where) -> std::optional<std::string> {
    for (const std::string& name : names) {
      if (std::ranges::find(known, name) != known.end()) continue;
      return where + ": there is no receiver \"" + name + "\"; receivers: must have it";
    }
    return std::nullopt;
  };
  if (auto wrong = fault(rules.receivers, "alarms.receivers")) return wrong;
  for (const AlarmRule& rule : rules.all) {
    if (auto wrong = fault(rule.receivers, "alarms." + rule.name + ".receivers")) return wrong;
  }
  return std::nullopt;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kCritical:
      return "critical";
  }
  return {};
}

std::optional<Severity> severity_named(std::string_view name) {
  for (const Severity each : {kInfo, kWarning, kCritical}) {
    if (severity_name(each) == name) return each;
  }
  return std::nullopt;
}

std::string alarm_value_text(AlarmUnit unit, double value) {
  if (unit == AlarmUnit::kBytes) {
    const auto bytes = static_cast<std::uint64_t>(value);
    for (const auto& [shift, letter] : {std::pair{30, 'G'}, {20, 'M'}, {10, 'K'}}) {
      const std::uint64_t size = 1ULL << shift;
      if (bytes > 0 && bytes % size == 0) return std::to_string(bytes / size) + letter;
    }
    return std::to_string(bytes);
  }
  if (unit == AlarmUnit::kSeconds && value == std::floor(value)) {
    const auto seconds = static_cast<std::int64_t>(value);
    for (const auto& [size, letter] : {std::pair{86400, 'd'}, {3600, 'h'}, {60, 'm'}}) {
      if (seconds > 0 && seconds % size == 0) return std::to_string(seconds / size) + letter;
    }
    return std::to_string(seconds) + "s";
  }
  if (value == std::floor(value)) return std::to_string(static_cast<std::int64_t>(value));
  // The shortest that reads back as the same.
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string weekly_text(const WeeklyTime& time) {
  const std::int64_t minutes = time.since_midnight.count() / 60;
  return std::string(kDays.at(static_cast<std::size_t>(time.weekday))) + " " +
         two_digits(minutes / 60) + ":" + two_digits(minutes % 60);
}

std::optional<WeeklyTime> parse_weekly(std::string_view text) {
  const std::vector<std::string_view> words = split_nonempty(text, ' ');
  if (words.size() != 2) return std::nullopt;
  const auto* const day = std::ranges::find(kDays, lower_case(words[0]));
  const std::vector<std::string_view> parts = split(words[1], ':');
  std::int64_t hours = 0;
  std::int64_t minutes = 0;
  if (day == kDays.end() || parts.size() != 2 || parts[1].size() != 2) return std::nullopt;
  if (!whole_number(parts[0], hours) || !whole_number(parts[1], minutes)) return std::nullopt;
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return WeeklyTime{static_cast<int>(day - kDays.begin()), Seconds{hours * 3600 + minutes * 60}};
}

}  // namespace gpusched
