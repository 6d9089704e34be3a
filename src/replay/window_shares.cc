// Shares over time: in each window, what a tenant got against what was due to it. Due is a
// max-min fair part of the machine: nobody is due more than it could have used, and what it does
// not need is due to the others, in equal parts.
#include <algorithm>
#include <map>
#include <vector>

#include "replay/measures.h"

namespace gpusched::replay {
namespace {

struct Claim {
  double demand = 0;  // Card-seconds that it could have used in the window.
  double got = 0;
};
using Claims = std::map<std::string, Claim>;

double seconds_in(Microseconds from, Microseconds to) {
  return std::max(0.0, std::chrono::duration<double>(to - from).count());
}

// The level up to which everybody's demand is met.
double fair_level(const Claims& claims, double capacity) {
  std::vector<double> demands;
  for (const auto& [tenant, claim] : claims) demands.push_back(claim.demand);
  std::ranges::sort(demands);
  double left = capacity;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const double each = left / static_cast<double>(demands.size() - i);
    if (demands[i] > each) return each;
    left -= demands[i];
  }
  return capacity;
}

void judge_window(const Claims& claims, double capacity, WindowShares& shares, double& jains,
                  std::uint64_t& judged) {
  const double level = fair_level(claims, capacity);
  double sum = 0;
  double squares = 0;
  std::uint64_t tenants = 0;
  for (const auto& [tenant, claim] : claims) {
    const double due = std::min(claim.demand, level);
    if (due <= 0) continue;
    const double part = std::min(1.0, claim.got / due);
    ++tenants;
    sum += part;
    squares += part * part;
    shares.below += part < 0.8 ? 1 : 0;
    shares.worst = std::min(shares.worst, part);
  }
  if (tenants == 0) return;
  shares.windows += tenants;
  ++judged;
  jains += squares > 0 ? sum * sum / (static_cast<double>(tenants) * squares) : 1;
}

}  // namespace

WindowShares window_shares(const Trace& trace, const Outcome& outcome, Microseconds window) {
  std::vector<std::vector<const Stretch*>> runs(trace.size());
  for (const Stretch& run : outcome.stretches) runs[run.job].push_back(&run);
  const Microseconds begin = trace.front().submit;
  std::map<std::int64_t, Claims> windows;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const TraceJob& job = trace[i];
    const double cards = job.cards();
    double work = std::chrono::duration<double>(outcome.jobs[i].on_cards).count();
    for (std::int64_t w = (job.submit - begin) / window; begin + w * window < outcome.jobs[i].end;
         ++w) {
      const Microseconds from = begin + w * window;
      const Microseconds to = from + window;
      double ran = 0;
      for (const Stretch* run : runs[i]) {
        ran += seconds_in(std::max(from, run->start), std::min(to, run->end));
      }
      Claim& claim = windows[w][job.tenant];
      claim.demand += cards * std::min(work, seconds_in(std::max(from, job.submit), to));
      claim.got += cards * ran;
      work -= ran;
    }
  }
  WindowShares shares;
  double jains = 0;
  std::uint64_t judged = 0;
  const double capacity = std::chrono::duration<double>(window).count() * outcome.cards;
  for (const auto& [number, claims] : windows) {
    judge_window(claims, capacity, shares, jains, judged);
  }
  if (judged > 0) shares.jain = jains / static_cast<double>(judged);
  return shares;
}

}  // namespace gpusched::replay
