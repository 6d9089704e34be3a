// What a look at the alarms is about: plain values, gathered once per second. Absent is unknown,
// and what is unknown neither raises an alarm nor ends one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/card_view.h"
#include "core/model/health.h"
#include "core/model/ids.h"

namespace gpusched {

struct CardFacts {
  CardNumber number{};
  CardCondition condition = CardCondition::kUnseen;
  std::string reason = {};           // Why it is not seen.
  std::optional<Boot> read_at = {};  // When temperatures, load and clocks were read.
  std::optional<double> temperature = {}, memory_temperature = {};
  std::optional<double> slowdown = {};  // The temperature at which it slows itself down.
  std::optional<double> busy_percent = {};
  std::optional<bool> hard_throttle = {};                         // By hardware: heat, power brake.
  std::optional<bool> soft_throttle = {};                         // By the driver, for heat.
  std::optional<std::uint64_t> corrected = {}, uncorrected = {};  // Memory errors, counters.
  std::uint64_t whole_bytes = 0;
  std::optional<std::uint64_t> used_bytes = {}, foreign_bytes = {};
  std::uint64_t held_bytes = 0;                       // By the grants of jobs,
  std::optional<std::uint64_t> used_by_jobs = {};     // and what these have in fact.
  std::optional<std::string> drained_by_health = {};  // Why; empty: it is not.
  bool drained_by_hand = false;
  std::optional<JobId> fits = {};                // It is free, and this job waits.
  std::string fits_user = {}, fits_tenant = {};  // Whose that is.
};

struct XidFact {
  CardNumber card{};
  TroubleKind kind = TroubleKind::kXid;
  std::uint64_t number = 0;
  std::vector<std::string> users = {};  // Who had jobs there.
};

// Jobs of one program that ended since the last look.
struct EndedFact {
  std::string user, tenant, program;
  std::uint64_t failed = 0;
  std::uint64_t failed_last = 0;  // Of these, after the last that went well.
  bool went_well = false;
  JobId last_failed{};
  std::string how = {};  // The last one failed.
};

struct IdleHolderFact {
  std::string subject;  // "job 7", "process 4711".
  std::string user, tenant;
  std::optional<JobId> job = {};
  std::optional<CardNumber> card = {};
  Wall idle_since{};
  std::uint64_t vram_bytes = 0;
};

struct WaitFact {
  JobId job{};
  std::string user, tenant;
  Wall since{};
  std::uint64_t waiting = 0;  // Jobs that wait, in all.
};

struct QuotaFact {
  std::string tenant;
  std::string what;  // "holds 6 cards, its quota is 4".
};

struct DiskFact {
  std::uint64_t free_bytes = 0, all_bytes = 0;
};

struct AlarmFacts {
  std::vector<CardFacts> cards = {};
  bool all_cards_seen = false;  // Of each it is known who is on it.
  // Cards, also some that are not listed any more, of which a person has said that nobody waits for
  // them: the configuration leaves them out, or they are drained by hand.
  std::set<CardNumber> not_missed = {};
  std::optional<std::uint64_t> cards_missing = {};
  std::vector<XidFact> xids = {};     // Since the last look,
  std::vector<EndedFact> ended = {};  // likewise.
  std::vector<IdleHolderFact> idle_holders = {};
  std::optional<WaitFact> longest_wait = {};
  std::vector<QuotaFact> over_quota = {};
  std::optional<DiskFact> disk = {};
  std::optional<Microseconds> sampler_silent = {};
  Microseconds sampler_period{0};
  std::optional<Microseconds> slowest_commit = {};  // Of the last time.
  // "job 7 of ml1, job 9 of ml2"; asked for where it is needed.
  std::function<std::string(CardNumber)> who_is_on = {};
  std::function<std::string()> report = {};  // Of the last seven days, as text.
  Seconds utc_offset{0};                     // Of local time.
};

}  // namespace gpusched
