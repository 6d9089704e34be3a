// The Mover's twin in virtual time: moves of the processes of a SimLauncher. They take as long as
// their bytes, and outlive the daemon that ordered them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "engine/mover.h"
#include "sim/sim_launcher.h"

namespace gpusched {

class SimMover final : public Mover {
 public:
  explicit SimMover(SimLauncher& processes) : processes_(processes) {}

  void report_to(MoverSink sink) override { sink_ = std::move(sink); }
  void move_aside(MoveOrder order) override { add(std::move(order), true); }
  void bring_back(MoveOrder order) override { add(std::move(order), false); }

  // Lets time pass and delivers what became due. After that of the processes.
  void advance(Now now);
  std::optional<Boot> next_event() const;
  // What is under way ends and is not told; what waits for it is forgotten.
  void daemon_died();

  // What a move takes, and whether there is room for one that returns (empty: always).
  struct Rates {
    std::uint64_t out_bytes_per_second = std::uint64_t{3} << 30;
    std::uint64_t in_bytes_per_second = std::uint64_t{6} << 30;
    Microseconds fixed{250'000};
  };
  void set_rates(const Rates& rates) { rates_ = rates; }
  void set_room(std::function<bool(const MoveOrder&)> room) { room_ = std::move(room); }

 private:
  struct Move {
    MoveOrder order;
    bool out = true;
    bool wanted = true;  // By the daemon that lives.
    bool room = true;
    Boot began{};
    Boot due{};
  };
  struct Moves {
    std::optional<Move> now, next;
  };

  void add(MoveOrder order, bool out);
  void begin(Moves& moves, Move move);
  void complete(Moves& moves);
  MoverReport carry_out(const Move& move);
  Microseconds time_for(const Move& move) const;

  SimLauncher& processes_;
  MoverSink sink_;
  Rates rates_;
  std::function<bool(const MoveOrder&)> room_;
  Now now_{};
  std::map<AttemptId, Moves> moves_;
  std::vector<MoverReport> outbox_;  // Never delivered from inside a call.
};

}  // namespace gpusched
