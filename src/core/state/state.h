// All that the scheduler knows, and the indexes that keep a turn from looking at every job.
//
// Mutation goes through one door: put()/remove() of whole values. They keep the indexes true and
// remember what was there before, so that a turn whose commit fails can be undone exactly
// (roll_back) and so that the engine knows what to write (changes).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/model/booking.h"
#include "core/model/card.h"
#include "core/model/card_view.h"
#include "core/model/group.h"
#include "core/model/job.h"
#include "core/model/move_rates.h"
#include "core/model/rules.h"
#include "core/state/adaptive_cap.h"
#include "core/state/asked_looks.h"
#include "core/state/attempt_use.h"
#include "core/state/disk_use.h"
#include "core/state/durable.h"
#include "core/state/ended_book.h"
#include "core/state/ended_environments.h"
#include "core/state/estimates.h"
#include "core/state/foreign_loads.h"
#include "core/state/growth.h"
#include "core/state/holds.h"
#include "core/state/lease_book.h"
#include "core/state/pending.h"
#include "core/state/round_robin.h"
#include "core/state/siblings.h"
#include "core/state/slow_pairs.h"
#include "core/state/tenant_book.h"

namespace gpusched {

struct Counts {
  // paused: all that are moved aside, or on their way out or back.
  std::uint64_t held = 0, queued = 0, starting = 0, running = 0, paused = 0;
  std::uint64_t completed = 0, failed = 0, cancelled = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};

class State {
 public:
  explicit State(Rules rules = {}, HostCapacity host = {}) : rules_(rules), host_(host) {}

  // --- Read ---------------------------------------------------------------------------------
  const Rules& rules() const { return rules_; }
  const HostCapacity& host() const { return host_; }
  const std::vector<Card>& cards() const { return cards_; }
  const CardHolds& holds_on(std::size_t card_index) const { return card_holds_[card_index]; }
  const CardView& view_of(std::size_t card_index) const { return views_[card_index]; }
  const AttemptUses& uses() const { return uses_; }
  // How fast memory grows on a card, as far as it was seen.
  const Growth& growth_on(CardNumber card) const;
  // When an attempt is known to have left its cards; nullopt: by another daemon, or never.
  std::optional<Boot> left_at(AttemptId attempt) const;
  const AskedLooks& looks() const { return looks_; }
  const Estimates& estimates() const { return estimates_; }
  // What running jobs have shown of their programs.
  const Siblings& siblings() const { return siblings_; }
  // The adaptive cap of a card, by its UUID; null: it has none.
  const AdaptiveCap* cap_of(const std::string& uuid) const;
  const HostHolds& host_holds() const { return host_holds_; }
  // Position in cards() of a card's number, if there is such a card.
  std::optional<std::size_t> index_of(CardNumber number) const;

  // Nothing new is taken and nothing started: there would be no room for its records.
  bool disk_full() const { return disk_full_; }
  void set_disk_full(bool full) { disk_full_ = full; }
  // What each tenant's jobs keep on that disk.
  const DiskUse& disk_use() const { return disk_use_; }
  void set_disk_use(DiskUse use) { disk_use_ = std::move(use); }
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
  // Held jobs, and queued ones that wait for a time or for another job.
  const std::set<JobId>& asleep() const { return asleep_; }
  // Waiting jobs that depend on `id`.
  std::vector<JobId> dependents_of(JobId id) const;
  // Ended jobs, oldest end first.
  const EndedBook::ByEnd& ended() const { return ended_.all(); }
  const EndedBook& ended_book() const { return ended_; }
  const EndedEnvironments& environments() const { return environments_; }
  // The newest jobs of a user, newest first.
  std::vector<JobId> newest_of(std::uint32_t uid, std::size_t most) const;
  // True while the submission a job belongs to is not complete: the job does not exist for users.
  bool in_open_submission(JobId id) const;
  // True if jobs of complete submissions wait for release_closed_submissions().
  bool has_closed_to_release() const;

  const LeaseBook& leases() const { return leases_; }
  const CardTurns& turns() const { return turns_; }
  const SlowPairs& slow_pairs() const { return slow_pairs_; }
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
  const std::map<std::uint64_t, Booking>& bookings() const { return tables_.bookings.rows; }
  const std::vector<Booking>& calendar() const { return calendar_; }
  const CardBookings& card_bookings() const { return card_bookings_; }
  std::uint64_t next_booking() const { return next_booking_; }
  const std::map<std::string, Group>& groups() const { return tables_.groups.rows; }
  int active_in_group(const std::string& name) const;
  std::uint64_t waiting_in_group(const std::string& name) const;
  int active_in_array(JobId array) const;
  bool guarded(JobId array) const { return guarded_.contains(array); }
  // True if the first jobs of a sweep all died at once, and enough of them have.
  bool sweep_crashed(JobId array) const;
  const Submission* find_submission(const std::string& tenant, const std::string& key) const;
  const std::map<std::uint64_t, Submission>& submissions() const {
    return tables_.submissions.rows;
  }
  JobId next_job() const { return next_job_; }
  // The next instant at which time alone changes something.
  std::optional<Boot> next_deadline(Now now) const;
  // Waiting jobs whose expiry has come, at most so many.
  std::vector<JobId> expired(Now now, std::size_t most) const;

