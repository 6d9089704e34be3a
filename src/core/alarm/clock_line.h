// From wall times of the past to boot time. A wall clock may jump, and rows have nothing else: what
// was written before a jump is read by the clock of then. So no age changes because a clock was
// set, and no alarm comes or goes with it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"

namespace gpusched {

class ClockLine {
 public:
  void look(Now now) {
    const Microseconds apart = now.wall.time_since_epoch() - now.boot.time_since_epoch();
    if (parts_.empty()) {
      parts_.push_back({Boot::min(), apart});
      return;
    }
    const Microseconds moved = apart - parts_.back().apart;
    if (moved < kJump && moved > -kJump) {
      parts_.back().apart = apart;  // It is steered, as clocks are.
      return;
    }
    if (parts_.size() == kPartsMost) parts_.erase(parts_.begin() + 1);
    parts_.push_back({now.boot, apart});
  }

  // REQUIRES: look() was called. Of a time that the clock has jumped over: when it jumped.
  Boot boot_of(Wall at) const {
    for (std::size_t i = parts_.size(); i-- > 0;) {
      const Boot then{at.time_since_epoch() - parts_[i].apart};
      const bool last = i + 1 == parts_.size();
      if (then >= parts_[i].from && (last || then < parts_[i + 1].from)) return then;
    }
    return parts_.back().from;
  }

 private:
  static constexpr Microseconds kJump = Seconds{2};
  static constexpr std::size_t kPartsMost = 16;
  struct Part {
    Boot from;
    Microseconds apart;  // Between the two clocks.
  };
  std::vector<Part> parts_;
};

}  // namespace gpusched
