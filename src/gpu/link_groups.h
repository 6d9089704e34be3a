// Which cards are linked directly (NVLink), as groups: placement puts gangs there.
#pragma once

#include <vector>

#include "core/model/card.h"
#include "watch/report.h"

namespace gpusched {

// Sets link_group of the cards that have a neighbour among them. REQUIRES: cards[i] is seen[i].
void set_link_groups(const std::vector<watch::NumberedCard>& seen, std::vector<Card>& cards);

}  // namespace gpusched
