// What `top` knows and what its user chose: plain values. The daemon's answers go in by take_…(),
// keys by press() (keys.h); what is on the screen follows from it alone (view.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "cli/views/views.h"

namespace gpusched::cli::top {

enum class SortBy : unsigned char { kOrder, kMemory, kBusy, kTime, kUser };
enum class Section : unsigned char { kAll, kCards, kRunning, kSweeps, kProcesses, kWaiting };
enum class Mode : unsigned char { kLook, kFilter, kConfirm, kHelp, kDetails };

// A line that can be selected. It stays the same one while the lines around it come and go.
struct RowId {
  enum class Kind : unsigned char { kNone, kJob, kSweep, kProcess };
  Kind kind = Kind::kNone;
  std::uint64_t number = 0;  // The id of a job or sweep, or the pid.
  int card = 0;              // Of a process, which may be on several.
  friend bool operator==(const RowId&, const RowId&) = default;
};

// What has to be asked of the daemon.
struct Order {
  enum class What : unsigned char {
    kNothing,
    kQuit,
    kRefresh,
    kCancel,
    kHold,
    kRelease,
    kPause,
    kResume,
    kPriority,
  };
  What what = What::kNothing;
  std::uint64_t job = 0;
  bool sweep = false;  // `job` names a sweep: all its jobs are meant.
  int priority = 0;    // kPriority: the new one,
  int before = 0;      // and that of now.
};

// Load in percent, the newest last; absent where nothing was known.
using LoadHistory = std::deque<std::optional<double>>;
inline constexpr std::size_t kHistoryMost = 240;

struct State {
  GpusView gpus;
  OverviewView jobs;
  std::map<int, LoadHistory> load;  // By the card's number.
  bool known = false;               // The daemon has answered at least once.
  std::optional<Wall> away_since;   // It does not answer.

  SortBy sort = SortBy::kOrder;
  bool reversed = false;
  std::string filter;
  bool paused = false;
  bool expanded = false;  // Every job of a sweep has a line.
  Section section = Section::kAll;
  RowId selected;
  std::size_t selected_at = 0;  // Where it was when it was last seen.

  Mode mode = Mode::kLook;
  Order asked = {};     // kConfirm: what is done after a yes.
  std::string message;  // One sentence, until the next key.
};

// Also remembers the load of each card, once per call.
void take_cards(State& state, GpusView gpus);
void take_jobs(State& state, OverviewView jobs);

// Running or waiting; null if it is neither by now.
const JobView* find_job(const State& state, std::uint64_t id);
const SweepView* find_sweep(const State& state, std::uint64_t id);

}  // namespace gpusched::cli::top
