// From what is seen of one subject to an alarm: how long it has been so, whether it is over,
// whether somebody may be told. The same for all rules; what they look at is in observe.h.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/alarm/facts.h"
#include "core/alarm/memory.h"
#include "core/alarm/open.h"
#include "core/alarm/rule.h"

namespace gpusched {

enum class Standing : std::uint8_t {
  kUnknown,
  kWell,
  kBetween,  // Not bad enough for an alarm, not well enough to end one.
  kBad,
};
// By a threshold, and by where it is over.
Standing standing_above(double value, double threshold, double clear_at);
Standing standing_below(double value, double threshold, double clear_at);

// One subject as a rule sees it.
struct Sight {
  std::string subject;
  Standing standing = Standing::kUnknown;
  std::optional<double> value = {};
  std::optional<Boot> seen_at = {};  // It was read then; absent: just now.
  // Where they are not the rule's.
  std::optional<Severity> severity = {};
  std::optional<Seconds> hold = {}, clear_for = {};
  // Something that happened: it is raised at once, told after `gather` with all that came until
  // then, and its end is told only if there was more.
  bool event = false;
  Seconds gather{0};
  std::optional<CardNumber> card = {};
  std::optional<JobId> job = {};
  std::string user = {}, tenant = {};
};
struct AlarmWords {
  std::string what, whom = {}, advice = {};
};
// `over`: of its end.
using WordsOf = std::function<AlarmWords(bool over)>;

class Judge {
 public:
  Judge(const AlarmRules& rules, AlarmMemory& memory, const AlarmsOpen& open, Now now);

  // REQUIRES: the rule is enabled; each subject once per rule.
  void see(const AlarmRule& rule, Sight sight, const WordsOf& words);
  // Subjects of the rule that nobody has seen in this look are well.
  void end_unseen(const AlarmRule& rule);
  void tell_report(const AlarmRule& rule, const AlarmFacts& facts);
  AlarmChanges finish();

  bool is_open(const AlarmKey& key) const { return open_.alarms.contains(key); }
  AlarmMemory& memory() { return memory_; }
  Now now() const { return now_; }
  const AlarmsOpen& open() const { return open_; }

 private:
  using Track = AlarmMemory::Track;
  void raise(const AlarmRule& rule, const AlarmKey& key, const Sight& sight, const WordsOf& words);
  void go_on(const AlarmRule& rule, const Alarm& row, const Sight& sight, const WordsOf& words);
  void end(const Alarm& row, std::optional<double> value, const WordsOf& words);
  void end_without_rule();
  bool is_on(const AlarmKey& key) const;
  std::string why_quiet(const AlarmRule& rule, const Alarm& alarm, const Track& track) const;
  void consider_telling(const AlarmRule& rule, const Alarm& alarm);
  void tell(const AlarmRule& rule, Alarm alarm, Track& track);
  bool is_over(const Silence& silence) const;

  const AlarmRules& rules_;
  AlarmMemory& memory_;
  const AlarmsOpen& open_;
  Now now_;
  Microseconds gap_{0};                // Since the last look.
  std::map<AlarmKey, Alarm> changed_;  // And raised.
  std::set<AlarmKey> over_;
  AlarmChanges changes_;
};

}  // namespace gpusched