  // Ends the process if an index disagrees with the jobs. For tests and the simulator.
  void check_invariants() const;
  // Names of the books that are not the same in both: all that follows from the rows, and must not
  // depend on how they came to be. For tests.
  std::vector<std::string> differing_books(const State& other) const;

  // --- Change -------------------------------------------------------------------------------
  void put(Job job, Now now);
  void remove(JobId id);
  // Rows from which nothing else follows; those of which something does are below.
  template <class Row>
  void put(Row row) {
    Table<Row>& table = tables_.of<Row>();
    const RowKey<Row> key = key_of(row);
    table.journal.remember(key, table.find(key));
    table.rows.insert_or_assign(key, std::move(row));
  }
  template <class Row>
  void remove(const RowKey<Row>& key) {
    Table<Row>& table = tables_.of<Row>();
    table.journal.remember(key, table.find(key));
    table.rows.erase(key);
  }
  void put(Drain drain);
  void remove_drain(const std::string& uuid);
  void put(Tenant tenant);
  void remove_tenant(const std::string& name);
  void put(Booking booking);
  void remove_booking(std::uint64_t id);
  // What the configuration's calendar says for the time ahead. Not kept: it is worked out anew.
  void set_calendar(std::vector<Booking> calendar);
  // May remove the past runs that were used longest ago.
  void put(PastRuns past);
  // All at once, for a copy that is only asked questions.
  void believe(const Estimates& estimates, const Siblings& siblings) {
    estimates_ = estimates;
    siblings_ = siblings;
  }
  void put(Submission submission);
  void remove_submission(std::uint64_t id);
  // Lets the jobs of complete submissions into the queue, at most `most` per call.
  // Returns false when nothing is left to release.
  bool release_closed_submissions(std::size_t most, Now now);
  void set_cards(std::vector<Card> cards);
  // A new look at a card. Not part of what roll_back() undoes: the world stays as it was seen.
  void observe(CardNumber card, CardView view);
  // An attempt has left its cards: what was seen of it there before counts no more. Not undone.
  void left_cards(AttemptId attempt, Boot at) { left_[attempt] = at; }
  // One more look says this for or against more sharing. Like what was seen it is not undone.
  void adapt_cap(std::size_t card_index, CapEvidence evidence, Now now);
  // A running job has come to this step.
  void note_pace(const Job& job, std::uint64_t step, Microseconds ran);
  // A running job has shown what it takes on such cards. Like what was seen it is not undone.
  void show_sibling(const Job& job, const std::string& model, std::uint64_t peak_vram_bytes);
  // How cards fare. Like what was seen of them, it is not part of what roll_back() undoes.
  CardRecords& card_records() { return card_records_; }
  // Who looks at cards for a start. Not undone either: a look that was asked for comes.
  AskedLooks& looks() { return looks_; }
  // A grant that was given by turns. A hint for later ones; roll_back() leaves it.
  void count_turns(const Grant& grant) { turns_.count(grant); }
  void set_turns(CardTurns turns) { turns_ = std::move(turns); }
  void set_slow_pairs(SlowPairs pairs) { slow_pairs_ = std::move(pairs); }
  // What an attempt used before this daemon was there, or what its driver says it used.
  void add_use(AttemptId attempt, const GpuUsage& known) { uses_.add_known(attempt, known); }
  void set_progress(AttemptId attempt, Progress progress) { uses_.set_progress(attempt, progress); }
  void set_host(HostCapacity host);
  void set_rules(Rules rules);
  void configure_tenants(ConfiguredTenants configured);
  void set_next_job(JobId id);
  // Adds a line to the job's durable trail.
  void note(const Job& job, const char* kind, std::string text, Now now);
  void set_next_trail_sequence(std::uint64_t sequence) { next_trail_sequence_ = sequence; }
  // Stops an array's jobs from starting until it is released.
  void guard_array(JobId array, bool stop);
  // Looks at a waiting job again: what it waited for may have come.
  void wake(JobId id, Now now);
  // Moves jobs that have become overdue, or whose deadline presses, to the front of their band, and
  // wakes jobs whose begin or retry has come. Some of them; the rest is due at once.
  void advance(Now now);

  // --- What changed since the last keep_changes() or roll_back() -----------------------------
  struct Changes : Durable<Delta> {
    std::vector<TrailEntry> trail;
    bool leases_alone = true;  // Nothing but leases is concerned.
    bool empty() const;
  };
  Changes changes() const;
  bool has_changes() const;
  void keep_changes();
  void roll_back(Now now);

