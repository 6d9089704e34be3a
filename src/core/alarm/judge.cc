#include "core/alarm/judge.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace gpusched {
namespace {

// A row that is on is written anew at most so often for its value and words.
constexpr Microseconds kRowsAge = Seconds{60};
// And for a turn to the better or the worse.
constexpr Microseconds kTurnsAge = Seconds{3};
constexpr std::string_view kGathers = "more may come within a moment";
constexpr std::string_view kSilenced = "silence ";

// Of what is not seen any more.
std::string words_of_end(const std::string& subject, AlarmSubject kind) {
  if (kind == AlarmSubject::kTenant) return subject + " is within its quota again";
  if (kind == AlarmSubject::kHolder) return subject + " has ended, or uses its card again";
  if (kind == AlarmSubject::kUser) return "no more jobs of " + subject + " have failed";
  return subject + " is well again";
}

Notice notice_of(const Alarm& alarm) {
  return {.thread = alarm.key.rule + "/" + alarm.key.subject,
          .group = alarm.key.rule,
          .severity = alarm.severity,
          .rule = alarm.key.rule,
          .subject = alarm.key.subject,
          .what = alarm.what,
          .whom = alarm.whom,
          .since = alarm.since,
          .advice = alarm.advice,
          .job = alarm.job,
          .card = alarm.card};
}

}  // namespace

Standing standing_above(double value, double threshold, double clear_at) {
  if (value >= threshold) return Standing::kBad;
  return value <= clear_at || clear_at >= threshold ? Standing::kWell : Standing::kBetween;
}

Standing standing_below(double value, double threshold, double clear_at) {
  if (value < threshold) return Standing::kBad;
  return value >= clear_at ? Standing::kWell : Standing::kBetween;
}

Judge::Judge(const AlarmRules& rules, AlarmMemory& memory, const AlarmsOpen& open, Now now)
    : rules_(rules), memory_(memory), open_(open), now_(now) {
  memory_.clock.look(now);
  if (!memory_.first_look) memory_.first_look = now.boot;
  if (memory_.last_look) gap_ = now.boot - *memory_.last_look;
  memory_.last_look = now.boot;
  ++memory_.looks;
}

void Judge::see(const AlarmRule& rule, Sight sight, const WordsOf& words) {
  const AlarmKey key{rule.name, sight.subject};
  const auto row = open_.alarms.find(key);
  const bool on = row != open_.alarms.end();
  if (!on && sight.standing != Standing::kBad) {
    const auto known = memory_.tracks.find(key);
    if (known == memory_.tracks.end()) return;
    if (sight.standing != Standing::kUnknown) {
      memory_.tracks.erase(known);
      return;
    }
    // The time in which nobody knows does not count.
    if (known->second.bad_since) *known->second.bad_since += gap_;
    known->second.look = memory_.looks;
    return;
  }
  Track& track = memory_.tracks[key];
  track.look = memory_.looks;
  track.event = sight.event;
  track.gather = sight.gather;
  switch (sight.standing) {
    case Standing::kUnknown:
      if (track.well_since) *track.well_since += gap_;
      return;
    case Standing::kBad:
      track.well_since.reset();
      if (!track.bad_since)
        track.bad_since = std::min(now_.boot, sight.seen_at.value_or(now_.boot));
      break;
    case Standing::kBetween:
      track.well_since.reset();
      break;
    case Standing::kWell:
      track.bad_since.reset();
      if (!track.well_since) track.well_since = now_.boot;
      break;
  }
  if (!on) {
    if (now_.boot - *track.bad_since >= sight.hold.value_or(rule.hold)) {
      raise(rule, key, sight, words);
    }
    return;
  }
  const bool well_for_long =
      track.well_since && now_.boot - *track.well_since >= sight.clear_for.value_or(rule.clear_for);
  if (well_for_long) {
    return end(row->second, sight.value ? sight.value : row->second.value, words);
  }
  go_on(rule, row->second, sight, words);
}

void Judge::raise(const AlarmRule& rule, const AlarmKey& key, const Sight& sight,
                  const WordsOf& words) {
  Track& track = memory_.tracks[key];
  AlarmWords said = words(false);
  Alarm alarm{.key = key,
              .severity = sight.severity.value_or(rule.severity),
              .what = std::move(said.what),
              .whom = std::move(said.whom),
              .advice = std::move(said.advice),
              .since = now_.wall - (now_.boot - *track.bad_since),
              .value = sight.value};
  alarm.card = sight.card;
  alarm.job = sight.job;
  alarm.user = sight.user;
  alarm.tenant = sight.tenant;
  track.written_at = now_.boot;
  track.said_well = false;
  changed_.emplace(key, std::move(alarm));
}

