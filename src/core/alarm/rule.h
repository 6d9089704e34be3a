// Rules of alarms: what is watched, from which value on, for how long, and who is told. Every kind
// of alarm has a rule of its name with good defaults; the configuration changes these, switches
// them off, or adds further rules of a kind (`alarms:`, docs/alarms.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/model/message.h"

namespace gpusched {

enum class AlarmKind : std::uint8_t {
  kCardLost,
  kTemperature,
  kThrottling,
  kXid,
  kEcc,
  kHealth,
  kForeignVram,
  kVramFull,
  kIdleCard,
  kIdleHolder,
  kLongWait,
  kJobFailed,
  kFailuresInRow,
  kOverQuota,
  kDiskLow,
  kSamplerStalled,
  kStoreSlow,
  kWeeklyReport,
};
inline constexpr std::size_t kAlarmKinds = 18;

// Of what a rule compares.
enum class AlarmUnit : std::uint8_t { kNone, kCelsius, kBytes, kPercent, kCount, kSeconds };

// What an alarm is of, and how that is called (subject.h).
enum class AlarmSubject : std::uint8_t {
  kCard,      // "card 0".
  kCards,     // Also "the cards".
  kHolder,    // "job 7", "process 4711".
  kMachine,   // "the machine".
  kUser,      // "user ml1".
  kPrograms,  // "train.py of lab".
  kTenant,    // "tenant lab".
  kNone,      // It is no alarm.
};

// Of the week, in local time.
struct WeeklyTime {
  int weekday = 1;  // Sunday is 0.
  Seconds since_midnight{8 * 3600};
  friend bool operator==(const WeeklyTime&, const WeeklyTime&) = default;
};

struct AlarmRule {
  std::string name;  // Of the rule; where it is not said otherwise that of its kind.
  AlarmKind kind = AlarmKind::kCardLost;
  bool enabled = true;
  // On from here on, and over from there on. Absent: what the kind says.
  std::optional<double> threshold = {};
  std::optional<double> clear_at = {};
  Seconds hold{0};       // So long it must be so before it is an alarm,
  Seconds clear_for{0};  // and so long it must be well before it is over.
  Severity severity = Severity::kWarning;
  std::vector<std::string> receivers = {};  // Empty: those of AlarmRules.
  // Not told while one of these rules is on for the same subject, or for the machine.
  std::vector<std::string> inhibited_by = {};
  Seconds repeat{24 * 3600};  // While it is on it is told again; 0: once.
  WeeklyTime weekly = {};     // Of a report.
  friend bool operator==(const AlarmRule&, const AlarmRule&) = default;
};

// A kind with its defaults, for the table in docs/alarms.md.
struct AlarmKindRow {
  AlarmKind kind;
  std::string_view name;
  std::string_view watches;  // For people: an alarm when …
  AlarmSubject subject;
  AlarmUnit unit;
  bool below;                       // The threshold is a least.
  std::optional<double> threshold;  // Absent: the kind needs none, or works it out.
  double clear_part;                // clear_at, as a part of the threshold.
  Seconds hold, clear_for;
  Severity severity;
  bool enabled;
  std::string_view inhibited_by;  // Separated by spaces.
};
std::span<const AlarmKindRow> alarm_kinds();
const AlarmKindRow& alarm_kind_row(AlarmKind kind);
const AlarmKindRow* find_alarm_kind(std::string_view name);

// As it is where nobody says otherwise.
AlarmRule default_rule(const AlarmKindRow& row);

inline constexpr std::size_t kAlarmRulesMost = 200;
struct AlarmRules {
  AlarmRules();                             // The defaults.
  std::vector<AlarmRule> all;               // By kind; then those that were added.
  std::vector<std::string> receivers = {};  // Of rules that name none.

  const AlarmRule* find(std::string_view name) const;
  const std::vector<std::string>& receivers_of(const AlarmRule& rule) const {
    return rule.receivers.empty() ? receivers : rule.receivers;
  }
  friend bool operator==(const AlarmRules&, const AlarmRules&) = default;
};

// An alarm when …, as the rule is set.
std::string alarm_watches(const AlarmRule& rule);
// What the rule compares with; for temperatures absent: the card says it.
std::optional<double> threshold_of(const AlarmRule& rule);
// Where it is over. `threshold`: the one that counts.
double clear_of(const AlarmRule& rule, double threshold);

// Names of receivers that rules have, and nobody knows: a sentence for the first of them.
std::optional<std::string> check_receivers(const AlarmRules& rules,
                                           std::span<const std::string> known);

// "info", "warning", "critical".
std::string_view severity_name(Severity severity);
std::optional<Severity> severity_named(std::string_view name);
// A value as people write it in the configuration: "85", "1G", "95", "1h".
std::string alarm_value_text(AlarmUnit unit, double value);
// "mon 08:00".
std::string weekly_text(const WeeklyTime& time);
std::optional<WeeklyTime> parse_weekly(std::string_view text);

}  // namespace gpusched
