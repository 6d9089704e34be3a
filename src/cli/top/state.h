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
enum class Section : unsigned char { kAll, kCards, kRunning, kProcesses, kWaiting };
enum class Mode : unsigned char { kLook, kFilter, kConfirm, kHelp, kDetails };

// A line that can be selected. It stays the same one while the lines around it come and go.
struct RowId {
  enum class Kind : unsigned char { kNone, kJob, kProcess };
  Kind kind = Kind::kNone;
  std::uint64_t number = 0;  // The job's id, or the pid.
  int card = 0;              // Of a process, which may be on several.
  friend bool operator==(const RowId&, const RowId&) = default;
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
  Section section = Section::kAll;
  RowId selected;
  std::size_t selected_at = 0;  // Where it was when it was last seen.

  Mode mode = Mode::kLook;
  std::uint64_t asked = 0;  // kConfirm: the job to cancel.
  std::string message;      // One sentence, until the next key.
};

// Also remembers the load of each card, once per call.
void take_cards(State& state, GpusView gpus);
void take_jobs(State& state, OverviewView jobs);

// Running or waiting; null if it is neither by now.
const JobView* find_job(const State& state, std::uint64_t id);

}  // namespace gpusched::cli::top
