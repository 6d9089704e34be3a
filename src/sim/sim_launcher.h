// The Launcher's twin in virtual time: processes that are claimed, start, run and end when the
// simulation says so. Like real shims and job directories they outlive the daemon: after a crash
// the same object is adopted from again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/launcher.h"

namespace gpusched {

class SimLauncher : public Launcher {
 public:
  // How the driver deals with one.
  enum class MoveFault {
    kNone,
    kNever,   // Not with this program.
    kNotNow,  // Its work on the card did not end in time.
    kLost,    // Something went wrong in the middle.
  };
  // How a simulated command behaves; asked once per attempt, when it is launched.
  struct Plan {
    Microseconds start_after{1000};
    Microseconds run_for{1'000'000};
    int exit_code = 0;
    std::string launch_error;            // Not empty: cannot be launched.
    bool no_room = false;                // Because the disk is full.
    std::string cannot_run;              // Not empty: the shim is there, the command is not.
    bool claims = true;                  // False: the request is lost before the claim.
    bool supervisor_dies = false;        // The shim dies instead of recording an exit.
    bool ignores_term = false;           // Ends only when killed, after the grace.
    std::uint64_t vram_bytes = 0;        // On all its cards together, when it has grown.
    std::uint64_t vram_per_second = 0;   // How fast it gets there; 0: it has all at once.
    std::vector<CardNumber> cards = {};  // Where that is, in equal parts.
    int load_percent = 0;                // Of each, while it computes.
    MoveFault out = MoveFault::kNone;
    MoveFault back = MoveFault::kNone;
    std::optional<Microseconds> saves_within;  // When asked to save; nullopt: it cannot.
  };
  using Planner = std::function<Plan(const LaunchOrder&)>;

  explicit SimLauncher(Planner planner) : planner_(std::move(planner)) {}

  void report_to(LauncherSink sink) override { sink_ = std::move(sink); }
  void launch(LaunchOrder order) override;
  void reattach(AttemptId attempt) override;
  void stop(AttemptId attempt, Seconds grace) override;
  void ask_to_save(AttemptId attempt, const SaveTerms& terms, Seconds grace) override;
  void change_time(AttemptId attempt, const TimeRule& time) override;
  void let_go(AttemptId attempt) override;
  void forget(JobId job) override;

  // Lets time pass and delivers what became due.
  void advance(Now now);
  // When advance() has something to do next.
  std::optional<Boot> next_event() const;
  // The daemon died: requests that no shim has claimed yet are dropped, reports are not heard.
  void daemon_died();
  // The machine went down: every process is gone without an exit record.
  void machine_died();
  // Says everything about live attempts again, as a confused world might.
  void repeat_reports();

  // The command ends by itself now, or its shim dies.
  void finish(AttemptId attempt, int exit_code);
  void kill_supervisor(AttemptId attempt);
  // An allocation fails, and the command with it.
  void run_out_of_memory(AttemptId attempt);

  // What a look at a card would find of the attempts.
  struct OnCard {
    AttemptId attempt{};
    std::optional<int> adopted;  // The process that was there before.
    std::uint64_t vram_bytes = 0;
    int load_percent = 0;
    bool grows = false;
  };
  std::vector<OnCard> on_card(CardNumber card) const;
  bool has_adopted(int pid) const;
  // Of one attempt, wherever it is.
  std::uint64_t part_on_each_card(AttemptId attempt) const;
  const std::vector<CardNumber>& cards_of(AttemptId attempt) const {
    return attempts_.at(attempt).plan.cards;
  }
  // From here on the driver moves whatever it is asked to.
  void heal_driver();
  // Told when the process of an adopted attempt is no more; one that was let go goes on.
  void on_adopted_end(std::function<void(int pid)> gone) { adopted_gone_ = std::move(gone); }

  // --- For the mover ---
  enum class Place {
    kOnCards,
    kFrozen,    // On its cards, but it does not compute.
    kAside,     // Its memory is in host RAM.
    kArriving,  // On its way back; its room is taken.
  };
  Place place_of(AttemptId attempt) const { return attempts_.at(attempt).place; }
  void put(AttemptId attempt, Place place) { attempts_.at(attempt).place = place; }
  void halt(AttemptId attempt);
  void wake(AttemptId attempt);
  bool lives(AttemptId attempt) const { return live_.contains(attempt); }  // Or will.
  bool runs(AttemptId attempt) const;
  bool follows(AttemptId attempt) const { return attempts_.at(attempt).followed; }
  std::uint64_t memory_of(AttemptId attempt) const { return memory_of(attempts_.at(attempt)); }
  const Plan& plan_of(AttemptId attempt) const { return attempts_.at(attempt).plan; }

  // What really happened, for invariants.
  struct Truth {
    int times_run = 0;  // How often the command of this attempt was executed.
    bool alive = false;
    bool adopted = false;
    std::optional<int> exit_code;
  };
  const std::map<AttemptId, Truth>& truth() const { return truth_; }
  // Attempts whose process is alive now, of one job.
  int alive_of(JobId job) const;

 private:
  enum class Phase { kRequested, kRunning, kEnded, kLost };
  struct Attempt {
    LaunchOrder order;
    Plan plan;
    Phase phase = Phase::kRequested;
    Boot next{};         // When the phase changes.
    Boot natural_end{};  // When the command would end by itself.
    Boot started_boot{};
    std::optional<Boot> stop_at;  // When a request to stop ends it.
    bool asked_to_save = false;
    std::optional<Boot> save_at;  // When it has saved itself, as asked.
    bool saved = false;
    bool timed_out = false;
    bool out_of_memory = false;
    bool let_go = false;  // Its process is not ours any more.
    Wall started_at{};
    Wall ended_at{};
    std::optional<int> signal;
    bool followed = true;  // The present daemon knows it.
    bool stopping = false;
    Place place = Place::kOnCards;
    std::optional<Boot> halted_at;  // It does not compute; its time stands still.
    Microseconds halted_for{0};
  };

  std::uint64_t memory_of(const Attempt& attempt) const;
  void erase(AttemptId id);
  void start(AttemptId id, Attempt& attempt);
  void reschedule(Attempt& attempt);
  void end(AttemptId id, Attempt& attempt);
  void tell_end(AttemptId id, const Attempt& attempt);

  Planner planner_;
  std::function<void(int pid)> adopted_gone_;
  LauncherSink sink_;
  Now now_{};
  std::map<AttemptId, Attempt> attempts_;
  std::set<AttemptId> live_;  // Of those, the few that have not ended.
  std::map<AttemptId, Truth> truth_;
  std::vector<LauncherReport> outbox_;  // Never delivered from inside a call.
};

}  // namespace gpusched
