// Lists that several answers have. For views*.cc only.
#pragma once

#include <string_view>
#include <vector>

#include "cli/views/view_reader.h"

namespace gpusched::cli {

struct CardView;
struct CountsView;
struct JobView;
struct SweepView;

// The jobs in the list `name` (views.cc).
std::vector<JobView> rows_from(const Reader& json, std::string_view name);
// The list "sweeps", and the object "counts" (views_sweep.cc).
std::vector<SweepView> sweeps_from(const Reader& json);
CountsView counts_from(const Reader& json);
// The list "cards" (views_cards.cc).
std::vector<CardView> cards_from(const Reader& json);

}  // namespace gpusched::cli
