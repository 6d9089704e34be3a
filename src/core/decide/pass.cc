#include "core/decide/pass.h"

#include <utility>

#include "core/decide/limits.h"
#include "core/place/placement.h"
#include "core/share/quota.h"

namespace gpusched {
namespace {

// The reservation is planned anew in each pass.
std::optional<ReservedStart>& cleared(std::optional<ReservedStart>& reserved) {
  reserved.reset();
  return reserved;
}

}  // namespace

Pass::Pass(const StateView& state, const Standings& standings, Tentative& free, Decided& decided,
           Returns& returns, RoomMaker& rooms, Now now)
    : state_(state),
      free_(free),
      decided_(decided),
      returns_(returns),
      rooms_(rooms),
      now_(now),
      walk_(state.pending(), standings),
      offer_(state, free, cleared(decided.reserved), now) {}

bool Pass::run() {
  while (next()) continue;
  return passed_by_;
}

std::optional<Step> Pass::next() {
  const std::size_t most = state_.rules().shapes_scanned_most;
  if (offer_.reserved() != nullptr && !closely_) {
    left_behind_ += offer_.skip_hopeless(walk_, most - left_behind_);
  }
  if (left_behind_ >= most) return std::nullopt;
  const OrderKey* key = walk_.next();
  if (key == nullptr) return std::nullopt;
  const bool claimed = rooms_.take_claim(key->job);
  const bool can_make_room = claimed || rooms_.possible(key->band);
  closely_ = can_make_room || rooms_.any_claims();
  if (offer_.exhausted() && !closely_) return std::nullopt;
  returns_.serve(key->band, free_, rooms_, decided_);
  const Job& job = *state_.find(key->job);
  const Step step = consider(job, claimed, can_make_room);
  go_on_after(step, job);
  return step;
}

Step Pass::consider(const Job& job, bool claimed, bool can_make_room) {
  const bool first = offer_.reserved() == nullptr;
  if (!first && !can_make_room &&
      (offer_.fits_nowhere(walk_) || offer_.fits_only_by_delaying(walk_, job))) {
    return Step::kLeaveShape;
  }
  if (free_.has_started(job.id) || rooms_.made_for(job.id)) return Step::kDoneBefore;
  const Limited limit = limited(state_, free_, job, now_);
  if (limit == Limited::kQuota) return Step::kLeaveToQuota;
  if (limit != Limited::kNo) return Step::kLeaveShape;
  // Room that was made for a job is its own, also where another start is reserved.
  const ReservedStart* reserved = claimed ? nullptr : offer_.reserved();
  std::optional<Grant> grant;
  if (!offer_.fits_nowhere(walk_)) grant = place(state_, free_, job, reserved, now_);
  if (grant) {
    start(job, std::move(*grant));
    return Step::kStarted;
  }
  if (can_make_room && rooms_.make(job, reserved, free_, decided_)) return Step::kRoomMade;
  // Cards kept free for a job that its quota keeps off would help nobody.
  if (!first || kept_off_by_quota(state_, free_, job, now_)) return Step::kLeaveShape;
  offer_.reserve_for_first(job);
  return Step::kReserved;
}

void Pass::start(const Job& job, Grant grant) {
  if (decided_.reserved) {
    passed_by_ = true;
    if (!over_by(state_, *decided_.reserved, job, now_)) {
      stays(state_, *decided_.reserved, grant);
    }
  }
  free_.take(state_, job, grant);
  if (!job.spec->group.empty()) ++free_.started_in_group[job.spec->group];
  if (job.task) ++free_.started_in_array[job.task->array];
  decided_.decisions.emplace_back(Start{job.id, std::move(grant)});
}

void Pass::go_on_after(Step step, const Job& job) {
  switch (step) {
    case Step::kStarted:
    case Step::kRoomMade:
      offer_.refresh();
      walk_.take();
      break;
    case Step::kDoneBefore:
      walk_.take();
      break;
    case Step::kReserved:
    case Step::kLeaveShape:
      ++left_behind_;
      break;
    case Step::kLeaveToQuota:
      leave_to_quota(job);
      break;
  }
}

// Shapes that a quota stops are bounded for each tenant alone: they take nothing from the others.
void Pass::leave_to_quota(const Job& job) {
  const auto stop = quota_stop(state_, free_, job, now_);
  if (stops_all(*stop) || walk_.count_left_of_tenant() >= state_.rules().shapes_scanned_most / 4) {
    walk_.leave_tenant();
  } else if (stops_all_on_cards(*stop)) {
    walk_.leave_tenant_cards();
  }
}

}  // namespace gpusched
