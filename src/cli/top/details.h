// What a line has no room for: the selected job or process in full, on the whole screen.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/render/render.h"
#include "cli/table.h"
#include "cli/top/state.h"

namespace gpusched::cli::top {

// Empty if what was selected is gone.
std::vector<StyledLine> detail_lines(const State& state, std::size_t width, const Page& page);

}  // namespace gpusched::cli::top
