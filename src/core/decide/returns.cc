#include "core/decide/returns.h"

namespace gpusched {

Returns::Returns(const StateView& state, Now now) : state_(state), now_(now), frozen_(state) {
  if (!state.aside().empty()) waiting_ = waiting_aside(state, now);
}

void Returns::serve(int band, Tentative& free, RoomMaker& rooms, Decided& decided) {
  while (next_ < waiting_.size() && waiting_[next_].before <= 2 * band) {
    const Waiting& one = waiting_[next_++];
    serve_one(*one.job, one.before, free, rooms, decided);
  }
}

void Returns::serve_one(const Job& job, int before, Tentative& free, RoomMaker& rooms,
                        Decided& decided) {
  if (!served_.insert(job.id).second) return;
  const ReservedStart* reserved = decided.reserved ? &*decided.reserved : nullptr;
  if (may_return(state_, free, job, reserved, now_)) {
    decided.decisions.emplace_back(Resume{job.id});
  } else if (stands_still(job)) {
    return;  // Its place is its own.
  } else {
    // A job that stands still on the card, with its memory, goes on before it: it could wait for
    // nothing else.
    for (const Job* other : frozen_.in_the_way_of(job)) {
      serve_one(*other, before, free, rooms, decided);
    }
    if (!frozen_.has_an_end(job)) return;
    rooms.make_for_return(job, reserved, free, decided);
  }
  // On its way or not: its place is taken.
  keep_its_place(state_, job, free);
  decided.kept.push_back({job.id, before, {}});
}

}  // namespace gpusched
