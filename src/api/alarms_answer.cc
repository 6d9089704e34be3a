#include "api/alarms_answer.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/alarm/open.h"

namespace gpusched {
namespace {

wire::Alarm alarm_row(const Alarm& alarm, const Veil& veil) {
  wire::Alarm row{.rule = alarm.key.rule,
                  .subject = veil.over(alarm.key.subject),
                  .severity = std::string(severity_name(alarm.severity)),
                  .what = veil.over(alarm.what),
                  .whom = veil.over(alarm.whom),
                  .advice = veil.over(alarm.advice),
                  .since = alarm.since,
                  .value = alarm.value,
                  .told_at = alarm.told_at,
                  .told_to = alarm.told_to,
                  .quiet_because = alarm.quiet_because};
  if (alarm.card) row.card = number_of(*alarm.card);
  if (alarm.job && veil.sees(*alarm.job)) row.job = number_of(*alarm.job);
  row.user = alarm.user;
  return row;
}

}  // namespace

bool hides_alarm(const Veil& veil, const std::string& user, const std::string& tenant) {
  if (!veil.covers()) return false;
  if (!user.empty() && !veil.sees_user(user)) return true;
  return user.empty() && !tenant.empty() && !veil.sees_tenant(tenant);
}

std::vector<wire::Alarm> alarms_for(const Context& context, const Veil& veil) {
  std::vector<const Alarm*> on;
  for (const auto& [key, alarm] : context.state().alarms()) {
    if (is_alarm(alarm) && !hides_alarm(veil, alarm.user, alarm.tenant)) on.push_back(&alarm);
  }
  std::ranges::stable_sort(on, [](const Alarm* a, const Alarm* b) {
    return std::tie(b->severity, a->since) < std::tie(a->severity, b->since);
  });
  std::vector<wire::Alarm> rows;
  rows.reserve(on.size());
  for (const Alarm* alarm : on) rows.push_back(alarm_row(*alarm, veil));
  return rows;
}

}  // namespace gpusched
