#include "replay/measures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace gpusched::replay {
namespace {

double in_seconds(Microseconds time) { return std::chrono::duration<double>(time).count(); }

// A change at an instant: cards that become free, and a job that begins or ceases to wait.
struct Change {
  Microseconds at{0};
  double free = 0;
  int waits_for = 0;  // Cards; 0: no change of the queue.
  int waits = 0;      // +1 or -1.
};

std::vector<Change> changes_of(const Trace& trace, const Outcome& outcome) {
  std::vector<Change> changes;
  std::vector<Microseconds> waits_since;
  for (const TraceJob& job : trace) {
    changes.push_back({job.submit, 0, job.cards(), +1});
    waits_since.push_back(job.submit);
  }
  for (const Stretch& run : outcome.stretches) {
    const int cards = trace[run.job].cards();
    const double held = static_cast<double>(run.cards.size()) * run.part;
    changes.push_back({run.start, -held, cards, -1});
    // Moved aside: it waits again. The end of all is not waiting.
    const bool waits_again = run.end < outcome.jobs[run.job].end;
    changes.push_back({run.end, held, cards, waits_again ? +1 : 0});
  }
  std::ranges::stable_sort(changes, {}, &Change::at);
  return changes;
}

void measure_use(const Trace& trace, const Outcome& outcome, Measures& measures) {
  const Microseconds begin = trace.front().submit;
  Microseconds until = trace.back().submit;
  if (until == begin)
    until = begin + Microseconds{static_cast<Microseconds::rep>(measures.makespan_s * 1e6)};
  double free = outcome.cards;
  double held_seconds = 0;
  double idle_seconds = 0;
  std::map<int, int> waiting;
  Microseconds last = begin;
  for (const Change& change : changes_of(trace, outcome)) {
    const double passed = in_seconds(std::min(change.at, until) - std::min(last, until));
    held_seconds += passed * (outcome.cards - free);
    const bool asked = !waiting.empty() && waiting.begin()->first <= free + 1e-9;
    if (asked) idle_seconds += passed * free;
    last = change.at;
    free += change.free;
    if (change.waits != 0) {
      const auto size = waiting.try_emplace(change.waits_for, 0).first;
      size->second += change.waits;
      if (size->second == 0) waiting.erase(size);
    }
  }
  const double all = in_seconds(until - begin) * outcome.cards;
  if (all <= 0) return;
  measures.utilisation_percent = 100 * held_seconds / all;
  measures.idle_while_asked_percent = 100 * idle_seconds / all;
}

std::vector<TenantShare> tenants_of(const Trace& trace, const Outcome& outcome) {
  std::map<std::string, TenantShare> by_name;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    TenantShare& tenant = by_name[trace[i].tenant];
    const JobOutcome& job = outcome.jobs[i];
    tenant.tenant = trace[i].tenant;
    ++tenant.jobs;
    tenant.card_seconds += in_seconds(job.on_cards) * trace[i].cards();
    tenant.average_wait_s += in_seconds(job.end - trace[i].submit - job.on_cards);
  }
  std::vector<TenantShare> tenants;
  for (auto& [name, tenant] : by_name) {
    tenant.average_wait_s /= static_cast<double>(tenant.jobs);
    tenants.push_back(std::move(tenant));
  }
  std::ranges::stable_sort(tenants, std::greater<>{}, &TenantShare::card_seconds);
  return tenants;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  Spread spread;
  if (values.empty()) return spread;
  const auto count = static_cast<double>(values.size());
  spread.average = std::accumulate(values.begin(), values.end(), 0.0) / count;
  std::ranges::sort(values);
  const auto quantile = [&](std::size_t percent) {
    return values[std::min(values.size() - 1, values.size() * percent / 100)];
  };
  spread.median = quantile(50);
  spread.p90 = quantile(90);
  spread.p95 = quantile(95);
  spread.p99 = quantile(99);
  spread.longest = values.back();
  return spread;
}

Measures measure(const Trace& trace, const Outcome& outcome) {
  Measures measures;
  measures.jobs = trace.size();
  std::vector<double> completions;
  std::vector<double> waits;
  std::vector<double> slowdowns;
  std::vector<double> surprises;
  Microseconds last_end{0};
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const JobOutcome& job = outcome.jobs[i];
    const Microseconds completion = job.end - trace[i].submit;
    completions.push_back(in_seconds(completion));
    waits.push_back(in_seconds(completion - job.on_cards));
    slowdowns.push_back(
        std::max(1.0, in_seconds(completion) / std::max(10.0, in_seconds(trace[i].duration))));
    if (job.predicted_start && job.first_start) {
      surprises.push_back(std::abs(in_seconds(*job.first_start - *job.predicted_start)));
    }
    last_end = std::max(last_end, job.end);
    measures.preemptions += static_cast<std::uint64_t>(job.preemptions);
    measures.timed_out += job.cut ? 1 : 0;
  }
  measures.completion_s = spread_of(std::move(completions));
  measures.wait_s = spread_of(std::move(waits));
  measures.slowdown = spread_of(std::move(slowdowns));
  measures.makespan_s = in_seconds(last_end - trace.front().submit);
  measures.lost_card_seconds = outcome.lost_card_seconds;
  if (!surprises.empty()) measures.prediction_error_s = spread_of(std::move(surprises)).median;
  measure_use(trace, outcome, measures);
  measures.tenants = tenants_of(trace, outcome);
  measures.shares = window_shares(trace, outcome, std::chrono::hours{7 * 24});
  return measures;
}

}  // namespace gpusched::replay
