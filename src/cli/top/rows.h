// Which lines `top` has, in which order: filtered, sorted, and one of them selected.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/top/state.h"

namespace gpusched::cli::top {

// What a job's processes use on all its cards. Absent: not known.
struct Use {
  std::optional<std::uint64_t> vram_bytes;
  std::optional<double> busy_percent;
};
Use use_of(const State& state, const JobView& job);

struct ForeignProcess {
  int card = 0;
  const ProcessView* process = nullptr;
};

// They point into the state.
struct Rows {
  std::vector<const JobView*> running;
  std::vector<const SweepView*> sweeps;
  std::vector<ForeignProcess> foreign;
  std::vector<const JobView*> waiting;
};
Rows rows_of(const State& state);

RowId id_of(const JobView& job);
RowId id_of(const SweepView& sweep);
RowId id_of(const ForeignProcess& row);
// All that can be selected in the section shown, from top to bottom.
std::vector<RowId> selectable(const State& state);
// If the selected line is gone, the one that took its place is selected; not while it is read
// about.
void keep_selection(State& state);
void move_selection(State& state, std::ptrdiff_t by);

// "memory"; empty for kOrder.
std::string_view word_of(SortBy sort);

}  // namespace gpusched::cli::top
