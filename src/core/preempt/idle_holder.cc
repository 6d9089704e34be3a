#include "core/preempt/idle_holder.h"

#include <algorithm>

#include "core/model/kind.h"
#include "core/preempt/move_time.h"

namespace gpusched {

bool sits_idle(const StateView& state, const Job& job, Now now) {
  const Seconds limit = state.rules().room.idle_after;
  if (limit == Seconds{0}) return false;
  bool seen = false;
  for (const CardGrant& held : grant_of(job)->cards) {
    const auto position = state.index_of(held.card);
    if (!position) return false;
    for (const SeenProcess& process : state.view_of(*position).processes) {
      if (process.attempt != job.current_attempt()) continue;
      seen = true;
      if (!process.idle_since || now.wall - *process.idle_since < limit) return false;
    }
  }
  return seen;
}

std::string why_holder_stays(const StateView& state, const Job& lease) {
  const LeaseTerms& terms = *lease.spec->lease;
  if (terms.pid <= 0 || terms.pid_started == 0) return "its holder's process is not known";
  const Presence* presence = presence_of(lease);
  if (presence != nullptr && presence->refused) return "the driver does not move its process";
  for (const JobId id : state.leases().live()) {
    const Job& other = *state.find(id);
    if (other.id == lease.id || !other.active() || other.spec->lease->pid != terms.pid) continue;
    return "its holder has lease " + to_string(id) + ", too, and would leave those cards as well";
  }
  return {};
}

bool is_movable_lease(const StateView& state, const Job& job, Now now) {
  return kind_of(job).has_holder && may_move_again(state, job, now) && sits_idle(state, job, now) &&
         why_holder_stays(state, job).empty();
}

bool stays_awake(const Job& job) {
  const Aside* aside = aside_of(job);
  return !kind_of(job).may_freeze || (aside != nullptr && aside->why == AsideWhy::kIdle);
}

bool is_asleep(const RoomRules& rules, const Aside& aside) {
  return rules.return_on_use && aside.why == AsideWhy::kIdle && !aside.wanted;
}

void ask_back(Aside& aside) {
  aside.by_hand = false;
  aside.wanted = aside.why == AsideWhy::kIdle;
}

}  // namespace gpusched
