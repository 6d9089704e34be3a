// How much of a card's multiprocessors and memory lanes really work, from the hardware counters of
// Hopper and newer. A figure needs two samples some time apart: two buffers take turns, and each
// reading compares with the one before. Not thread-safe: belongs to one card's thread.
#pragma once

#include <memory>
#include <optional>

#include "base/time.h"
#include "nvml/question.h"

namespace gpusched::nvml {

struct GpmFigures {
  std::optional<double> sm_active_percent, dram_active_percent;
  std::optional<double> pcie_sent_mib_s, pcie_received_mib_s;
};

class Gpm {
 public:
  explicit Gpm(std::shared_ptr<Library> library) : library_(std::move(library)) {}
  ~Gpm();
  Gpm(const Gpm&) = delete;
  Gpm& operator=(const Gpm&) = delete;

  // The figures since the reading before; readings too near to each other give the last ones.
  const GpmFigures& read(Asking& asking, Boot now);
  // True once it is known that these counters say nothing about PCIe.
  bool lacks_pcie() const {
    return begun_ && (!works() || (measured_ && !figures_.pcie_sent_mib_s));
  }

 private:
  bool begin(Asking& asking);
  // False: this card has no such counters, or nobody has asked yet.
  bool works() const { return older_ != nullptr && newer_ != nullptr; }

  std::shared_ptr<Library> library_;
  GpmSample older_ = nullptr, newer_ = nullptr;
  bool begun_ = false, measured_ = false;
  std::optional<Boot> taken_;  // When `newer_` was.
  GpmFigures figures_;
};

}  // namespace gpusched::nvml
