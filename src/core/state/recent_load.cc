#include "core/state/recent_load.h"

#include <algorithm>

namespace gpusched {
namespace {

// A load that falls bit by bit at many looks a second, under a long time, is not kept in full.
constexpr std::size_t kKeptMost = 64;

}  // namespace

double RecentLoad::add(double percent, Boot at, Microseconds fall) {
  std::erase_if(seen_, [&](const Seen& one) { return at - one.at >= fall; });
  while (!seen_.empty() && seen_.back().percent <= percent) seen_.pop_back();
  seen_.push_back({at, percent});
  if (seen_.size() > kKeptMost) seen_.erase(seen_.begin() + 1);
  return seen_.front().percent;
}

}  // namespace gpusched
