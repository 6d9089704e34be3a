// One card's figures, each read as often as it is worth: memory and use every time, power and
// temperature every five seconds, error counters every minute and after an event. What was not read
// this time is what it was. Belongs to one card's thread, but for expect_change().
#pragma once

#include <atomic>
#include <memory>

#include "nvml/gpm.h"
#include "nvml/question.h"
#include "watch/sample.h"

namespace gpusched::nvml {

class SampleReader {
 public:
  SampleReader(std::shared_ptr<Library> library, Device device)
      : library_(std::move(library)), calls_(library_->calls()), asking_(device), gpm_(library_) {}

  Result<watch::CardSample> read(Boot now);
  // From any thread: something happened to the card; the next reading reads everything.
  void expect_change() { changed_ = true; }

 private:
  void read_memory();
  void read_use(Boot now);
  void read_each_few_seconds();
  void read_pcie_traffic();
  void read_each_minute();
  void read_fields();

  std::shared_ptr<Library> library_;
  const Calls& calls_;
  Asking asking_;
  Gpm gpm_;
  watch::CardSample kept_;
  std::optional<Boot> seconds_due_, minute_due_;
  std::atomic<bool> changed_ = false;
};

// The driver's bits in our words.
u32 throttle_of(u64 reasons);

}  // namespace gpusched::nvml