void Judge::go_on(const AlarmRule& rule, const Alarm& row, const Sight& sight,
                  const WordsOf& words) {
  Track& track = memory_.tracks[row.key];
  if (!track.written_at) track.written_at = now_.boot;
  const Severity severity = std::max(row.severity, sight.severity.value_or(rule.severity));
  const bool worse = severity > row.severity;
  const bool gathered = track.gather > Seconds{0} && !row.told_at && track.bad_since &&
                        now_.boot - *track.bad_since >= track.gather;
  const Microseconds age = now_.boot - *track.written_at;
  const bool old = sight.value != row.value && age >= kRowsAge;
  const bool well = track.well_since.has_value();
  const bool turned = track.said_well != well && (age >= kTurnsAge || !track.said_well);
  if (!worse && !gathered && !old && !turned) return;
  AlarmWords said = words(well);
  if (well) {
    const AlarmWords before = words(false);
    said.whom = before.whom;
    said.what +=
        "; it is over if that lasts " + format_duration(sight.clear_for.value_or(rule.clear_for));
  }
  track.said_well = well;
  Alarm alarm = row;
  alarm.severity = severity;
  if (sight.value) alarm.value = sight.value;
  alarm.what = std::move(said.what);
  alarm.whom = std::move(said.whom);
  alarm.advice = std::move(said.advice);
  if (sight.job) alarm.job = sight.job;
  if (worse) track.tell_again = true;
  track.written_at = now_.boot;
  if (alarm != row) changed_.insert_or_assign(row.key, std::move(alarm));
}

void Judge::end(const Alarm& row, std::optional<double> value, const WordsOf& words) {
  over_.insert(row.key);
  changed_.erase(row.key);
  const auto track = memory_.tracks.find(row.key);
  const bool event = track != memory_.tracks.end() && track->second.event;
  const std::optional<double> told = track != memory_.tracks.end() && track->second.told_value
                                         ? track->second.told_value
                                         : row.value;
  AlarmWords said = words(true);
  if (track != memory_.tracks.end()) memory_.tracks.erase(track);
  if (!row.told_at || row.told_to.empty()) return;
  // Of what happened everything was said, unless more of it has come.
  if (event && (!value || value <= told)) return;
  Notice notice = notice_of(row);
  notice.group += "/over";
  notice.resolved = true;
  notice.what = std::move(said.what);
  notice.advice = std::move(said.advice);
  changes_.notices.push_back({std::move(notice), row.told_to});
}

void Judge::end_unseen(const AlarmRule& rule) {
  std::vector<const Alarm*> unseen;
  const AlarmKey first{rule.name, ""};
  for (auto it = open_.alarms.lower_bound(first); it != open_.alarms.end(); ++it) {
    if (it->first.rule != rule.name) break;
    const auto track = memory_.tracks.find(it->first);
    if (track == memory_.tracks.end() || track->second.look != memory_.looks) {
      unseen.push_back(&it->second);
    }
  }
  for (const Alarm* row : unseen) {
    Sight sight{.subject = row->key.subject, .standing = Standing::kWell};
    sight.event = rule.kind == AlarmKind::kJobFailed || rule.kind == AlarmKind::kXid;
    see(rule, std::move(sight), [row, &rule](bool) {
      return AlarmWords{.what = words_of_end(row->key.subject, alarm_kind_row(rule.kind).subject),
                        .whom = row->whom};
    });
  }
}

// Whose rule is gone or switched off: nobody is told.
void Judge::end_without_rule() {
  for (const auto& [key, alarm] : open_.alarms) {
    const AlarmRule* rule = rules_.find(key.rule);
    if (rule != nullptr && rule->enabled) continue;
    over_.insert(key);
    memory_.tracks.erase(key);
  }
}

bool Judge::is_on(const AlarmKey& key) const {
  if (over_.contains(key)) return false;
  return changed_.contains(key) || open_.alarms.contains(key);
}

// By boot time from its beginning on: a clock that jumps neither ends nor lengthens it.
bool Judge::is_over(const Silence& silence) const {
  return now_.boot >= memory_.clock.boot_of(silence.from) + (silence.until - silence.from);
}

std::string Judge::why_quiet(const AlarmRule& rule, const Alarm& alarm, const Track& track) const {
  for (const auto& [id, silence] : open_.silences) {
    if (matches(silence, alarm.key) && !is_over(silence)) {
      return std::string(kSilenced) + std::to_string(id);
    }
  }
  for (const std::string& other : rule.inhibited_by) {
    if (other == rule.name) continue;
    if (is_on({other, alarm.key.subject}) || is_on({other, std::string(kTheMachine)})) {
      return "inhibited by " + other;
    }
  }
  const bool gathers = track.gather > Seconds{0} && !alarm.told_at && track.bad_since &&
                       now_.boot - *track.bad_since < track.gather;
  return gathers ? std::string(kGathers) : std::string();
}

