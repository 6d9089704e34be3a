// The Launcher's twin in virtual time: processes that are claimed, start, run and end when the
// simulation says so. Like real shims and job directories they outlive the daemon: after a crash
// the same object is adopted from again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/time.h"
#include "engine/launcher.h"

namespace gpusched {

class SimLauncher : public Launcher {
 public:
  // How a simulated command behaves; asked once per attempt, when it is launched.
  struct Plan {
    Microseconds start_after{1000};
    Microseconds run_for{1'000'000};
    int exit_code = 0;
    std::string launch_error;                  // Not empty: cannot be launched.
    std::string cannot_run;                    // Not empty: the shim is there, the command is not.
    bool claims = true;                        // False: the request is lost before the claim.
    bool supervisor_dies = false;              // The shim dies instead of recording an exit.
    bool ignores_term = false;                 // Ends only when killed, after the grace.
    std::optional<Microseconds> saves_within;  // When asked to save; nullopt: it cannot.
  };
  using Planner = std::function<Plan(const LaunchOrder&)>;

  SimLauncher(Planner planner, LauncherSink sink);

  void launch(LaunchOrder order) override;
  void adopt(AttemptId attempt) override;
  void stop(AttemptId attempt, Seconds grace) override;
  void ask_to_save(AttemptId attempt, const SaveTerms& terms, Seconds grace) override;
  void change_time(AttemptId attempt, const TimeRule& time) override;
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
  void set_sink(LauncherSink sink) { sink_ = std::move(sink); }

  // The command ends by itself now, or its shim dies.
  void finish(AttemptId attempt, int exit_code);
  void kill_supervisor(AttemptId attempt);

  // What really happened, for invariants.
  struct Truth {
    int times_run = 0;  // How often the command of this attempt was executed.
    bool alive = false;
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
    Wall started_at{};
    Wall ended_at{};
    std::optional<int> signal;
    bool followed = true;  // The present daemon knows it.
    bool stopping = false;
  };

  void start(AttemptId id, Attempt& attempt);
  void reschedule(Attempt& attempt);
  void end(AttemptId id, Attempt& attempt);
  void tell_end(AttemptId id, const Attempt& attempt);

  Planner planner_;
  LauncherSink sink_;
  Now now_{};
  std::map<AttemptId, Attempt> attempts_;
  std::map<AttemptId, Truth> truth_;
  std::vector<LauncherReport> outbox_;  // Never delivered from inside a call.
};

}  // namespace gpusched
