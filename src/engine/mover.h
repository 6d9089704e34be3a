// The Mover seam: takes running attempts off their cards and brings them back. The real one
// (launch/) works through shims and gpusched-mover; the simulated one (sim/) in virtual time. The
// same contract tests run on both.
//
// Contract: each order is answered by one report, MovedAside or BroughtBack, or MoveFailed; by none
// when the attempt ends meanwhile, or when nobody knows it. Both orders may be repeated, also after
// a restart of the daemon in the midst of one: they go on from the state that the attempt is found
// in. Nothing is reported from inside a call: reports arrive later, on the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "core/model/ids.h"
#include "core/model/move.h"

namespace gpusched {

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

using MoverReport = std::variant<MovedAside, BroughtBack, MoveFailed>;
using MoverSink = std::function<void(MoverReport)>;

class Mover {
 public:
  virtual ~Mover() = default;
  // Before anything is moved.
  virtual void report_to(MoverSink sink) = 0;
  virtual void move_aside(MoveOrder order) = 0;
  virtual void bring_back(MoveOrder order) = 0;
};

}  // namespace gpusched
