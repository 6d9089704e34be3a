// The numbers that decisions depend on; every one is a setting (docs/guide/configure.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/time.h"
#include "core/model/adaptive_rules.h"
#include "core/model/card_health.h"
#include "core/model/estimate_rules.h"
#include "core/model/mps.h"
#include "core/model/receiver.h"

namespace gpusched {

// Which of several cards that fit a job gets.
enum class Placement : std::uint8_t {
  kPack,        // Where least is lost for those who wait; large holes stay.
  kSpread,      // The emptiest.
  kRoundRobin,  // The one that was given least often.
};

// What foreign processes that compute on a card mean for jobs that could start there.
enum class ForeignLoad : std::uint8_t {
  kWait,    // Their load counts like that of jobs.
  kIgnore,  // Only their memory counts.
};

// Moving jobs aside for more important ones (docs/preemption.md).
struct RoomRules {
  int distance = 1;              // So many bands must lie between the two.
  Seconds run_least{30};         // Nobody is moved who has computed for less.
  Seconds cool_down{120};        // Nobody is moved again sooner after a move.
  int moves_most = 20;           // Nobody is moved more often.
  Seconds aside_most{6 * 3600};  // A job that was away for longer goes before all others.
  // Inside a band, who has had little of the cards goes before who has had much (policy/timeshare).
  bool timeshare = false;
  // A job or lease that has held VRAM for so long without using its card goes for anybody. 0:
  // never.
  Seconds idle_after{0};
  // Whether such a one stays away until its process is active again, as long as others wait.
  bool return_on_use = true;
  // Jobs of a tenant that holds more than its quota, because that was lowered, are moved aside.
  bool over_quota = false;
  std::uint64_t ram_reserve_bytes = 2ULL << 30;  // Of host RAM, what moves never take.
};

struct Rules {
  Placement placement = Placement::kPack;
  // Sharing a card: what is never handed out, and how much compute may be promised.
  std::uint64_t headroom_bytes_least = 512ULL << 20;
  int headroom_percent = 5;
  int share_cap_percent = 90;
  bool sharing = true;
  ForeignLoad foreign_load = ForeignLoad::kWait;
  // A process that has held memory for so long without using the card is named.
  Seconds idle_named_after{600};
  // Programs of the desktop, separated by commas: their memory counts, their load does not.
  std::string ignored_programs =
      "Xorg,Xwayland,gnome-shell,kwin_wayland,kwin_x11,plasmashell,cinnamon";
  AdaptiveRules adaptive_cap = {};
  // A job that says nothing about its memory starts on a card of which this much is free.
  int undeclared_free_percent = 80;
  // Beyond these a card gets nothing new.
  HealthLimits health;
  EstimateRules estimates = {};
  MpsUse mps = MpsUse::kOff;
  Preemption preemption = Preemption::kAuto;
  RoomRules room = {};
  // A job above its VRAM limit is stopped for so long before it is ended. 0: it is ended at once.
  Seconds vram_limit_pause{60};
  // Cards that the machine should have; 0: however many there are.
  int cards_expected = 0;
  // A job that has waited longer comes first in its band.
  Seconds overdue_after{24 * 3600};
  // A job whose deadline leaves less than this, and half its run time, comes first in its band.
  Seconds deadline_slack{600};
  // What a tenant used counts half as much after this time. 0: not at all, no fair share.
  Seconds usage_half_life{7 * 24 * 3600};
  // Users may reserve cards in advance, for themselves; administrators always may.
  bool users_may_reserve = false;
  // Crash guard: a sweep whose first N ended jobs all failed within T is held.
  int crash_guard_count = 5;
  Seconds crash_guard_within{10};
  // Ended jobs are kept this long, and at most this many.
  Seconds keep_ended_for{30 * 24 * 3600};
  std::size_t keep_ended_most = 50'000;
  // Of those, leases.
  std::size_t keep_leases_most = 1'000;
  // Sums of work: day by day for so long, then month by month; 0 in all: nothing is counted.
  Seconds work_daily_for{100 * 24 * 3600};
  Seconds work_keep_for{730 * 24 * 3600};
  // What happened on the cards: how long, and how many spans (past_span.h). 0: nothing is kept.
  Seconds past_keep_for{35 * 24 * 3600};
  std::size_t past_most = 200'000;
  // The audit: how long, and how many changes (audit.h).
  Seconds audit_keep{180 * 24 * 3600};
  std::size_t audit_most = 50'000;
  // Jobs that one submission may have, and jobs that may wait in all.
  std::uint64_t submission_jobs_most = 1'000'000;
  std::uint64_t queued_jobs_most = 2'000'000;
  // A turn looks at no more shapes than this; docs/adr has the reasoning.
  std::size_t shapes_scanned_most = 1000;
  // Messages that may wait for one receiver, and how long each waits for others of its group.
  std::size_t outbox_most = 1000;
  Seconds group_wait{5};
  std::shared_ptr<const Receivers> receivers = {};  // Null: there are none.
  const Receivers& known_receivers() const {
    static const Receivers none;
    return receivers ? *receivers : none;
  }
};

}  // namespace gpusched
