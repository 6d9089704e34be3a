#include "core/decide/room_maker.h"

#include "core/place/placement.h"

namespace gpusched {
namespace {

// Jobs for which room is made in one turn, and for which that is tried.
constexpr int kPlansMost = 4;
constexpr int kTriesMost = 16;

}  // namespace

RoomMaker::RoomMaker(const StateView& state, Now now) : state_(state), now_(now) {
  for (const JobId id : state.aside()) {
    const JobId for_job = aside_of(*state.find(id))->for_job;
    if (state.pending().contains(for_job)) claims_.insert(for_job);
  }
}

bool RoomMaker::possible(int band) const {
  return plans_ < kPlansMost && tries_ < kTriesMost && may_make_room(state_, band);
}

bool RoomMaker::make(const Job& job, const ReservedStart* reserved, Tentative& free,
                     Decided& decided) {
  const FindRoom find = [&](const Tentative& then) {
    return place(state_, then, job, reserved, now_);
  };
  const auto grant = find_or_plan(job, find, free, decided);
  if (!grant) return false;
  free.keep(state_, job, *grant);
  made_.insert(job.id);
  decided.kept.push_back({job.id, 2 * band_rank(job.priority), *grant});
  return true;
}

void RoomMaker::make_for_return(const Job& job, const ReservedStart* reserved, Tentative& free,
                                Decided& decided) {
  if (!possible(band_rank(job.priority))) return;
  const FindRoom find = [&](const Tentative& then) -> std::optional<Grant> {
    if (!may_return(state_, then, job, reserved, now_)) return std::nullopt;
    return *grant_of(job);
  };
  find_or_plan(job, find, free, decided);
}

std::optional<Grant> RoomMaker::find_or_plan(const Job& job, const FindRoom& find, Tentative& free,
                                             Decided& decided) {
  // Worked out when first asked for: most turns never do.
  if (!leavers_) leavers_.emplace(state_);
  std::optional<Grant> grant;
  if (!leavers_->none()) grant = find(leavers_->gone_from(free));
  if (grant || !possible(band_rank(job.priority))) return grant;
  ++tries_;
  auto plan = plan_room(state_, free, *leavers_, job, find, now_).plan;
  if (!plan) return std::nullopt;
  ++plans_;
  leavers_->add(plan->decision, free);
  decided.decisions.emplace_back(std::move(plan->decision));
  return std::move(plan->grant);
}

}  // namespace gpusched
