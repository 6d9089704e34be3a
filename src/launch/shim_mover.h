// The real Mover: the moves that were ordered, in the order in which they came, one at a time per
// attempt and per card. What each of them does is in MoveSteps. It stands beside the ShimLauncher,
// which follows the attempts and talks to gpusched-launcher.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <list>
#include <memory>

#include "engine/mover.h"
#include "launch/move_steps.h"
#include "launch/shim_launcher.h"

namespace gpusched {

class ShimMover final : public Mover, public std::enable_shared_from_this<ShimMover> {
 public:
  // REQUIRES: `shims` outlives it, and has no other mover.
  ShimMover(boost::asio::io_context& loop, ShimLauncher& shims, MoverOptions options);
  ~ShimMover() override;

  void report_to(MoverSink sink) override { ground_.sink = std::move(sink); }
  void move_aside(MoveOrder order) override { add(std::move(order), true); }
  void bring_back(MoveOrder order) override { add(std::move(order), false); }

 private:
  void add(MoveOrder order, bool out);
  // Something may be possible that was not.
  void look();
  void look_later();
  bool must_wait(const MoveSteps& move) const;
  std::uint64_t ram_promised_beside(const MoveSteps& move) const;
  // Says it to each move, which may drop itself thereby.
  template <class Say>
  void tell(Say say);

  MoveGround ground_;
  std::list<std::shared_ptr<MoveSteps>> moves_;  // In the order in which they came.
  std::uint64_t last_number_ = 0;
};

}  // namespace gpusched
