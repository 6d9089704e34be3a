#include "launcher/mps_join.h"

#include "launcher/mps_keeper.h"
#include "os/clock.h"

namespace gpusched {
namespace {

constexpr std::chrono::seconds kJoinPatience{20};
// One that could not be started is not tried again for every job of a moment.
constexpr std::chrono::seconds kFailedFor{30};
constexpr int kServersMost = 16;

class Joining {
 public:
  Joining(const ShimSettings& settings, const LaunchOrder& order)
      : settings_(settings), order_(order), deadline_(read_clock().boot + kJoinPatience) {}

  JoinedMps run() {
    for (int number = 1; number <= kServersMost; ++number) {
      auto found = at(mps_place_name(order_.command.owner.uid, order_.devices.mps->card, number));
      if (found) return std::move(*found);
    }
    return {{}, "too many MPS servers of this user have ended under jobs that are still there"};
  }

 private:
  // Nullopt: its server has ended, others still hold it.
  std::optional<JoinedMps> at(const std::string& name) {
    while (true) {
      auto place = MpsPlace::open(settings_.state_directory, name);
      if (!place) return JoinedMps{{}, place.error().message};
      if (!place->join() || !place->is_there()) {  // It is being stopped.
        if (is_late()) return JoinedMps{{}, "the MPS server before this one does not go away"};
        continue;
      }
      const auto server = place->server();
      if (server && server->phase == MpsServer::Phase::kEnded) return std::nullopt;
      place->take_turn();
      std::string problem = place->has_keeper() ? "" : have_it_kept(*place);
      place->end_turn();
      if (!problem.empty()) return JoinedMps{{}, std::move(problem)};
      return wait_for(std::move(*place));
    }
  }

  // Why there will be no server; empty: a keeper is on its way.
  std::string have_it_kept(const MpsPlace& place) const {
    const auto server = place.server();
    const bool failed = server && server->phase == MpsServer::Phase::kFailed;
    if (failed && read_clock().wall - server->at < kFailedFor) return server->why;
    if (failed) place.forget_server();
    if (auto written = place.set_plan(plan()); !written) return written.error().message;
    spawn_mps_keeper(settings_, place.name());
    return {};
  }

  MpsPlan plan() const {
    const MpsOrder& mps = *order_.devices.mps;
    return {mps.uuid, mps.program, mps.variables, order_.command.owner, mps.linger};
  }

  std::optional<JoinedMps> wait_for(MpsPlace place) {
    while (true) {
      const auto server = place.server();
      // One whose keeper was killed may be gone, too; the next keeper will say so.
      if (server && server->phase == MpsServer::Phase::kReady && mps_trouble(place).empty()) {
        return JoinedMps{std::move(place), {}};
      }
      if (server && server->phase == MpsServer::Phase::kEnded) return std::nullopt;
      if (server && server->phase == MpsServer::Phase::kFailed) return JoinedMps{{}, server->why};
      if (is_late()) return JoinedMps{{}, "the MPS server does not start"};
    }
  }

  // Waits a little, too.
  bool is_late() {
    pause_for(std::chrono::milliseconds{10});
    return read_clock().boot > deadline_;
  }

  const ShimSettings& settings_;
  const LaunchOrder& order_;
  Boot deadline_;
};

}  // namespace

JoinedMps join_mps(const ShimSettings& settings, const LaunchOrder& order) {
  return Joining(settings, order).run();
}

void leave_mps(const ShimSettings& settings, const MpsPlace& place) {
  if (!place.has_keeper()) spawn_mps_keeper(settings, place.name());
}

}  // namespace gpusched
