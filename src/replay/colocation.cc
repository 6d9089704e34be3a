#include "replay/colocation.h"

#include <algorithm>

namespace gpusched::replay {
namespace {

constexpr int kUndeclaredLoad = 50;

}  // namespace

Microseconds work_in(Microseconds time, Pace pace) {
  const std::int64_t us = time.count();
  return Microseconds{us / kFullPace * pace + us % kFullPace * pace / kFullPace};
}

Microseconds time_for(Microseconds work, Pace pace) {
  const std::int64_t us = work.count();
  return Microseconds{us / pace * kFullPace + (us % pace * kFullPace + pace - 1) / pace};
}

int load_of(const Grant& grant) {
  int load = 0;
  for (const CardGrant& held : grant.cards) {
    const int declared = held.share_percent > 0 ? held.share_percent : kUndeclaredLoad;
    load = std::max(load, held.whole ? 100 : declared);
  }
  return load;
}

std::vector<std::size_t> Colocation::beside(std::size_t job, const std::vector<int>& cards) const {
  std::vector<std::size_t> others;
  for (const int card : cards) {
    for (const Tenancy& one : cards_[static_cast<std::size_t>(card)]) {
      if (one.job != job) others.push_back(one.job);
    }
  }
  std::ranges::sort(others);
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return others;
}

std::vector<std::size_t> Colocation::join(std::size_t job, const std::vector<int>& cards,
                                          int load_percent) {
  for (const int card : cards) {
    cards_[static_cast<std::size_t>(card)].push_back({job, load_percent});
  }
  return beside(job, cards);
}

std::vector<std::size_t> Colocation::leave(std::size_t job, const std::vector<int>& cards) {
  for (const int card : cards) {
    std::erase_if(cards_[static_cast<std::size_t>(card)],
                  [job](const Tenancy& one) { return one.job == job; });
  }
  return beside(job, cards);
}

Pace Colocation::pace_on(const std::vector<int>& cards) const {
  Pace slowest = kFullPace;
  for (const int card : cards) {
    const auto& on_it = cards_[static_cast<std::size_t>(card)];
    std::int64_t load = 0;
    for (const Tenancy& one : on_it) load += one.load_percent;
    const auto further = static_cast<std::int64_t>(on_it.empty() ? 0 : on_it.size() - 1);
    const std::int64_t slower = std::max<std::int64_t>(100, load) * (100 + percent_ * further);
    slowest = std::min(slowest, kFullPace * 100 * 100 / slower);
  }
  return std::max<Pace>(slowest, 1);
}

}  // namespace gpusched::replay
