// The Launcher seam: starts attempts, follows them, ends them. The real one (process/) talks to
// gpusched-launcher and to the shims through job directories; the simulated one (sim/) plays
// processes in virtual time. The same contract tests run on both.
//
// Contract: every launch() and every adopt() is answered by reports, in this order:
//   AttemptStarted?  then exactly one of  AttemptEnded | AttemptNotStarted | SupervisorLost.
// AttemptNotStarted is only given when the attempt's claim was won against its shim, so the
// command has not run and never will. Nothing is reported from inside a call of this interface:
// reports arrive later, on the loop's thread, through the sink.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "core/model/card.h"
#include "core/model/ids.h"
#include "core/model/job.h"
#include "core/model/move.h"

namespace gpusched {

// Which character devices an attempt may not open: the guarded ones but those that are allowed.
struct DeviceRange {
  std::uint32_t major = 0;
  std::uint32_t first = 0;  // Minor numbers, both included.
  std::uint32_t last = 0;
  friend bool operator==(const DeviceRange&, const DeviceRange&) = default;
};
struct DeviceFilter {
  std::vector<DeviceRange> guarded = {};
  std::vector<DeviceNode> allowed = {};
};

// CPUs and memory nodes, as the kernel writes lists of them; empty: whatever there is.
struct NearCpus {
  std::string cpus;
  std::string memory;
  int count = 0;  // Of the CPUs.
};

// The MPS server that an attempt is to use: one per user and card, made when it is first needed.
struct MpsOrder {
  CardNumber card{};
  std::string uuid;
  std::string program;  // nvidia-cuda-mps-control.
  std::vector<std::string>
      variables;           // Its environment, "NAME=value", beside what MPS itself reads.
  Seconds linger{30};      // How long the server stays after its last job.
  int thread_percent = 0;  // Of the card's compute; 0: all of it.
  std::uint64_t vram_limit_bytes = 0;  // 0: none.
};

// What an attempt may have of one card's memory, for kernels that see to it.
struct VramLimit {
  std::string pci;
  std::uint64_t bytes = 0;
};

// All that a shim must know; nothing of it is looked up again.
struct LaunchOrder {
  AttemptId attempt;
  std::vector<std::string> argv;
  std::shared_ptr<const Environment> environment;                    // The submitter's.
  std::vector<std::pair<std::string, std::string>> added_variables;  // Ours; they win.
  std::string working_directory;
  Identity owner;
  std::uint32_t umask = 022;
  std::vector<ResourceLimit> limits;
  std::string output_path;            // Empty: `log` in the attempt's directory.
  std::string error_path;             // Empty: merged.
  std::uint64_t log_limit_bytes = 0;  // Past it the middle is punched out. 0: no limit.
  TimeRule time;
  Attach attach = Attach::kNone;
  int terminal_rows = 0;
  int terminal_columns = 0;
  int cpus = 0;                 // For the cgroup's cpu.max; 0: no limit.
  std::uint64_t ram_bytes = 0;  // For memory.max; 0: no limit.
  std::optional<DeviceFilter> devices = {};
  std::string devices_open = {};  // Why there is no filter.
  NearCpus near;                  // Near its cards, where the machine has several nodes.
  // Nothing is started: this process, which runs already, is watched over. Time counts from now.
  std::optional<AdoptedProcess> adopted = {};
  std::optional<MpsOrder> mps = {};
  std::vector<VramLimit> vram_limits = {};
};

// A running attempt is to leave its cards, or to return to them.
struct MoveOrder {
  AttemptId attempt;
  // Its VRAM goes to host RAM through the driver, then it is frozen; else it is only frozen.
  bool checkpoint = false;
  bool awake = false;  // It is not frozen: only its calls to the card wait.
  // Nobody supervises it: this process and its descendants, as long as it is the one that was
  // started then, without those of others among them. Always awake.
  struct Holder {
    int pid = 0;
    std::uint64_t started = 0;  // In the kernel's ticks since boot.
  };
  std::optional<Holder> holder = {};
  std::uint32_t owner = 0;  // The job's: no process of another user is touched.
  std::vector<int> apart = {};
  Seconds lock_timeout{10};  // Work that is under way on the card must end within it.
  // Where the driver knows it, and how much must be free there before anything is restored:
  // what it had, and the headroom. Without that room nothing is touched.
  struct CardRoom {
    std::string uuid;
    std::uint64_t bytes = 0;
  };
  std::vector<CardRoom> room = {};
  std::uint64_t host_bytes = 0;  // Of a move out: what is planned to go to host RAM.
};

// --- Reports ----------------------------------------------------------------------------------
struct AttemptStarted {
  AttemptId attempt;
  int pid = 0;
  Wall started_at{};
  std::string without_mps = {};  // Why it does not run under MPS although that was ordered.
};
struct AttemptEnded {
  AttemptId attempt;
  // kExit, kSignal, kTimeout, kHostOom, kCudaOom, or kLaunch: the shim ran but could not start the
  // command
  // (`message` says why: no such program, directory gone, user gone, log cannot be opened …).
  Cause cause = Cause::kExit;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string message;
  std::optional<Wall> started_at;
  Wall ended_at{};
  Usage usage;
  bool let_go = false;  // The process of an adopted attempt goes on without us.
};
struct AttemptNotStarted {
  AttemptId attempt;
  // Set when starting failed for a reason that trying again will not cure by itself
  // (no job directory could be made, no process); empty after a crash before the claim.
  std::string error;
  bool no_room = false;  // The disk was full.
};
// The shim died without an exit record; its tree has been ended.
struct SupervisorLost {
  AttemptId attempt;
  Wall noticed_at{};
};
using LauncherReport = std::variant<AttemptStarted, AttemptEnded, AttemptNotStarted, SupervisorLost,
                                    MovedAside, BroughtBack, MoveFailed>;
using LauncherSink = std::function<void(LauncherReport)>;

class Launcher {
 public:
  virtual ~Launcher() = default;
  // A hint, while the commit of a start is under way: everything but the command itself may be made
  // ready. Followed by launch() of the same order, or by abandon() when there was no commit; a
  // crash is as good as abandon(). Nothing is reported of an attempt that was only prepared.
  virtual void prepare(const LaunchOrder&) {}
  virtual void abandon(AttemptId) {}
  virtual void launch(LaunchOrder order) = 0;
  // After a restart, for every attempt the store knows as alive: find out what became of it.
  // Also after a reboot: then no lock is held, and an attempt without an exit record is reported
  // as SupervisorLost.
  virtual void adopt(AttemptId attempt) = 0;
  // TERM, then KILL of the whole tree after `grace`. Also valid before AttemptStarted was
  // reported. Repeating it with a shorter grace shortens the wait.
  virtual void stop(AttemptId attempt, Seconds grace) = 0;
  // The signal of the terms, and stop() with the job's own grace if it is there after theirs. The
  // shim keeps the time, so a daemon that dies meanwhile changes nothing.
  // Repeating it changes nothing.
  virtual void ask_to_save(AttemptId attempt, const SaveTerms& terms, Seconds grace) = 0;
  // Each is answered by one report: MovedAside or BroughtBack, or MoveFailed; by none when the
  // attempt ends meanwhile. Both may be repeated, also after a restart of the daemon in the midst
  // of one: they go on from the state that the attempt is found in.
  virtual void move_aside(MoveOrder order) = 0;
  virtual void bring_back(MoveOrder order) = 0;
  // The process of an adopted attempt goes on by itself; answered by AttemptEnded with `let_go`.
  // Repeating it changes nothing.
  virtual void let_go(AttemptId attempt) = 0;
  virtual void change_time(AttemptId attempt, const TimeRule& time) = 0;
  // The job is gone from the store: remove its directory.
  virtual void forget(JobId job) = 0;
};

}  // namespace gpusched
