// All that the scheduler knows, and the indexes that keep a turn from looking at every job: for
// those who read it. How it changes is in state.h, which they need not know.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/model/card.h"
#include "core/model/group.h"
#include "core/model/job.h"
#include "core/model/move_rates.h"
#include "core/model/reservation.h"
#include "core/model/rules.h"
#include "core/state/disk_use.h"
#include "core/state/durable.h"
#include "core/state/ended_book.h"
#include "core/state/ended_environments.h"
#include "core/state/estimates.h"
#include "core/state/holds.h"
#include "core/state/lease_book.h"
#include "core/state/outbox_book.h"
#include "core/state/pending.h"
#include "core/state/seen.h"
#include "core/state/tenant_book.h"

namespace gpusched {

struct Counts {
  // paused: all that are moved aside, or on their way out or back.
  std::uint64_t held = 0, queued = 0, starting = 0, running = 0, paused = 0;
  std::uint64_t completed = 0, failed = 0, cancelled = 0;
  std::uint64_t waiting() const { return held + queued; }
  std::uint64_t active() const { return starting + running + paused; }
  std::uint64_t total() const { return waiting() + active() + completed + failed + cancelled; }
  friend bool operator==(const Counts&, const Counts&) = default;
};
// The one of them that counts jobs in this state.
std::uint64_t& counter_of(Counts& counts, const JobState& state);

class StateView {
 public:
  const Rules& rules() const { return rules_; }
  const HostCapacity& host() const { return host_; }
  const std::vector<Card>& cards() const { return cards_; }
  const CardHolds& holds_on(std::size_t card_index) const { return card_holds_[card_index]; }
  const Seen& seen() const { return seen_; }
  const CardView& view_of(std::size_t card_index) const { return seen_.views[card_index]; }
  const Estimates& estimates() const { return estimates_; }
  const HostHolds& host_holds() const { return host_holds_; }
  // Position in cards() of a card's number, if there is such a card.
  std::optional<std::size_t> index_of(CardNumber number) const;

  // Nothing new is taken and nothing started: there would be no room for its records.
  bool disk_full() const { return disk_full_; }
  // What each tenant's jobs keep on that disk.
  const DiskUse& disk_use() const { return disk_use_; }
  // How many cards fewer are there than the configuration expects.
  std::uint64_t cards_missing() const;

  const std::map<JobId, Job>& jobs() const { return tables_.jobs.rows; }  // By id.
  const Job* find(JobId id) const;
  const Counts& counts() const { return counts_; }
  // Jobs that are starting or running, by id.
  const std::set<JobId>& active() const { return active_; }
  // Of those, the ones that are moved aside, or on their way out or back.
  const std::set<JobId>& aside() const { return aside_; }
  // Some job is active in a band that is less important than this one (band_rank()).
  bool any_active_below(int band) const;
  // Eligible jobs by shape, in order; what decide() reads.
  const Pending& pending() const { return pending_; }
  // Of the eligible jobs that have never run, the one that was submitted first.
  std::optional<JobId> waits_longest() const;
  // Held jobs, and queued ones that wait for a time or for another job.
  const std::set<JobId>& asleep() const { return asleep_; }
  // Waiting jobs that depend on `id`.
  std::vector<JobId> dependents_of(JobId id) const;
  // Ended jobs, oldest end first.
  const EndedBook::ByEnd& ended() const { return ended_.all(); }
  const EndedBook& ended_book() const { return ended_; }
  const EndedEnvironments& environments() const { return environments_; }
  // The newest jobs of a user, newest first.
  std::vector<JobId> newest_of(const Principal& owner, std::size_t most) const;
  // True while the submission a job belongs to is not complete: the job does not exist for users.
  bool in_open_submission(JobId id) const;

