// Alarms that are on, and silences. Both are rows: a restart neither forgets an alarm nor tells of
// it again.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"
#include "core/model/message.h"

namespace gpusched {

struct AlarmKey {
  std::string rule;     // "temperature".
  std::string subject;  // "card 0".
  friend auto operator<=>(const AlarmKey&, const AlarmKey&) = default;
};

struct Alarm {
  AlarmKey key;
  Severity severity = Severity::kWarning;
  std::string what = {}, whom = {}, advice = {};
  Wall since{};                      // When it began, not when it was told.
  std::optional<double> value = {};  // As it was seen last, of what has a number.
  std::optional<Wall> told_at = {};  // Absent: nobody was told, it is silenced or inhibited.
  std::string quiet_because = {};    // "silence 3", "inhibited by card_lost"; empty: it is told.
  std::vector<std::string> told_to = {};  // Receivers; they hear of its end.
  // What it is about, for programs, and for those who may not see everything.
  std::optional<CardNumber> card = {};
  std::optional<JobId> job = {};
  std::string user = {}, tenant = {};  // Whose doing it is; empty: nobody's.
  friend bool operator==(const Alarm&, const Alarm&) = default;
};
inline const AlarmKey& key_of(const Alarm& alarm) { return alarm.key; }

// Alarms that match are not told until `until`. Empty: any.
struct Silence {
  std::uint64_t id = 0;
  std::string rule = {}, subject = {};
  Wall from{}, until{};
  std::string by = {}, reason = {};
  friend bool operator==(const Silence&, const Silence&) = default;
};
inline const std::uint64_t& key_of(const Silence& silence) { return silence.id; }

inline bool matches(const Silence& silence, const AlarmKey& key) {
  return (silence.rule.empty() || silence.rule == key.rule) &&
         (silence.subject.empty() || silence.subject == key.subject);
}

// One that is of just the same alarms: a new one takes its place.
inline std::optional<std::uint64_t> same_silence(const std::map<std::uint64_t, Silence>& all,
                                                 const Silence& silence) {
  for (const auto& [id, one] : all) {
    if (one.rule == silence.rule && one.subject == silence.subject) return id;
  }
  return std::nullopt;
}

// Of messages that only try out a receiver.
inline constexpr const char* kTestRule = "test";

inline constexpr std::size_t kSilencesMost = 200;
inline constexpr Seconds kSilenceLongest{90 * 24 * 3600};

// Something to be told, and to whom.
struct AlarmNotice {
  Notice notice;
  std::vector<std::string> receivers;
  friend bool operator==(const AlarmNotice&, const AlarmNotice&) = default;
};

// What a look at the machine changes (core/alarm/look.h).
struct AlarmChanges {
  std::vector<Alarm> put;         // Raised, or changed.
  std::vector<AlarmKey> removed;  // Over.
  std::vector<AlarmNotice> notices;
  std::vector<std::uint64_t> silences_over;
  bool empty() const {
    return put.empty() && removed.empty() && notices.empty() && silences_over.empty();
  }
};

}  // namespace gpusched
