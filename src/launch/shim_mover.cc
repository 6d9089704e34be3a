#include "launch/shim_mover.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "launch/launcher_link.h"

namespace gpusched {
namespace {

bool share_a_card(const MoveOrder& one, const MoveOrder& other) {
  return std::ranges::any_of(one.room, [&](const MoveOrder::CardRoom& card) {
    return std::ranges::any_of(
        other.room, [&](const MoveOrder::CardRoom& another) { return card.uuid == another.uuid; });
  });
}

}  // namespace

template <class Say>
void ShimMover::tell(Say say) {
  for (const auto& move : std::list(moves_)) say(*move);
}

ShimMover::ShimMover(boost::asio::io_context& loop, ShimLauncher& shims, MoverOptions options)
    : ground_{loop, shims, std::move(options)} {
  if (ground_.options.program.empty()) {
    const std::string& beside = shims.options().launcher_program;
    ground_.options.program = beside.substr(0, beside.rfind('/') + 1) + "gpusched-mover";
  }
  ground_.drop = [this](const MoveSteps& move) {
    moves_.remove_if([&](const auto& each) { return each.get() == &move; });
    look_later();
  };
  ground_.ram_promised_beside = [this](const MoveSteps& move) { return ram_promised_beside(move); };
  shims.watch({
      .runs = [this] { look(); },
      .ended = [this](AttemptId id) { tell([&](MoveSteps& move) { move.attempt_ended(id); }); },
      .launcher_lost = [this] { tell([](MoveSteps& move) { move.launcher_lost(); }); },
  });
  shims.link().on_mover([this](const LaunchMessage& message, std::vector<Fd>& passed) {
    tell([&](MoveSteps& move) { move.take(message, passed); });
  });
}

ShimMover::~ShimMover() {
  ground_.shims.watch({});
  ground_.shims.link().on_mover({});
}

void ShimMover::add(MoveOrder order, bool out) {
  if (!order.holder && !ground_.shims.knows(order.attempt)) return;
  const bool repeated =
      std::ranges::any_of(moves_, [&](const auto& move) { return move->is_answer_to(order, out); });
  if (repeated) return;
  moves_.push_back(std::make_shared<MoveSteps>(ground_, ++last_number_, std::move(order), out));
  look_later();
}

void ShimMover::look_later() {
  boost::asio::post(ground_.loop, [self = weak_from_this()] {
    if (const auto mover = self.lock()) mover->look();
  });
}

bool ShimMover::must_wait(const MoveSteps& move) const {
  const MoveOrder& order = move.order();
  if (!order.holder && !ground_.shims.runs(order.attempt)) return true;
  for (const auto& earlier : moves_) {
    if (earlier.get() == &move) return false;
    if (earlier->order().attempt == order.attempt) return true;
    const bool both = earlier->order().checkpoint && order.checkpoint;
    if (both && share_a_card(earlier->order(), order)) return true;
  }
  return false;
}

// Each mover looks at what the host has left; what others are about to take is still there then.
std::uint64_t ShimMover::ram_promised_beside(const MoveSteps& move) const {
  std::uint64_t bytes = 0;
  for (const auto& other : moves_) {
    if (other.get() != &move && other->is_moving_out()) bytes += other->order().host_bytes;
  }
  return bytes;
}

void ShimMover::look() {
  for (const auto& move : moves_) {
    if (move->waits() && !must_wait(*move)) move->begin();
  }
}

}  // namespace gpusched