void Judge::tell(const AlarmRule& rule, Alarm alarm, Track& track) {
  alarm.told_at = now_.wall;
  alarm.told_to = rules_.receivers_of(rule);
  track.told_at = now_.boot;
  track.told_value = alarm.value;
  track.tell_again = false;
  if (!alarm.told_to.empty()) changes_.notices.push_back({notice_of(alarm), alarm.told_to});
  changed_.insert_or_assign(alarm.key, std::move(alarm));
}

void Judge::consider_telling(const AlarmRule& rule, const Alarm& before) {
  Track& track = memory_.tracks[before.key];
  if (before.told_at && !track.told_at) track.told_at = memory_.clock.boot_of(*before.told_at);
  if (before.told_at && !track.told_value) track.told_value = before.value;
  Alarm alarm = before;
  alarm.quiet_because = why_quiet(rule, alarm, track);
  if (!alarm.quiet_because.empty()) {
    if (alarm.quiet_because != before.quiet_because) changed_.insert_or_assign(alarm.key, alarm);
    return;
  }
  const bool silence_ended = before.quiet_because.starts_with(kSilenced);
  const bool again = alarm.told_at && !track.event && rule.repeat > Seconds{0} &&
                     now_.boot - *track.told_at >= rule.repeat;
  if (!alarm.told_at || silence_ended || again || track.tell_again) {
    return tell(rule, std::move(alarm), track);
  }
  if (!before.quiet_because.empty()) changed_.insert_or_assign(alarm.key, alarm);
}

void Judge::tell_report(const AlarmRule& rule, const AlarmFacts& facts) {
  constexpr Seconds kDay{24 * 3600};
  constexpr Seconds kWeek{7 * 24 * 3600};
  const AlarmKey key{rule.name, std::string(kLastReport)};
  const auto row = open_.alarms.find(key);
  Alarm last{.key = key, .severity = Severity::kInfo, .what = "the last report"};
  if (row != open_.alarms.end()) last = row->second;
  const auto put = [&] {
    last.since = now_.wall;
    last.told_at = now_.wall;
    changed_.insert_or_assign(key, last);
  };
  memory_.tracks[key].look = memory_.looks;
  // The first time, and after a clock that was wrong: from now on.
  if (!last.told_at || *last.told_at > now_.wall + kDay) return put();
  // The last such time of the week before now. 1970-01-01 was a Thursday.
  const Seconds local =
      std::chrono::floor<Seconds>(now_.wall.time_since_epoch()) + facts.utc_offset;
  const Seconds in_week =
      Seconds{((rule.weekly.weekday + 3) % 7) * kDay.count()} + rule.weekly.since_midnight;
  const Seconds past = ((local - in_week) % kWeek + kWeek) % kWeek;
  const Wall due = now_.wall - past;
  if (*last.told_at >= due) return;
  put();
  Notice notice{.thread = rule.name,
                .severity = Severity::kInfo,
                .rule = rule.name,
                .subject = std::string(kTheMachine),
                .what = "what the cards did in the last seven days",
                .since = now_.wall - kWeek,
                .advice = "more of it: gpusched report --since 7d"};
  if (facts.report) notice.attachment = facts.report();
  changes_.notices.push_back({std::move(notice), rules_.receivers_of(rule)});
}

AlarmChanges Judge::finish() {
  end_without_rule();
  for (const auto& [id, silence] : open_.silences) {
    if (is_over(silence)) changes_.silences_over.push_back(id);
  }
  std::vector<const Alarm*> on;
  for (const auto& [key, alarm] : open_.alarms) {
    if (!over_.contains(key) && !changed_.contains(key)) on.push_back(&alarm);
  }
  const std::map<AlarmKey, Alarm> fresh = changed_;
  for (const auto& [key, alarm] : fresh) on.push_back(&alarm);
  std::ranges::sort(on, {}, [](const Alarm* alarm) { return alarm->key; });
  for (const Alarm* alarm : on) {
    if (!is_alarm(*alarm)) continue;
    const AlarmRule* rule = rules_.find(alarm->key.rule);
    if (rule != nullptr && rule->enabled) consider_telling(*rule, *alarm);
  }
  for (auto& [key, alarm] : changed_) changes_.put.push_back(std::move(alarm));
  changes_.removed.assign(over_.begin(), over_.end());
  // Of what is neither on nor seen any more nothing is remembered.
  std::erase_if(memory_.tracks, [this](const auto& entry) {
    return entry.second.look != memory_.looks && !open_.alarms.contains(entry.first);
  });
  return std::move(changes_);
}

}  // namespace gpusched
