#include "api/start_estimates.h"

#include <memory>
#include <utility>

#include "core/explain/excerpt.h"

namespace gpusched {
namespace {

// Those who are aside wait for their cards.
bool nobody_waits(const Counts& counts) { return counts.queued + counts.paused == 0; }

}  // namespace

StartEstimates::StartEstimates(boost::asio::io_context& loop, const Engine& engine,
                               std::function<Now()> now, Microseconds often)
    : engine_(engine), now_(std::move(now)), often_(often), thread_(loop) {}

const StartEstimate* StartEstimates::of(const Job& job) const {
  // The last look may be of a time when it was queued.
  if (!std::holds_alternative<Queued>(job.state)) return nullptr;
  const auto found = last_.starts.find(job.id);
  return found == last_.starts.end() ? nullptr : &found->second;
}

std::optional<Wall> StartEstimates::of_lease(const Job& lease) const {
  if (const StartEstimate* estimate = of(lease)) return estimate->likely;
  const auto rough = last_.rough_starts.find(lease.id);
  return rough == last_.rough_starts.end() ? std::nullopt : std::optional(rough->second);
}

std::string StartEstimates::why_unknown(const Job& job) const {
  if (!std::holds_alternative<Queued>(job.state)) return {};
  const auto found = last_.unknown.find(job.id);
  return found == last_.unknown.end() ? std::string() : describe(found->second);
}

std::optional<Wall> StartEstimates::looked_at() const {
  if (!looked_) return std::nullopt;
  return last_.made_at.wall;
}

bool StartEstimates::older_than(Microseconds age) const {
  return !looked_ || now_().boot - last_.made_at.boot > age;
}

void StartEstimates::keep_fresh() {
  const Counts& counts = engine_.state().counts();
  if (looking_ || often_ == Microseconds{0} || counts.queued == 0) return;
  if (older_than(often_)) look();
}

void StartEstimates::when_fresh(Microseconds oldest, std::function<void()> then) {
  if (nobody_waits(engine_.state().counts()) || !older_than(oldest)) {
    then();
    return;
  }
  if (looking_ && oldest == Microseconds{0}) {
    later_.push_back(std::move(then));
    return;
  }
  waiting_.push_back(std::move(then));
  if (!looking_) look();
}

void StartEstimates::look() {
  looking_ = true;
  // Shared, because a function object must be copyable.
  auto excerpt = std::make_shared<Excerpt>(excerpt_of(engine_.state(), kLookedAheadMost, now_()));
  thread_.post(0, [this, excerpt]() -> Background::Then {
    auto found = std::make_shared<Forecast>(look_ahead(std::move(*excerpt)));
    return [this, found] {
      last_ = std::move(*found);
      looked_ = true;
      looking_ = false;
      const std::vector<std::function<void()>> now = std::exchange(waiting_, {});
      for (const auto& then : now) then();
      if (later_.empty()) return;
      waiting_ = std::exchange(later_, {});
      look();
    };
  });
}

}  // namespace gpusched
