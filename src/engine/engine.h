// The engine: owns the state, runs the turns. One turn is
//   take what has gathered -> apply each event -> decide once -> re-check and apply the decisions
//   -> hand one Commit to the store -> when it is on disk: answers, launches, streams.
// While a commit is under way events gather, so that one commit serves many. Nothing here blocks,
// reads a clock or knows a thread: whoever drives it (daemon/, sim/) calls begin_turn() and
// finish_turn() and says what time it is.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/apply/apply.h"
#include "core/model/audit.h"
#include "core/model/clock_watch.h"
#include "core/model/event.h"
#include "core/notify/tell.h"
#include "core/state/state_view.h"
#include "engine/engine_options.h"
#include "engine/launcher.h"
#include "engine/mover.h"
#include "engine/store.h"

namespace gpusched {

// The answer to a client's event; an Error also when the commit failed.
using AnswerFn = std::function<void(Result<Answer>)>;

// Of what was alive in the directory that this one was copied from.
inline constexpr const char* kRunsElsewhere =
    "it belongs to the state directory that this one was copied from";

// Told after a commit is on disk, once per changed job and per trail entry, in trail order.
struct JobChange {
  std::uint64_t sequence = 0;  // Of the trail entry that goes with it.
  JobId job{};                 // Look it up in state(); it may be gone already.
  // The end of a large submission: the jobs from here up to `job` are there now, too. They were
  // not told of while the rest was missing.
  std::optional<JobId> since = {};
};

// Where attempts run: what starts them there, and what moves them.
struct Site {
  Launcher& launcher;
  Mover& mover;
};

class Engine {
 public:
  using Options = EngineOptions;

  Engine(State state, Site site, Options options);
  ~Engine();

  // Loads what the store holds and asks the launcher what became of the attempts that were alive.
  // `boot_id` is the machine's; another one than the stored means that they are lost.
  // `copied`: this is a copy of a state directory that may live; what runs is the other one's.
  void recover(StoreImage image, const std::string& boot_id, Now now, bool copied = false);

  // Something happened. `answer` may be empty. `asked`: by whom, for the audit; it is on disk with
  // what the event changes.
  void post(Event event, AnswerFn answer = {}, std::shared_ptr<Asked> asked = {});
  // A submission of any size: cut into slices here. REQUIRES: whole.tasks is complete.
  void submit(SubmitAsked whole, AnswerFn answer, std::shared_ptr<Asked> asked = {});
  // Several leases at once.
  void ask_leases(LeasesAsked all, AnswerFn answer, std::shared_ptr<Asked> asked = {});
  // For the audit, of what changes nothing here: on disk within about a second.
  void note(AuditEntry entry);
  void report(LauncherReport report);
  void report(MoverReport report);

  // True if there is something to do at `now` and no commit is under way.
  bool wants_turn(Now now) const;
  // Applies and decides. An empty optional: nothing to be written, effects are done already.
  std::optional<Commit> begin_turn(Now now);
  // While the commit that begin_turn() returned is under way: what will be launched after it is
  // made ready. May be left out.
  void prepare_launches();
  // The fate of the commit that begin_turn() returned. On failure the turn is undone: clients
  // get the error, reports from the world are kept and tried again.
  void finish_turn(const Committed& committed, Now now);
  bool committing() const { return committing_; }
  // When begin_turn() should be called even if nothing happens.
  std::optional<Boot> next_deadline(Now now) const;

  // Called when something was posted; the driver sees to it that a turn comes. May be called
  // many times before that turn.
  void on_work(std::function<void()> wake) { wake_ = std::move(wake); }

  // Called when a card has to be looked at before a job starts there; what is seen comes as an
  // event. Told during the turn: a look need not wait for a commit.
  void on_look(std::function<void(CardNumber)> look) { look_ = std::move(look); }

  // Called with each message that is to be delivered, once it is on disk; what becomes of it comes
  // as an event. And with each that nobody will get, and why.
  void on_message(std::function<void(const Message&)> send,
                  std::function<void(const Message&, const std::string&)> lost) {
    send_ = std::move(send);
    lost_ = std::move(lost);
  }

  // Called with what was told to nobody, because there was no room, once that is on disk.
  void on_untold(std::function<void(const std::vector<Untold>&)> untold) {
    untold_ = std::move(untold);
  }

  // Bytes of environments of ended jobs that were put away so far.
  std::uint64_t environments_put_away() const { return put_away_; }

  // Read by the API between turns.
  const StateView& state() const;
  // Ends the process if something in the state is not as it must be. For the simulator.
  void check_invariants(const std::set<JobId>& found = {}) const;
  void on_change(std::function<void(const std::vector<JobChange>&)> listener) {
    listener_ = std::move(listener);
  }
  // What a program needs in its environment to see the cards of a grant, and no others.
  std::vector<std::pair<std::string, std::string>> card_variables(const Grant& grant) const;
  NearCpus near(const Grant& grant) const;
  // True while the store does not take commits (full disk); new work is refused at once.
  bool degraded() const { return degraded_.has_value(); }
  // Why, then.
  std::optional<std::string> store_error() const {
    return degraded_ ? std::optional(degraded_->error.message) : std::nullopt;
  }

