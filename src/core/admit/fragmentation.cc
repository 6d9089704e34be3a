#include "core/admit/fragmentation.h"

#include <algorithm>

#include "core/admit/admission.h"
#include "core/state/pending.h"

namespace gpusched {
namespace {

// More would cost more than they tell.
constexpr std::size_t kClassesMost = 8;
// Shapes that differ in other things than their needs are one class.
constexpr std::size_t kLooksMost = 32;
// One long array is not all there is.
constexpr std::uint64_t kWeightMost = 100;

std::int64_t useless_mib(const Card& card, const CardHolds& holds,
                         std::vector<RequestClass>& classes, const Rules& rules) {
  const auto room = static_cast<std::int64_t>(room_on(card, holds) >> 20);
  std::int64_t useless = 0;
  for (RequestClass& one : classes) {
    if (!matches(card, one.needs->cards)) continue;
    if (fits_on(card, holds, one.grant.on(card), rules)) continue;
    useless += room * static_cast<std::int64_t>(one.jobs);
  }
  return useless;
}

}  // namespace

std::vector<RequestClass> request_classes(const StateView& state) {
  std::vector<RequestClass> classes;
  PendingWalk walk(state.pending());
  for (std::size_t looks = 0; looks < kLooksMost && classes.size() < kClassesMost; ++looks) {
    if (walk.next() == nullptr) break;
    if (!walk.needs_card()) continue;
    const Needs& needs = walk.shape().key.needs;
    const auto jobs = static_cast<std::uint64_t>(walk.shape().jobs.size());
    const auto known =
        std::ranges::find_if(classes, [&](const RequestClass& one) { return *one.needs == needs; });
    if (known == classes.end()) {
      classes.push_back({&needs, std::min(jobs, kWeightMost), GrantFor(needs)});
    } else {
      known->jobs = std::min(known->jobs + jobs, kWeightMost);
    }
  }
  return classes;
}

std::int64_t lost_by(const Card& card, const CardHolds& holds, const CardGrant& wanted,
                     std::vector<RequestClass>& classes, const Rules& rules) {
  if (classes.empty()) return 0;
  CardHolds with = holds;
  add(with, wanted);
  return useless_mib(card, with, classes, rules) - useless_mib(card, holds, classes, rules);
}

}  // namespace gpusched
