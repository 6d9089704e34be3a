#include "api/what_if_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "wire/message_json.h"
#include "wire/messages/what_if.h"

namespace gpusched {
namespace {

constexpr std::array<std::uint64_t, 8> kEdges = {0, 60, 300, 900, 3600, 14'400, 43'200, 86'400};
constexpr std::size_t kMovedShown = 10;
// A wait that differs by less did not change.
constexpr double kMovedLeast = 1;

wire::WhatIfMeasures figures(const replay::Measures& measures) {
  return {.average_wait_s = measures.wait_s.average,
          .median_wait_s = measures.wait_s.median,
          .p90_wait_s = measures.wait_s.p90,
          .p99_wait_s = measures.wait_s.p99,
          .average_completion_s = measures.completion_s.average,
          .utilisation_percent = measures.utilisation_percent,
          .preemptions = measures.preemptions,
          .makespan_s = measures.makespan_s};
}

// One of the three: a trace and what became of it.
struct Replayed {
  const replay::Trace& trace;
  const replay::Outcome& outcome;
  double wait(std::size_t job) const { return replay::wait_of(trace, outcome, job); }
};

class Comparing {
 public:
  Comparing(const WhatIfAbout& about, const replay::WhatIfDone& done)
      : about_(about),
        done_(done),
        was_{done.past.trace, done.past.as_it_was},
        now_{done.as_configured.trace, done.as_configured.outcome},
        then_{done.would.trace, done.would.outcome} {
    then_of_.resize(was_.trace.size());
    for (std::size_t i = 0; i < done.in_past.size(); ++i) then_of_[done.in_past[i]] = i;
    for (std::size_t i = 0; i < was_.trace.size(); ++i) {
      if (counts(was_.trace[i])) ++jobs_;
    }
  }
  std::size_t jobs() const { return jobs_; }

  void fill(wire::WhatIf& answer) const {
    answer.jobs = jobs_;
    answer.was = measured(was_);
    answer.as_configured = measured(now_);
    answer.would = measured(then_);
    answer.waits.edges_s.assign(kEdges.begin(), kEdges.end());
    answer.waits.was = histogram(was_);
    answer.waits.as_configured = histogram(now_);
    answer.waits.would = histogram(then_);
    answer.by_tenant = tenants();
    answer.moved_most = moved();
  }

 private:
  const WhatIfAbout::Shown& shown(const replay::TraceJob& job) const {
    return about_.shown.at(job.line);
  }
  bool counts(const replay::TraceJob& job) const { return !about_.only_own || shown(job).seen; }

  // Of the jobs that count; how the cards were used may be seen by all.
  wire::WhatIfMeasures measured(const Replayed& all) const {
    const replay::Measures whole = replay::measure(all.trace, all.outcome);
    if (!about_.only_own) return figures(whole);
    replay::Trace trace;
    replay::Outcome outcome;
    for (std::size_t i = 0; i < all.trace.size(); ++i) {
      if (!counts(all.trace[i])) continue;
      trace.push_back(all.trace[i]);
      outcome.jobs.push_back(all.outcome.jobs[i]);
    }
    if (trace.empty()) return {};
    wire::WhatIfMeasures own = figures(replay::measure(trace, outcome));
    own.utilisation_percent = whole.utilisation_percent;
    return own;
  }

  std::vector<std::uint64_t> histogram(const Replayed& all) const {
    std::vector<std::uint64_t> bins(kEdges.size());
    for (std::size_t i = 0; i < all.trace.size(); ++i) {
      if (!counts(all.trace[i])) continue;
      const auto wait = static_cast<std::uint64_t>(std::max(0.0, all.wait(i)));
      const auto behind = std::ranges::upper_bound(kEdges, wait);
      ++bins[static_cast<std::size_t>(behind - kEdges.begin()) - 1];
    }
    return bins;
  }

  std::vector<wire::WhatIfTenant> tenants() const {
    struct Sum {
      wire::WhatIfTenant row;
      double would = 0;
      std::uint64_t would_jobs = 0;
    };
    std::map<std::string, Sum> sums;
    for (std::size_t i = 0; i < was_.trace.size(); ++i) {
      const replay::TraceJob& job = was_.trace[i];
      if (!counts(job)) continue;
      Sum& sum = sums[shown(job).tenant_seen ? job.tenant : "others"];
      ++sum.row.jobs;
      sum.row.was_wait_s += was_.wait(i);
      sum.row.as_configured_wait_s += now_.wait(i);
      if (!then_of_[i]) continue;
      sum.would += then_.wait(*then_of_[i]);
      ++sum.would_jobs;
    }
    std::vector<wire::WhatIfTenant> rows;
    for (auto& [tenant, sum] : sums) {
      sum.row.tenant = tenant;
      sum.row.was_wait_s /= static_cast<double>(sum.row.jobs);
      sum.row.as_configured_wait_s /= static_cast<double>(sum.row.jobs);
      if (sum.would_jobs > 0) {
        sum.row.would_wait_s = sum.would / static_cast<double>(sum.would_jobs);
      }
      rows.push_back(std::move(sum.row));
    }
    return rows;
  }

  std::vector<wire::WhatIfJob> moved() const {
    std::vector<wire::WhatIfJob> rows;
    for (std::size_t i = 0; i < was_.trace.size(); ++i) {
      const replay::TraceJob& job = was_.trace[i];
      if (!shown(job).seen || !then_of_[i]) continue;
      wire::WhatIfJob row{.job = job.line,
                          .name = {},
                          .tenant = {},
                          .was_wait_s = was_.wait(i),
                          .as_configured_wait_s = now_.wait(i),
                          .would_wait_s = then_.wait(*then_of_[i])};
      if (by_how_much(row) >= kMovedLeast) rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(rows, std::greater<>{}, by_how_much);
    if (rows.size() > kMovedShown) rows.resize(kMovedShown);
    for (wire::WhatIfJob& row : rows) row.name = about_.shown.at(row.job).name;
    for (const replay::TraceJob& job : was_.trace) {
      for (wire::WhatIfJob& row : rows) {
        if (row.job == job.line) row.tenant = job.tenant;
      }
    }
    return rows;
  }
  static double by_how_much(const wire::WhatIfJob& row) {
    return std::abs(row.would_wait_s - row.as_configured_wait_s);
  }

  const WhatIfAbout& about_;
  const replay::WhatIfDone& done_;
  Replayed was_, now_, then_;
  std::vector<std::optional<std::size_t>> then_of_;  // By the place in the past.
  std::size_t jobs_ = 0;
};

std::vector<std::string> notes_of(const replay::WhatIf& asked, const WhatIfAbout& about,
                                  std::size_t too_large, Wall since) {
  std::vector<std::string> notes = {
      "as_configured replays the same jobs by today's settings on today's cards; compare would "
      "with "
      "it: was also has in it what a replay cannot know.",
      "Each job is taken to run as long as it did, wherever it runs; nobody submits more, or less, "
      "because the machine is another one.",
      "What ran or waited when the time began, and what has not ended yet, is not in it.",
      "Quotas, groups, dependencies, begin times, reservations and the calendar are not replayed, "
      "and nobody is moved aside."};
  if (about.is_part) {
    notes.push_back(
        fmt::format("There are more jobs than are replayed at once: these are the "
                    "newest, since {}.",
                    format_time(since)));
  }
  if (about.ran_again > 0) {
    notes.push_back(
        fmt::format("{} of the jobs ran more than once; the time of earlier attempts "
                    "counts as waiting in was.",
                    about.ran_again));
  }
  if (too_large > 0 && !about.only_own) {
    notes.push_back(
        fmt::format("{} jobs ask for more than this machine has, or would have; they "
                    "are left out everywhere.",
                    too_large));
  }
  if (asked.policy != "default") {
    notes.push_back(
        fmt::format("{} gives whole cards: in would no two jobs share one.", asked.policy));
  }
  if (!asked.without_tenant.empty()) {
    notes.push_back(fmt::format("would has no job of tenant {}.", asked.without_tenant));
  }
  if (about.only_own) {
    notes.emplace_back(
        "Jobs of others were replayed, too; all but the use of the cards is told of "
        "your own.");
  }
  return notes;
}

}  // namespace

Result<std::string> what_if_json(const replay::WhatIf& asked, const WhatIfAbout& about,
                                 std::vector<replay::PastJob> jobs) {
  const Wall oldest = std::ranges::min(jobs, {}, &replay::PastJob::submitted).submitted;
  const Wall since = about.is_part ? oldest : about.asked_since;
  auto done = replay::replay_what_if(asked, std::move(jobs));
  if (!done) return failure(done.error());
  const Comparing comparing(about, *done);
  if (comparing.jobs() == 0) {
    return failure(ErrorCode::kConflict,
                   "no job of yours has run and ended in that time: there is nothing to compare");
  }
  wire::WhatIf answer;
  comparing.fill(answer);
  answer.left_out = about.never_ran + (about.only_own ? 0 : done->too_large);
  answer.since = since;
  answer.until = about.until;
  answer.notes = notes_of(asked, about, done->too_large, since);
  return wire::to_json(answer);
}

}  // namespace gpusched
