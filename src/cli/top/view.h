// The screen of `top` as values: from what is known and the size of the terminal to lines of styled
// pieces. No terminal is reachable from here, so that golden files can pin every character.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/render/render.h"
#include "cli/table.h"
#include "cli/top/state.h"

namespace gpusched::cli::top {

struct ScreenLine {
  StyledLine pieces;
  enum class Look : unsigned char { kPlain, kHeading, kSelected };
  Look look = Look::kPlain;
};

struct Screen {
  std::vector<ScreenLine> lines;              // As many as the terminal has, or fewer.
  std::optional<std::size_t> cursor_in_last;  // The column, while something is typed there.
};

struct ScreenSize {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

// Uses the time and its offset of `page`; width and colour are the painter's affair.
Screen top_view(const State& state, const ScreenSize& size, const Page& page);

}  // namespace gpusched::cli::top
