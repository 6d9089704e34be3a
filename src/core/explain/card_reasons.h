// Why no card, or not enough of the host, is to be had for a waiting job. What is missing is what
// admission itself says (lack.h).
#pragma once

#include <cstddef>
#include <vector>

#include "core/admit/tentative.h"
#include "core/model/reason.h"
#include "core/state/state_view.h"

namespace gpusched {

// Jobs that a reason names at most.
inline constexpr std::size_t kNamedMost = 10;

void card_reasons(const StateView& state, const Tentative& free, const Job& job, Now now,
                  std::vector<Reason>& reasons);
void host_reasons(const StateView& state, const Needs& needs, std::vector<Reason>& reasons);

}  // namespace gpusched
