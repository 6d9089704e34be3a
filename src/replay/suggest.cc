#include "replay/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace gpusched::replay {
namespace {

constexpr std::uint64_t kGibibyte = 1ULL << 30;
constexpr std::uint64_t kRunsLeast = 5;
constexpr double kSoonerLeast = 60;
constexpr std::size_t kSuggestionsMost = 5;
constexpr std::size_t kTriedMost = 10;     // A replay each.
constexpr std::size_t kJobsMost = 20'000;  // The newest.

double as_seconds(Microseconds time) { return std::chrono::duration<double>(time).count(); }

std::string gib(std::uint64_t bytes) {
  const double value = static_cast<double>(bytes) / static_cast<double>(kGibibyte);
  const bool whole = bytes % kGibibyte == 0;
  return whole ? fmt::format("{:.0f} GiB", value) : fmt::format("{:.1f} GiB", value);
}

// What no card of today has room for would end the replay.
void keep_what_fits(const Machine& machine, Past& past) {
  std::uint64_t largest = 0;
  for (const Card& card : machine.cards) largest = std::max(largest, card.capacity_bytes());
  const std::size_t skipped = past.trace.size() - std::min(past.trace.size(), kJobsMost);
  Trace trace;
  std::vector<PastDetail> details;
  for (std::size_t i = skipped; i < past.trace.size(); ++i) {
    TraceJob& job = past.trace[i];
    const Needs& needs = job.needs;
    const bool all = needs.gpus.all();
    if ((!all && needs.gpus.least > machine.total()) || needs.vram_bytes > largest) continue;
    // Cards may have changed their places since.
    job.needs.cards = Rare<CardFilter>{};
    trace.push_back(std::move(job));
    details.push_back(std::move(past.details[i]));
  }
  const Microseconds zero = trace.empty() ? Microseconds{0} : trace.front().submit;
  for (TraceJob& job : trace) job.submit -= zero;
  past.trace = std::move(trace);
  past.details = std::move(details);
}

struct Candidate {
  Suggestion suggestion;
  std::vector<std::size_t> jobs;  // In the trace; those that would ask for less.
  double spared = 0;              // Byte-seconds.
};

std::vector<Candidate> candidates_of(const Past& past) {
  struct Seen {
    std::uint64_t runs = 0, asked = 0, peak = 0;
    std::vector<std::size_t> jobs;
  };
  std::map<std::pair<std::string, std::string>, Seen> programs;
  for (std::size_t i = 0; i < past.trace.size(); ++i) {
    const PastDetail& detail = past.details[i];
    if (detail.program.empty() || detail.vram_bytes == 0) continue;
    Seen& seen = programs[{past.trace[i].tenant, detail.program}];
    seen.jobs.push_back(i);
    seen.asked = seen.asked == 0 ? detail.vram_bytes : std::min(seen.asked, detail.vram_bytes);
    if (detail.peak_bytes > 0) ++seen.runs;
    seen.peak = std::max(seen.peak, detail.peak_bytes);
  }
  std::vector<Candidate> found;
  for (auto& [key, seen] : programs) {
    const std::uint64_t enough = suggested_for(seen.peak);
    if (seen.runs < kRunsLeast || enough > seen.asked / 5 * 4) continue;
    Candidate candidate;
    candidate.suggestion = {.program = key.second,
                            .tenant = key.first,
                            .runs = seen.runs,
                            .asked_bytes = seen.asked,
                            .peak_bytes = seen.peak,
                            .suggested_bytes = enough};
    for (const std::size_t i : seen.jobs) {
      candidate.spared += static_cast<double>(past.details[i].vram_bytes - enough) *
                          as_seconds(past.trace[i].duration);
    }
    candidate.jobs = std::move(seen.jobs);
    found.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(found, std::greater<>{}, &Candidate::spared);
  if (found.size() > kTriedMost) found.resize(kTriedMost);
  return found;
}

Trace with_less(const Past& past, const Candidate& candidate) {
  Trace trace = past.trace;
  for (const std::size_t i : candidate.jobs) {
    Needs& needs = trace[i].needs;
    needs.vram_bytes = std::min(needs.vram_bytes, candidate.suggestion.suggested_bytes);
    // What was not asked for follows from the memory.
    if (!past.details[i].share_asked) needs.share_percent = 0;
  }
  return trace;
}

// Of those jobs; empty: of all.
double mean_wait(const Simulated& done, const std::vector<std::size_t>& jobs) {
  double sum = 0;
  double count = 0;
  const auto add = [&](std::size_t i) {
    const auto& start = done.outcome.jobs[i].first_start;
    if (!start) return;
    sum += as_seconds(*start - done.trace[i].submit);
    ++count;
  };
  if (jobs.empty()) {
    for (std::size_t i = 0; i < done.trace.size(); ++i) add(i);
  } else {
    for (const std::size_t i : jobs) add(i);
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

std::uint64_t suggested_for(std::uint64_t peak_bytes) {
  const std::uint64_t margin = std::max(peak_bytes / 4, kGibibyte);
  return (peak_bytes + margin + kGibibyte - 1) / kGibibyte * kGibibyte;
}

Result<std::vector<Suggestion>> suggest(const SimulateAsked& asked, Past past) {
  keep_what_fits(asked.machine, past);
  const std::vector<Candidate> candidates = candidates_of(past);
  std::vector<Suggestion> best;
  if (candidates.empty()) return best;
  const auto as_asked = simulate_trace(asked, past.trace);
  if (!as_asked) return failure(as_asked.error());
  for (const Candidate& candidate : candidates) {
    const auto less = simulate_trace(asked, with_less(past, candidate));
    if (!less) return failure(less.error());
    Suggestion suggestion = candidate.suggestion;
    suggestion.sooner_s = mean_wait(*as_asked, candidate.jobs) - mean_wait(*less, candidate.jobs);
    const bool for_all = mean_wait(*less, {}) <= mean_wait(*as_asked, {}) + 1;
    if (suggestion.sooner_s >= kSoonerLeast && for_all) best.push_back(std::move(suggestion));
  }
  std::ranges::stable_sort(best, [](const Suggestion& a, const Suggestion& b) {
    return a.sooner_s * static_cast<double>(a.runs) > b.sooner_s * static_cast<double>(b.runs);
  });
  if (best.size() > kSuggestionsMost) best.resize(kSuggestionsMost);
  return best;
}

std::string suggestion_text(const Suggestion& one) {
  const double hours = one.sooner_s / 3600;
  const std::string sooner =
      hours >= 1 ? fmt::format("{:.1f} h", hours) : fmt::format("{:.0f} min", one.sooner_s / 60);
  return fmt::format(
      "{} of {} asks for {} and used at most {} in {} runs; with {} it would have started {} "
      "earlier on average.",
      one.program, one.tenant, gib(one.asked_bytes), gib(one.peak_bytes), one.runs,
      gib(one.suggested_bytes), sooner);
}

}  // namespace gpusched::replay