 private:
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

  const Staged* staged(JobId id) const;
  // Of one kind of row: as it is, put in place, taken away. With all that follows from it, but
  // without a memory of what was before.
  template <class Row>
  const Row* find_row(const RowKey<Row>& key) const;
  template <class Row>
  void set_row(Row row, Now now);
  template <class Row>
  void drop_row(const RowKey<Row>& key);
  // The same with that memory.
  template <class Row>
  void change_row(Row row);
  template <class Row>
  void remove_row(RowKey<Row> key);
  bool concerns_leases_alone() const;
  void count_usage(const Job* before, const Job& job, Now now);
  void count_usage_of_all(Now now);
  void index(const Job& job, Now now);
  void unindex(const Job& job);
  void reindex_dependents(JobId id, Now now);
  void index_queued(const Job& job, const Queued& queued, Now now);
  void watch_deadline(const Job& job, Now now);
  void unwatch_deadline(const Job& job);
  void pass_deadline(JobId id, Now now);
  void hold_resources(const Grant& grant, int sign);
  void refresh_beyond(std::size_t card_index);
  void refresh_usable(const std::string& uuid);
  void refresh_bookings();
  void record_sweep(const Job& job, int sign);
  void remember_sweep(JobId array);
  void link_dependencies(const Job& job, bool add);
  std::uint64_t& counter_of(const JobState& state);

  Rules rules_;
  HostCapacity host_;
  bool disk_full_ = false;
  DiskUse disk_use_;
  std::vector<Card> cards_;
  std::vector<CardHolds> card_holds_;
  std::vector<CardView> views_;                        // In the order of cards_.
  std::map<std::string, ForeignLoads> foreign_loads_;  // By UUID.
  AskedLooks looks_;
  AttemptUses uses_;
  std::map<CardNumber, Growth> growth_;
  std::map<AttemptId, Boot> left_;  // When it was last known to have left its cards.
  CardRecords card_records_;
  std::map<std::string, AdaptiveCap> caps_;  // By UUID.
  PaceBook paces_;
  SlowPairs slow_pairs_;
  Estimates estimates_;
  Siblings siblings_;
  HostHolds host_holds_;

  Durable<Table> tables_;  // Tenants and past runs have books of their own.
  Counts counts_;
  std::set<JobId> active_;
  std::set<JobId> aside_;
  std::array<int, kBands> active_in_band_{};
  Pending pending_;
  std::set<JobId> asleep_;                     // Held, or queued but not eligible yet.
  std::set<std::pair<Wall, JobId>> begins_;    // Asleep until a wall time.
  std::set<std::pair<Boot, JobId>> retries_;   // Asleep until a boot time.
  std::set<std::pair<Wall, JobId>> expiries_;  // Waiting jobs that expire.
  std::set<std::pair<Wall, JobId>> fresh_;     // Pending and not overdue, by submit time.
  // Waiting jobs with deadlines, by the next of their DeadlineTimes; and that one of each.
  std::set<std::pair<Wall, JobId>> deadlines_;
  std::unordered_map<JobId, Wall> deadline_of_;
  EndedBook ended_;
  EndedEnvironments environments_;
  LeaseBook leases_;
  CardTurns turns_;
  std::unordered_map<JobId, std::vector<JobId>> dependents_;  // Waiting jobs by what they wait for.
  TenantBook tenants_;
  Boot usage_counted_{};  // When what runs was last counted as used.
  std::vector<Booking> calendar_;
  CardBookings card_bookings_;  // Of both.
  std::uint64_t next_booking_ = 1;
  std::unordered_map<std::string, int> active_in_group_;
  std::unordered_map<std::string, std::uint64_t> waiting_in_group_;
  std::unordered_map<JobId, int> active_in_array_;
  std::unordered_map<JobId, SweepRecord> sweeps_;
  std::set<JobId> guarded_;  // Arrays that the crash guard stopped.
  // Both of an array before the turn.
  struct SweepBefore {
    std::optional<SweepRecord> record;
    bool guarded = false;
  };
  std::map<JobId, SweepBefore> sweeps_before_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> keys_;
  std::map<JobId, Staged> staged_;  // By first job.
  JobId next_job_{1};
  std::uint64_t next_trail_sequence_ = 1;

  std::vector<TrailEntry> trail_;
};

// What an active job takes of a card besides what it was given there.
Beyond beyond_of(const State& state, const Job& job, CardNumber card);

// What the last look shows on a card of a job that is believed to have left it. A restore that
// nobody waited for, or a driver in disorder: whatever it is, it is there.
std::uint64_t seen_while_away(const State& state, const Job& job, std::size_t card_index);

// The first of a holder's leases on a card, by the holder's process.
std::optional<AttemptId> lease_on(const State& state, int pid, CardNumber card);

}  // namespace gpusched
