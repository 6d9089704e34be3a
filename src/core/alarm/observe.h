// What each kind of rule looks at. A rule sees its subjects one by one and says how they stand; the
// judge does the rest.
#pragma once

#include "core/alarm/facts.h"
#include "core/alarm/judge.h"
#include "core/alarm/rule.h"

namespace gpusched {

void observe_card_lost(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_temperature(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_throttling(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_xid(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_ecc(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_health(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_foreign_vram(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_vram_full(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_idle_card(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);

void observe_idle_holder(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_long_wait(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_job_failed(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_failures_in_row(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_over_quota(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);

void observe_disk_low(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_sampler_stalled(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);
void observe_store_slow(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts);

// What several rules of a kind need: counted once per look, before they look.
void remember_events(AlarmMemory& memory, const AlarmFacts& facts, Now now);

}  // namespace gpusched
