#include "core/admit/foreign_holders.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace gpusched {
namespace {

ForeignHolder holder_of(const SeenProcess& process, CardNumber card, Now now) {
  ForeignHolder holder{.card = card, .pid = process.pid};
  holder.vram_bytes = process.vram_bytes.value_or(0);
  holder.user = process.user;
  holder.command = process.command;
  if (process.since) holder.held_for = now.wall - *process.since;
  holder.idle = process.idle_since.has_value();
  return holder;
}

}  // namespace

void sort_by_harm(std::vector<ForeignHolder>& holders) {
  std::ranges::stable_sort(holders, std::greater{}, [](const ForeignHolder& holder) {
    return std::pair(holder.busy_percent, holder.vram_bytes);
  });
}

std::vector<ForeignHolder> foreign_holders(const StateView& state, const CardLack& lack, Now now) {
  const CardView& view = state.view_of(*state.index_of(lack.card));
  const bool busy = lack.what == Lack::kForeignLoad;
  std::vector<ForeignHolder> holders;
  std::vector<const SeenProcess*> unknown;
  for (const SeenProcess& process : view.processes) {
    if (process.attempt || (busy && process.ignored)) continue;
    if (!process.load_percent) unknown.push_back(&process);
    ForeignHolder holder = holder_of(process, lack.card, now);
    if (busy) holder.busy_percent = static_cast<int>(std::lround(process.load_percent.value_or(0)));
    if (busy ? holder.busy_percent == 0 : holder.vram_bytes == 0) continue;
    holders.push_back(std::move(holder));
  }
  // Nobody tells whose load it is. Where there is only one it can be, it is that one's.
  if (busy && holders.empty()) {
    const bool known = unknown.size() == 1;
    ForeignHolder holder = known ? holder_of(*unknown.front(), lack.card, now) : ForeignHolder{};
    holder.card = lack.card;
    holder.busy_percent = lack.foreign_percent;
    holders.push_back(std::move(holder));
  }
  sort_by_harm(holders);
  return holders;
}

}  // namespace gpusched
