// What is told to people outside: a notice says what happened, to whom, since when and what to do;
// a message is a notice on its way to one receiver. Messages are rows: they are written in the
// commit of what they tell of, and go when they were delivered or given up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

enum class Severity : std::uint8_t { kInfo, kWarning, kCritical };
inline constexpr std::array<std::string_view, 3> kSeverityWords{"info", "warning", "critical"};
constexpr std::string_view severity_word(Severity severity) {
  return kSeverityWords[static_cast<std::size_t>(severity)];
}

struct Notice {
  // Of one thing, from its beginning to its end: "temperature/card 0", "job 7", "test". A later
  // notice of the same thread answers the earlier ones (mail: In-Reply-To; Alertmanager: resolved).
  std::string thread = {};
  // Notices with the same group that wait for one receiver become one message that counts them.
  // Empty: this one stands alone.
  std::string group = {};
  Severity severity = Severity::kInfo;
  bool resolved = false;     // It is over.
  std::string rule = {};     // "temperature", "job_failed", "notify", "weekly_report".
  std::string subject = {};  // "card 0", "job 7", "tenant lab", "the machine".
  // What happened, in one sentence, the fact first: "card 0 is at 91 °C, its limit is 87 °C".
  std::string what = {};
  std::string whom = {};  // Who is concerned: "job 7 of ml1, job 9 of ml2"; may be empty.
  std::optional<Wall> since = {};
  std::string advice = {};  // What to do; may be empty for good news.
  std::optional<JobId> job = {};
  std::optional<CardNumber> card = {};
  std::string attachment = {};  // A longer text, such as a report; may be empty.
  friend bool operator==(const Notice&, const Notice&) = default;
};

// No message waits longer for its next try, unless a clock has jumped.
inline constexpr Seconds kLongestMessageWait{1000};

struct Message {
  std::uint64_t id = 0;  // Never used again; the receiver can tell a repeat by it.
  std::string receiver = {};
  std::string address = {};  // Of the receiver, where it takes several (mail); else empty.
  Notice notice;             // The first of its group.
  std::uint64_t times = 1;   // So many notices are in it.
  std::vector<std::string> others = {};  // What some of the others say, a few.
  // Of all of them. Empty where nobody knows any more: it is not kept on disk, and it is bounded.
  std::set<std::string> threads = {};
  Wall at{};                // When the first came,
  Wall last_at{};           // and the last.
  Wall due{};               // Not sent before: others of its group may come, or a try has failed.
  std::uint32_t tries = 0;  // That failed.
  std::string error = {};   // Of the last one.
  friend bool operator==(const Message&, const Message&) = default;
};
// What became of one that has left the outbox, for those who ask soon.
struct SettledMessage {
  std::uint64_t id = 0;
  bool delivered = false;  // Else it was given up.
  Wall at{};
  std::string error = {};
  friend bool operator==(const SettledMessage&, const SettledMessage&) = default;
};

inline const std::uint64_t& key_of(const Message& message) { return message.id; }

}  // namespace gpusched
