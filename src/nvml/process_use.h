// How busy each process keeps one card. The driver hands out one figure per process and window
// since the newest that was seen; it also repeats old ones, names pids that are gone, and says
// "not found" when nobody was busy. Belongs to one card's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/time.h"
#include "nvml/question.h"
#include "watch/sample.h"

namespace gpusched::nvml {

class ProcessUses {
 public:
  explicit ProcessUses(std::shared_ptr<Library> library) : library_(std::move(library)) {}

  // Fills in the use of the processes listed. What is not known stays absent.
  void fill(Asking& asking, Boot now, std::vector<watch::ProcessSample>& processes);

 private:
  struct Use {
    u32 pid = 0;
    u64 time = 0;
    u32 sm = 0, memory = 0;
  };
  // Absent: the driver cannot tell.
  std::optional<std::vector<Use>> ask(Asking& asking);
  std::optional<std::vector<Use>> ask_new_form(Asking& asking);
  std::optional<std::vector<Use>> ask_old_form(Asking& asking);
  void take(const std::vector<Use>& uses);

  std::shared_ptr<Library> library_;
  std::optional<Boot> asked_;
  u64 last_seen_ = 0;    // By the driver's clock, which is compared with nothing else.
  bool primed_ = false;  // The first answer covers all the past: only its times are of use.
  bool known_ = false;
  std::map<int, Use> newest_;
  std::set<int> asked_of_;  // Who was there at that time: of others it said nothing.
};

}  // namespace gpusched::nvml
