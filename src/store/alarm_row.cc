#include "store/alarm_row.h"

#include <fmt/format.h>

#include "base/number.h"
#include "base/text.h"
#include "core/alarm/rule.h"

namespace gpusched {
namespace {

std::int64_t us_of(Wall time) { return time.time_since_epoch().count(); }
Wall wall_at(const Statement& row, int column) { return Wall(Microseconds(row.integer(column))); }
std::string words_at(const Statement& row, int column) { return std::string(row.text(column)); }

}  // namespace

Result<void> put_alarm(Statement& put, const Alarm& alarm) {
  // The shortest text that reads back as the same number.
  const auto value = alarm.value ? std::optional(fmt::format("{}", *alarm.value)) : std::nullopt;
  const auto card = alarm.card ? std::optional<std::int64_t>(number_of(*alarm.card)) : std::nullopt;
  const auto job = alarm.job ? std::optional(number_of(*alarm.job)) : std::nullopt;
  std::string told_to;
  for (const std::string& name : alarm.told_to) told_to += (told_to.empty() ? "" : " ") + name;
  return put.run(alarm.key.rule, alarm.key.subject, severity_name(alarm.severity), alarm.what,
                 alarm.whom, alarm.advice, us_of(alarm.since), value,
                 alarm.told_at ? us_of(*alarm.told_at) : 0, alarm.quiet_because, told_to, card, job,
                 alarm.user, alarm.tenant);
}

std::optional<Alarm> read_alarm(const Statement& row) {
  Alarm alarm{.key = {words_at(row, 0), words_at(row, 1)},
              // A word of a newer daemon.
              .severity = severity_named(row.text(2)).value_or(Severity::kWarning),
              .what = words_at(row, 3),
              .whom = words_at(row, 4),
              .advice = words_at(row, 5),
              .since = wall_at(row, 6)};
  if (double value = 0; !row.is_null(7) && whole_number(row.text(7), value)) alarm.value = value;
  if (row.integer(8) != 0) alarm.told_at = wall_at(row, 8);
  alarm.quiet_because = words_at(row, 9);
  for (const std::string_view name : split_nonempty(row.text(10), ' ')) {
    alarm.told_to.emplace_back(name);
  }
  if (const auto card = row.maybe_integer(11)) {
    alarm.card = CardNumber{static_cast<std::uint16_t>(*card)};
  }
  if (const auto job = row.maybe_integer(12)) alarm.job = JobId{static_cast<std::uint64_t>(*job)};
  alarm.user = words_at(row, 13);
  alarm.tenant = words_at(row, 14);
  return alarm;
}

Result<void> put_silence(Statement& put, const Silence& silence) {
  return put.run(silence.id, silence.rule, silence.subject, us_of(silence.from),
                 us_of(silence.until), silence.by, silence.reason);
}

std::optional<Silence> read_silence(const Statement& row) {
  return Silence{.id = static_cast<std::uint64_t>(row.integer(0)),
                 .rule = words_at(row, 1),
                 .subject = words_at(row, 2),
                 .from = wall_at(row, 3),
                 .until = wall_at(row, 4),
                 .by = words_at(row, 5),
                 .reason = words_at(row, 6)};
}

}  // namespace gpusched
