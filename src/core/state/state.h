// How the state changes.
//
// Mutation goes through one door: put()/remove() of whole values. They keep the indexes true and
// remember what was there before, so that a turn whose commit fails can be undone exactly
// (roll_back) and so that the engine knows what to write (changes).
#pragma once

#include <span>

#include "core/model/past_span.h"
#include "core/state/state_view.h"

namespace gpusched {

// How an attempt ended that is followed by another one.
struct AttemptEnd {
  AttemptId attempt;
  Wall at{};
  std::optional<Wall> began = {};  // If its command ran.
  std::optional<Cause> failed = {};
};

class State : public StateView {
 public:
  explicit State(Rules rules = {}, HostCapacity host = {}) : StateView(rules, host) {}

  // True if jobs of complete submissions wait for release_closed_submissions().
  bool has_closed_to_release() const;
  // The next instant at which time alone changes something.
  std::optional<Boot> next_deadline(Now now) const;
  // Waiting jobs whose expiry has come, at most so many.
  std::vector<JobId> expired(Now now, std::size_t most) const;

  // Ends the process if an index disagrees with the jobs. For tests and the simulator.
  // `found`: jobs that were on their cards before anybody asked, as after a loss of the store.
  void check_invariants(const std::set<JobId>& found = {}) const;
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
  void put(Reservation reservation);
  void remove_reservation(std::uint64_t id);
  // What the configuration's calendar says for the time ahead. Not kept: it is worked out anew.
  void set_calendar(std::vector<Reservation> calendar);
  // May remove the past runs that were used longest ago.
  void put(PastRuns past);
  // All at once, for a copy that is only asked questions.
  void believe(const Estimates& estimates) { estimates_ = estimates; }
  void put(Message message);
  void remove_message(std::uint64_t id);
  // Which message is on its way to a receiver; nothing: none is.
  void set_sending(const std::string& receiver, std::optional<std::uint64_t> id);
  // After a restart: only the first of a line can have been on its way. And it was not, or failed.
  void doubt_first_messages();
  void end_doubt(std::uint64_t id);
  void put(Submission submission);
  void remove_submission(std::uint64_t id);
  // Lets the jobs of complete submissions into the queue, at most `most` per call.
  // Returns false when nothing is left to release.
  bool release_closed_submissions(std::size_t most, Now now);
  void set_cards(std::vector<Card> cards);
  // Not undone by roll_back().
  using StateView::seen;
  Seen& seen() { return seen_; }
  // A new look at a card.
  void observe(CardNumber card, CardView view);
  // One more look says this for or against more sharing.
  void adapt_cap(std::size_t card_index, CapEvidence evidence, Now now);
  // A running job has come to this step.
  void note_pace(const Job& job, std::uint64_t step, Microseconds ran);
  // A running job has shown what it takes on such cards.
  void show_sibling(const Job& job, const std::string& model, std::uint64_t peak_vram_bytes);
  void set_disk_full(bool full) { disk_full_ = full; }
  void set_disk_use(DiskUse use) { disk_use_ = std::move(use); }
  void set_host(HostCapacity host);
  // Not undone either, as nothing that comes from the configuration.
  void set_rules(Rules rules, Now now);
  void configure_tenants(ConfiguredTenants configured);
  void set_next_job(JobId id);
  // What its rows do not tell of the end of an attempt: for the sums of work, with the next put().
  void say_end(AttemptEnd end) { said_end_ = end; }
  // A sum of work becomes part of another one.
  void merge_work(const WorkKey& from, WorkKey into);
  // Names of what was used least go where a day or month has too many rows.
  void fold_work(bool month, int day);
  // Of a store that has no sums yet: by the jobs that it has.
  void count_past_work();
  // What has come to its end since the last keep_changes() or roll_back().
  std::vector<PastSpan> past(Now now) const;
  // Adds a line to the job's durable trail.
  void note(const Job& job, const char* kind, std::string text, Now now);
  // All lines that were added since the last keep_changes() or roll_back().
  const std::vector<TrailEntry>& trail() const { return trail_; }
  // Those of them that this has not returned before.
  std::span<const TrailEntry> take_untold_trail();
  void set_next_trail_sequence(std::uint64_t sequence) { next_trail_sequence_ = sequence; }
  // One that was never given before and never will be again; from the numbers of the trail.
  std::uint64_t take_number() { return next_trail_sequence_++; }
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
  void count_work(const Job* before, const Job& job, Now now);
  void note_past(const Job* before, const Job& job, Now now);
  void count_attempt(const Job& before, const Job& job, Now now);
  void count_wait(const Job& job, const Starting& starting);
  void count_moves(const Job& before, const Job& job, Now now);
  void add_work(const WorkKey& key, const WorkSums& sums);
  void index(const Job& job, Now now);
  void unindex(const Job& job);
  void reindex_dependents(JobId id, Now now);
  void index_queued(const Job& job, const Queued& queued, Now now);
  void watch_deadline(const Job& job, Now now);
  void unwatch_deadline(const Job& job);
  void pass_deadline(JobId id, Now now);
  void hold_resources(const Grant& grant, int sign);
  void refresh_ungranted(std::size_t card_index);
  void refresh_usable(const std::string& uuid);
  void refresh_reservations();
  void record_sweep(const Job& job, int sign);
  void remember_sweep(JobId array);
  void link_dependencies(const Job& job, bool add);
  void count(const Job& job, bool add);

  std::set<std::pair<Wall, JobId>> begins_;    // Asleep until a wall time.
  std::set<std::pair<Boot, JobId>> retries_;   // Asleep until a boot time.
  std::set<std::pair<Wall, JobId>> expiries_;  // Waiting jobs that expire.
  // Waiting jobs with deadlines, by the next of their DeadlineTimes; and that one of each.
  std::set<std::pair<Wall, JobId>> deadlines_;
  std::unordered_map<JobId, Wall> deadline_of_;
  Boot usage_counted_{};  // When what runs was last counted as used.
  // Both of an array before the turn.
  struct SweepBefore {
    std::optional<SweepRecord> record;
    bool guarded = false;
  };
  std::map<JobId, SweepBefore> sweeps_before_;
  std::uint64_t next_trail_sequence_ = 1;
  // Absent: as they are.
  std::optional<std::map<std::string, std::uint64_t>> sending_before_;
  std::optional<std::set<std::uint64_t>> doubted_before_;

  std::vector<TrailEntry> trail_;
  std::vector<PastSpan> past_;  // Of jobs.
  std::size_t trail_told_ = 0;  // So many lines, from the first.
  std::optional<AttemptEnd> said_end_;
};

}  // namespace gpusched
