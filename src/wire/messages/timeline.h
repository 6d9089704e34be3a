// Answers about the past and the planned occupancy of the cards.
#pragma once

#include "base/time.h"
#include "wire/message.h"

namespace gpusched::wire {

struct TimelineSpan {
  int card = 0;
  std::uint64_t job = 0;
  int attempt = 0;
  std::string kind;
  std::optional<Wall> from, until;
  std::string state, cause, name, user;
  std::optional<std::uint64_t> vram_bytes;
  bool whole = false;
  std::optional<std::uint64_t> for_job;
  std::string mechanism;

  static constexpr std::string_view kName = "TimelineSpan";
  static constexpr auto fields() {
    using Self = TimelineSpan;
    return std::make_tuple(
        field("card", &Self::card), field("job", &Self::job), field("attempt", &Self::attempt),
        field("kind", &Self::kind, {.words = "run|aside|lease|adopted"}),
        field("from", &Self::from, kAlways),
        field("until", &Self::until, {.what = "null: it goes on"}),
        field("state", &Self::state,
              {.what = "what the job is, or was from the end of the span on: starting, running, "
                       "paused, completed, failed, cancelled or requeued"}),
        field("cause", &Self::cause, kOrNull), field("name", &Self::name, kOrNull),
        field("user", &Self::user), field("vram_bytes", &Self::vram_bytes),
        field("whole", &Self::whole),
        field("for_job", &Self::for_job, {.what = "the job that it made room for"}),
        field("mechanism", &Self::mechanism,
              {.or_null = true, .what = "freeze, checkpoint, cooperative or requeue"}));
  }
};
struct PlannedSpan {
  int card = 0;
  std::uint64_t job = 0;
  std::string kind;
  std::optional<Wall> from, latest, until;
  std::string name, user;
  std::optional<std::uint64_t> vram_bytes;
  bool whole = false;

  static constexpr std::string_view kName = "PlannedSpan";
  static constexpr auto fields() {
    using Self = PlannedSpan;
    return std::make_tuple(field("card", &Self::card), field("job", &Self::job),
                           field("kind", &Self::kind, {.words = "start|return"}),
                           field("from", &Self::from, kAlways), field("latest", &Self::latest),
                           field("until", &Self::until), field("name", &Self::name, kOrNull),
                           field("user", &Self::user), field("vram_bytes", &Self::vram_bytes),
                           field("whole", &Self::whole));
  }
};
struct ExpectedEnd {
  std::uint64_t job = 0;
  std::optional<Wall> expected_end, latest_end;

  static constexpr std::string_view kName = "ExpectedEnd";
  static constexpr auto fields() {
    return std::make_tuple(field("job", &ExpectedEnd::job),
                           field("expected_end", &ExpectedEnd::expected_end),
                           field("latest_end", &ExpectedEnd::latest_end));
  }
};
struct TimelineReservation {
  std::uint64_t id = 0;
  std::string name, user;
  std::vector<int> cards;
  std::optional<Wall> from, until;

  static constexpr std::string_view kName = "TimelineReservation";
  static constexpr auto fields() {
    using Self = TimelineReservation;
    return std::make_tuple(
        field("id", &Self::id, {.what = "0: by the calendar of the configuration"}),
        field("name", &Self::name, kOrNull), field("user", &Self::user, kOrNull),
        field("cards", &Self::cards), field("from", &Self::from, kAlways),
        field("until", &Self::until, kAlways));
  }
};
struct TimelineDrain {
  int card = 0;
  std::optional<Wall> from, until;
  std::string reason;

  static constexpr std::string_view kName = "TimelineDrain";
  static constexpr auto fields() {
    return std::make_tuple(field("card", &TimelineDrain::card),
                           field("from", &TimelineDrain::from, kAlways),
                           field("until", &TimelineDrain::until, {.what = "null: it goes on"}),
                           field("reason", &TimelineDrain::reason, kOrNull));
  }
};
struct TimelineAlarm {
  std::string rule, subject, severity, what;
  std::optional<int> card;
  std::optional<Wall> from, until;

  static constexpr std::string_view kName = "TimelineAlarm";
  static constexpr auto fields() {
    using Self = TimelineAlarm;
    return std::make_tuple(field("rule", &Self::rule), field("subject", &Self::subject),
                           field("severity", &Self::severity, {.words = "info|warning|critical"}),
                           field("what", &Self::what), field("card", &Self::card),
                           field("from", &Self::from, kAlways),
                           field("until", &Self::until, {.what = "null: it is on"}));
  }
};
struct Timeline {
  int schema = 1;
  std::optional<Wall> from, until, now, known_since, planned_at;
  std::vector<TimelineSpan> spans;
  std::vector<PlannedSpan> planned;
  std::vector<ExpectedEnd> ends;
  std::vector<TimelineReservation> reservations;
  std::vector<TimelineDrain> drains;
  std::vector<TimelineAlarm> alarms;
  std::uint64_t left_out = 0;

  static constexpr std::string_view kName = "Timeline";
  static constexpr auto fields() {
    using Self = Timeline;
    return std::make_tuple(
        field("schema", &Self::schema), field("from", &Self::from, kAlways),
        field("until", &Self::until, kAlways), field("now", &Self::now, kAlways),
        field("known_since", &Self::known_since, {.what = "what ended before may be missing"}),
        field("planned_at", &Self::planned_at, {.what = "when the plan was made"}),
        field("spans", &Self::spans), field("planned", &Self::planned), field("ends", &Self::ends),
        field("reservations", &Self::reservations), field("drains", &Self::drains),
        field("alarms", &Self::alarms), field("left_out", &Self::left_out));
  }
};

}  // namespace gpusched::wire