 private:
  struct Posted {
    Event event;
    AnswerFn answer;
    std::shared_ptr<Asked> asked = {};
  };
  // A submission too large for one turn, and how far it has come.
  struct Large {
    SubmitAsked whole;
    AnswerFn answer;
    std::shared_ptr<Asked> asked = {};
    std::size_t done = 0;
  };
  // One verb for more jobs than one turn should change, and how far it has come.
  struct Bulk {
    Event whole;  // Without its jobs.
    AnswerFn answer;
    std::shared_ptr<Asked> asked = {};
    std::optional<AuditEntry> entry = {};  // From the first slice on.
    bool begun = false;                    // In a turn.
    std::vector<JobId> unchecked;          // From the end.
    std::vector<JobId> waiting, active;
    Changed changed;
  };
  // What waits for the commit of the turn in flight.
  struct Flight {
    std::vector<Posted> events;
    std::vector<std::pair<std::size_t, Answer>> answers;  // By position in events.
    std::vector<Effect> effects;
    std::vector<LaunchOrder> prepared;  // For the first launches among the effects, in order.
    std::vector<Event> follow_up;
    std::vector<std::uint64_t> slices;  // Large submissions that moved on in this turn.
    std::vector<Submitted> completed;   // Of those, which are whole now.
    std::vector<JobId> ended;           // Their environments can go once this is on disk.
    std::vector<KeptCancel> cancels;    // Of what runs, and of what was cancelled with it.
    std::vector<AuditEntry> audit;      // Of the changes of this turn.
    std::vector<AuditEntry> notes;      // That go along.
    std::vector<std::shared_ptr<Asked>> recorded;
    std::vector<Untold> untold;
    std::uint64_t looked = 0;  // By alarms.
    bool lazy = true;          // Nothing in it is urgent.
  };

  // True: new work was refused, because there is no room for it.
  bool refuse_for_disk(const AnswerFn& answer) const;
  void gather(Posted posted);
  void with_environments(RequeueAsked asked, Posted posted);
  struct Reading;
  void read_more(std::shared_ptr<Reading> reading);
  void put_environments_away(const std::vector<JobId>& ended);
  void take_slices(Now now);
  // Jobs of something large that this turn may take on.
  std::size_t slice_now() const;
  bool is_bulk(const Event& event) const;
  void begin_bulk(Posted posted);
  void take_bulks(Now now);
  // The answer, once there is one.
  std::optional<Answer> check_more(Bulk& bulk) const;
  std::optional<Answer> change_more(Bulk& bulk, std::size_t most, Now now);
  void apply_one(Posted posted, Now now);
  void record(const std::shared_ptr<Asked>& asked, const Event& event, const Answer& answer,
              Now now);
  // What a repeat of an earlier request is told; nothing: it is to be done.
  std::optional<Answer> told_before(const std::shared_ptr<Asked>& asked, const Event& event,
                                    Now now);
  void record_begun(Bulk& bulk, Now now);
  void record_end(Bulk& bulk, const Answer& answer, Now now);
  void record_failed(Bulk& bulk);
  bool notes_due(Now now) const;
  void await_notes(Now now);
  void write_audit(Commit& commit, Now now);
  void keep_notes(std::vector<AuditEntry> notes);
  void run_effect(const Effect& effect);
  // The one place that would choose among several.
  const Site& site_of(JobId) const { return here_; }
  AttemptFinished end_by(const SupervisorLost& lost) const;
  MoveOrder move_order(AttemptId attempt, bool checkpoint, bool awake) const;
  // A move that was under way when the last daemon ended, from where the attempt is found.
  void go_on_moving(const Job& job, bool after_loss);
  // What was acknowledged while no commit was possible.
  void repeat_cancels(const std::vector<KeptCancel>& cancels);
  void launch_all(Flight& flight);
  LaunchOrder order_of(const Launch& launch) const;
  void deliver(Flight flight);
  void undo(const CommitError& error, Now now);
  // For a client whose event was undone: the error, or what could be done all the same. True: the
  // event is to be kept for the next try.
  bool refuse_undone(Posted& posted, const CommitError& error,
                     const std::vector<KeptCancel>& in_commit, Now now);
  void note_cancels(const Event& event, const Applied& applied);
  void tell_owners(Now now);
  std::vector<JobChange> changes_to_tell(const std::vector<TrailEntry>& trail,
                                         const std::vector<Submitted>& completed) const;

  const std::unique_ptr<State> owned_state_;
  State& state_;
  ClockWatch clock_watch_;
  Site here_;
  Options options_;
  std::function<void(const std::vector<JobChange>&)> listener_;
  std::function<void()> wake_;
  std::function<void(CardNumber)> look_;
  std::function<void(const Message&)> send_;
  std::function<void(const Message&, const std::string&)> lost_;
  std::function<void(const std::vector<Untold>&)> untold_;
  std::deque<Posted> queue_;
  std::deque<Large> large_;
  std::list<Bulk> bulks_;
  Flight flight_;
  std::vector<TrailEntry> trail_in_flight_;
  std::uint64_t next_submission_ = 1;
  std::optional<std::string> boot_id_to_write_;
  std::uint64_t alarms_looked_ = 0;
  std::set<AttemptId> of_former_boot_;  // Alive when the machine went down.
  std::set<AttemptId> elsewhere_;       // Alive in the directory that this one was copied from.
  std::uint64_t put_away_ = 0;          // Bytes.
  bool committing_ = false;
  bool releasing_ = false;
  std::optional<Boot> lazy_until_;
  std::vector<AuditEntry> notes_;  // In no commit yet.
  std::optional<Boot> notes_until_;
  std::uint64_t next_audit_ = 1;
  struct Degraded {
    Error error;
    Boot retry_at{};
  };
  std::optional<Degraded> degraded_;
};

}  // namespace gpusched
