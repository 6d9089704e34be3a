#include "core/place/under_mps.h"

#include "core/model/kind.h"

namespace gpusched {

bool runs_under_mps(const StateView& state, const Job& job, const Grant& grant) {
  const JobSpec& spec = *job.spec;
  if (grant.cards.size() != 1 || !kind_of(job).started_here || spec.needs.exclusive) return false;
  const auto position = state.index_of(grant.cards.front().card);
  if (!position) return false;
  const Card& card = state.cards()[*position];
  if (!card.has_mps) return false;
  switch (card.mps.value_or(state.rules().mps)) {
    case MpsUse::kOff:
      return false;
    case MpsUse::kLimits: {
      const int share = job.spec->needs.share_percent;
      return (share > 0 && share < 100) || job.spec->extras->vram_limit_bytes > 0;
    }
    case MpsUse::kAll:
      return true;
  }
  return false;
}

}  // namespace gpusched