  const LeaseBook& leases() const { return leases_; }
  const std::map<std::string, Drain>& drains() const { return tables_.drains.rows; }  // By UUID.
  const std::map<std::string, MoveRates>& move_rates() const {
    return tables_.move_rates.rows;
  }  // By UUID.
  // What moves on a card have shown; null: nothing.
  const MoveRates* rates_of(CardNumber card) const;
  const TenantBook& tenants() const { return tenants_; }
  // Jobs of a tenant that wait, with those of submissions that are not released yet.
  std::uint64_t waiting_of(const std::string& tenant) const;
  // Advance reservations by id, without those of the calendar.
  const std::map<std::uint64_t, Reservation>& reservations() const {
    return tables_.reservations.rows;
  }
  const std::vector<Reservation>& calendar() const { return calendar_; }
  const CardReservations& card_reservations() const { return card_reservations_; }
  std::uint64_t next_reservation() const { return next_reservation_; }
  const std::map<std::string, Group>& groups() const { return tables_.groups.rows; }
  const std::map<std::string, Token>& tokens() const { return tables_.tokens.rows; }  // By id.
  const std::map<KeptChangeKey, KeptChange>& kept_changes() const {
    return tables_.kept_changes.rows;
  }
  const std::map<std::uint64_t, Message>& messages() const { return tables_.messages.rows; }
  const OutboxBook& outbox() const { return outbox_; }
  // The message that is on its way to a receiver, if one is. Not kept: a restart knows of none.
  std::optional<std::uint64_t> sending(const std::string& receiver) const;
  // True: it is not on its way, and cannot be since before a restart. More can be counted in it.
  bool takes_more(const Message& message) const;
  // What was done, day by day: days first, then months.
  const std::map<WorkKey, WorkSum>& work() const { return tables_.work.rows; }
  // Alarms that are on, and silences.
  const std::map<AlarmKey, Alarm>& alarms() const { return tables_.alarms.rows; }
  const std::map<std::uint64_t, Silence>& silences() const { return tables_.silences.rows; }
  int active_in_group(const std::string& name) const;
  std::uint64_t waiting_in_group(const std::string& name) const;
  int active_in_array(JobId array) const;
  // Of the jobs of an array or sweep that are still kept; null: there are none.
  const Counts* counts_of_array(JobId array) const;
  // Of a sweep of which several jobs are kept, so that one line can stand for them.
  bool in_sweep(const Job& job) const;
  // The last job of an array that is still kept. REQUIRES: there is one.
  JobId last_of_array(JobId array) const;
  bool guarded(JobId array) const { return guarded_.contains(array); }
  // True if the first jobs of a sweep all died at once, and enough of them have.
  bool sweep_crashed(JobId array) const;
  const Submission* find_submission(const std::string& tenant, const std::string& key) const;
  const std::map<std::uint64_t, Submission>& submissions() const {
    return tables_.submissions.rows;
  }
  JobId next_job() const { return next_job_; }

 protected:
  // A range of jobs that came in slices and are not in the indexes yet.
  struct Staged {
    JobId end{};  // One past the last.
    std::uint64_t submission = 0;
    friend bool operator==(const Staged&, const Staged&) = default;
  };
  // How the first jobs of a sweep fared.
  struct SweepRecord {
    int quick_failures = 0;
    int others = 0;
    friend bool operator==(const SweepRecord&, const SweepRecord&) = default;
  };

  StateView(Rules rules, HostCapacity host) : rules_(rules), host_(host) {}
  // It is copied as a State, or not at all.
  StateView(const StateView&) = default;
  StateView(StateView&&) = default;
  StateView& operator=(const StateView&) = default;
  StateView& operator=(StateView&&) = default;
  ~StateView() = default;

  const Staged* staged(JobId id) const;

  Rules rules_;
  HostCapacity host_;
  bool disk_full_ = false;
  DiskUse disk_use_;
  std::vector<Card> cards_;
  std::vector<CardHolds> card_holds_;
  Seen seen_;
  Estimates estimates_;
  HostHolds host_holds_;

  Durable<Table> tables_;  // Tenants and past runs have books of their own.
  Counts counts_;
  std::set<JobId> active_;
  std::set<JobId> aside_;
  std::array<int, kBands> active_in_band_{};
  Pending pending_;
  std::set<JobId> asleep_;  // Held, or queued but not eligible yet.
  // Eligible jobs by submit time: those that are not overdue, and those that are.
  std::set<std::pair<Wall, JobId>> fresh_, overdue_;
  EndedBook ended_;
  EndedEnvironments environments_;
  LeaseBook leases_;
  std::unordered_map<JobId, std::vector<JobId>> dependents_;  // Waiting jobs by what they wait for.
  TenantBook tenants_;
  std::vector<Reservation> calendar_;
  CardReservations card_reservations_;  // Of both.
  std::uint64_t next_reservation_ = 1;
  std::unordered_map<std::string, int> active_in_group_;
  std::unordered_map<std::string, std::uint64_t> waiting_in_group_;
  std::unordered_map<JobId, Counts> array_counts_;  // By the array's first job.
  std::unordered_map<JobId, SweepRecord> sweeps_;
  std::set<JobId> guarded_;  // Arrays that the crash guard stopped.
  std::map<std::pair<std::string, std::string>, std::uint64_t> keys_;
  std::map<JobId, Staged> staged_;  // By first job.
  JobId next_job_{1};
  OutboxBook outbox_;
  std::map<std::string, std::uint64_t> sending_;  // By receiver.
  std::set<std::uint64_t> doubted_;  // May have been on their way when the last daemon ended.
};

// What an active job takes of a card besides what it was given there.
UngrantedUse ungranted_of(const StateView& state, const Job& job, CardNumber card);

// What the last look shows on a card of a job that is believed to have left it. A restore that
// nobody waited for, or a driver in disorder: whatever it is, it is there.
std::uint64_t seen_while_away(const StateView& state, const Job& job, std::size_t card_index);

// The first of a holder's leases on a card, by the holder's process.
std::optional<AttemptId> lease_on(const StateView& state, int pid, CardNumber card);

}  // namespace gpusched
