#include "core/alarm/look.h"

#include "core/alarm/judge.h"
#include "core/alarm/observe.h"

namespace gpusched {
namespace {

void observe(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  switch (rule.kind) {
    case AlarmKind::kCardLost:
      return observe_card_lost(judge, rule, facts);
    case AlarmKind::kTemperature:
      return observe_temperature(judge, rule, facts);
    case AlarmKind::kThrottling:
      return observe_throttling(judge, rule, facts);
    case AlarmKind::kXid:
      return observe_xid(judge, rule, facts);
    case AlarmKind::kEcc:
      return observe_ecc(judge, rule, facts);
    case AlarmKind::kHealth:
      return observe_health(judge, rule, facts);
    case AlarmKind::kForeignVram:
      return observe_foreign_vram(judge, rule, facts);
    case AlarmKind::kVramFull:
      return observe_vram_full(judge, rule, facts);
    case AlarmKind::kIdleCard:
      return observe_idle_card(judge, rule, facts);
    case AlarmKind::kIdleHolder:
      return observe_idle_holder(judge, rule, facts);
    case AlarmKind::kLongWait:
      return observe_long_wait(judge, rule, facts);
    case AlarmKind::kJobFailed:
      return observe_job_failed(judge, rule, facts);
    case AlarmKind::kFailuresInRow:
      return observe_failures_in_row(judge, rule, facts);
    case AlarmKind::kOverQuota:
      return observe_over_quota(judge, rule, facts);
    case AlarmKind::kDiskLow:
      return observe_disk_low(judge, rule, facts);
    case AlarmKind::kSamplerStalled:
      return observe_sampler_stalled(judge, rule, facts);
    case AlarmKind::kStoreSlow:
      return observe_store_slow(judge, rule, facts);
    case AlarmKind::kWeeklyReport:
      return judge.tell_report(rule, facts);
  }
}

}  // namespace

AlarmChanges look(const AlarmRules& rules, const AlarmFacts& facts, AlarmMemory& memory,
                  const AlarmsOpen& open, Now now) {
  Judge judge(rules, memory, open, now);
  remember_events(memory, facts, now);
  for (const AlarmRule& rule : rules.all) {
    if (rule.enabled) observe(judge, rule, facts);
  }
  return judge.finish();
}

}  // namespace gpusched
