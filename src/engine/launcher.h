// The Launcher seam: starts attempts, follows them, ends them. The real one (launch/) talks to
// gpusched-launcher and to the shims through job directories; the simulated one (sim/) plays
// processes in virtual time. The same contract tests run on both.
//
// Contract: every launch() and every reattach() is answered by reports, in this order:
//   AttemptRunning?  then exactly one of  AttemptFinished | AttemptNeverRan | SupervisorLost.
// AttemptNeverRan is only given when the attempt's claim was won against its shim, so the
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
#include "core/model/event.h"
#include "core/model/ids.h"
#include "core/model/job.h"

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
  friend bool operator==(const DeviceFilter&, const DeviceFilter&) = default;
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

// What runs, as whom, and where its words go: any site can do that.
struct CommandOrder {
  std::vector<std::string> argv = {};
  std::shared_ptr<const Environment> environment = {};                    // The submitter's.
  std::vector<std::pair<std::string, std::string>> added_variables = {};  // Ours; they win.
  std::string working_directory = {};
  Identity owner = {};
  std::uint32_t umask = 022;
  std::vector<ResourceLimit> limits = {};
  std::string output_path = {};       // Empty: `log` in the attempt's directory.
  std::string error_path = {};        // Empty: merged.
  std::uint64_t log_limit_bytes = 0;  // Past it the middle is punched out. 0: no limit.
  Attach attach = Attach::kNone;
  bool detached = false;  // No client is waited for.
  int terminal_rows = 0;
  int terminal_columns = 0;
};

// What it may have of the host.
struct IsolationOrder {
  int cpus = 0;                 // For the cgroup's cpu.max; 0: no limit.
  std::uint64_t ram_bytes = 0;  // For memory.max; 0: no limit.
  NearCpus near = {};           // Near its cards, where the machine has several nodes.
};

// What it may have of the cards.
struct DevicesOrder {
  std::optional<DeviceFilter> filter = {};
  std::string open = {};  // Why there is no filter.
  std::optional<MpsOrder> mps = {};
  std::vector<VramLimit> vram_limits = {};
};

// All that a shim must know; nothing of it is looked up again.
struct LaunchOrder {
  AttemptId attempt;
  TimeRule time = {};
  CommandOrder command = {};
  IsolationOrder isolation = {};
  DevicesOrder devices = {};
  // The job itself, for a daemon whose store has lost it; kept in the directory, opaque to others.
  std::string note = {};
  // What it holds and under which name, in a few words: part of the claim, and so always there.
  std::string holds = {};
  // Nothing is started: this process, which runs already, is watched over. Time counts from now.
  std::optional<AdoptedProcess> adopted = {};
};

// --- Reports: what the core is told, word for word ---------------------------------------------
// The shim died without an exit record; its tree has been ended.
struct SupervisorLost {
  AttemptId attempt;
  Wall noticed_at{};
};
using LauncherReport =
    std::variant<AttemptRunning, AttemptFinished, AttemptNeverRan, SupervisorLost>;
using LauncherSink = std::function<void(LauncherReport)>;

class Launcher {
 public:
  virtual ~Launcher() = default;
  // Before anything is launched.
  virtual void report_to(LauncherSink sink) = 0;
  // A hint, while the commit of a start is under way: everything but the command itself may be made
  // ready. Followed by launch() of the same order, or by abandon() when there was no commit; a
  // crash is as good as abandon(). Nothing is reported of an attempt that was only prepared.
  virtual void prepare(const LaunchOrder&) {}
  virtual void abandon(AttemptId) {}
  virtual void launch(LaunchOrder order) = 0;
  // After a restart, for every attempt the store knows as alive: find out what became of it.
  // Also after a reboot: then no lock is held, and an attempt without an exit record is reported
  // as SupervisorLost.
  virtual void reattach(AttemptId attempt) = 0;
  // TERM, then KILL of the whole tree after `grace`. Also valid before AttemptRunning was
  // reported. Repeating it with a shorter grace shortens the wait.
  virtual void stop(AttemptId attempt, Seconds grace) = 0;
  // The signal of the terms, and stop() with the job's own grace if it is there after theirs. The
  // shim keeps the time, so a daemon that dies meanwhile changes nothing.
  // Repeating it changes nothing.
  virtual void ask_to_save(AttemptId attempt, const SaveTerms& terms, Seconds grace) = 0;
  // The process of an adopted attempt goes on by itself; answered by AttemptFinished with `let_go`.
  // Repeating it changes nothing.
  virtual void let_go(AttemptId attempt) = 0;
  virtual void change_time(AttemptId attempt, const TimeRule& time) = 0;
  // The job is gone from the store: remove its directory.
  virtual void forget(JobId job) = 0;
};

}  // namespace gpusched
