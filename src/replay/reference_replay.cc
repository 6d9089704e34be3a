#include "replay/reference_replay.h"

#include <algorithm>

#include "core/policy/attained_queues.h"
#include "core/policy/timeshare.h"
#include "core/state/pending.h"
#include "replay/card_ledger.h"

namespace gpusched::replay {
namespace {

using policy::Chosen;
using policy::Contender;

constexpr Microseconds kNever = Microseconds::max();

class ReferenceRun {
 public:
  ReferenceRun(const Trace& trace, const ReferenceSettings& settings)
      : trace_(trace),
        settings_(settings),
        layout_(settings.nodes, settings.cards_per_node),
        ledger_(settings.nodes, settings.cards_per_node),
        queues_(settings.limits) {
    jobs_.reserve(trace.size());
    stretch_.resize(trace.size());
    goes_on_.resize(trace.size(), nullptr);
    outcome_.jobs.resize(trace.size());
    outcome_.nodes = settings.nodes;
    outcome_.cards = layout_.total();
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const TraceJob& job = trace[i];
      jobs_.push_back({.job = i,
                       .cards = job.cards(),
                       .band = band_rank(job.priority),
                       .total = job.duration,
                       .remaining = job.duration});
      costs_.push_back(settings.cost.of(job));
    }
  }

  Outcome run() {
    std::size_t ended = 0;
    while (ended < jobs_.size()) {
      if (settings_.give_up && (turns_ & 63U) == 0 && settings_.give_up()) break;
      const Microseconds now = next_event();
      ended += progress(now);
      for (; arrived_ < jobs_.size() && trace_[arrived_].submit <= now; ++arrived_) {
        arrive(jobs_[arrived_]);
      }
      last_ = now;
      decide();
      ++turns_;
      if (settings_.progress != nullptr && (turns_ & 1023U) == 0) {
        settings_.progress(static_cast<double>(ended) / static_cast<double>(jobs_.size()));
      }
    }
    return std::move(outcome_);
  }

 private:
  bool preemptive() const {
    return settings_.policy == ReferencePolicy::kSrtf ||
           settings_.policy == ReferencePolicy::kSrsf ||
           settings_.policy == ReferencePolicy::kLas ||
           settings_.policy == ReferencePolicy::kTimeshare;
  }
  bool charges_every_event() const { return settings_.cost.kind == CostKind::kMuri; }

  Microseconds next_event() const {
    Microseconds next = arrived_ < jobs_.size() ? trace_[arrived_].submit : kNever;
    for (const Contender* one : running_) next = std::min(next, last_ + one->remaining);
    if (settings_.policy == ReferencePolicy::kLas) {
      for (const Contender* one : running_) {
        const Microseconds in = queues_.until_limit(one->job, one->attained, one->cards);
        if (in != kNever) next = std::min(next, last_ + in);
      }
    }
    if (settings_.policy == ReferencePolicy::kTimeshare && order_.size() > running_.size()) {
      const Microseconds in = policy::timeshare_next(running_order());
      if (in != kNever) next = std::min(next, last_ + in);
    }
    return next;
  }

  // Time passes for what runs. How many jobs ended.
  std::size_t progress(Microseconds now) {
    const Microseconds passed = now - last_;
    std::size_t ended = 0;
    std::size_t kept = 0;
    for (Contender* one : running_) {
      one->attained += passed;
      outcome_.jobs[one->job].on_cards += passed;
      if (one->remaining == passed) {
        end(*one, now);
        ++ended;
        continue;
      }
      const Microseconds cost = charges_every_event() ? costs_[one->job] : Microseconds{0};
      const Microseconds done = std::max(Microseconds{0}, passed - cost);
      one->remaining -= done;
      lose(*one, passed - done);
      running_[kept++] = one;
    }
    running_.resize(kept);
    if (ended > 0 && preemptive()) {
      std::erase_if(order_, [](const Contender* one) { return one->remaining.count() == 0; });
    }
    return ended;
  }

  void end(Contender& one, Microseconds now) {
    one.remaining = Microseconds{0};
    leave_cards(one, now);
    outcome_.jobs[one.job].end = now;
    if (settings_.policy == ReferencePolicy::kLas) queues_.remove(one.job);
  }

  void arrive(Contender& one) {
    if (settings_.policy == ReferencePolicy::kLas) {
      queues_.admit(one.job);
    } else if (settings_.policy == ReferencePolicy::kSjf) {
      const auto shorter = [](const Contender* a, const Contender* b) {
        return a->total < b->total;
      };
      const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(head_);
      order_.insert(std::upper_bound(begin, order_.end(), &one, shorter), &one);
      return;
    }
    order_.push_back(&one);
  }

  void decide() {
    switch (settings_.policy) {
      case ReferencePolicy::kFifoStrict:
      case ReferencePolicy::kSjf:
        return start(
            policy::choose_starts(waiting(), layout_, policy::OnMisfit::kStop, settings_.fit));
      case ReferencePolicy::kFifoGreedy:
        return start(
            policy::choose_starts(waiting(), layout_, policy::OnMisfit::kSkip, settings_.fit));
      case ReferencePolicy::kEasy:
        return start(policy::choose_easy(waiting(), running_order(), layout_, settings_.fit));
      case ReferencePolicy::kSrtf:
        std::ranges::stable_sort(order_, {}, [](const Contender* one) { return one->remaining; });
        return run_only(choose_all());
      case ReferencePolicy::kSrsf:
        std::ranges::stable_sort(order_, {},
                                 [](const Contender* one) { return one->remaining * one->cards; });
        return run_only(choose_all());
      case ReferencePolicy::kLas:
        for (Contender* one : running_) queues_.account(one->job, one->attained, one->cards);
        order_.clear();
        for (const std::size_t job : queues_.in_order()) order_.push_back(&jobs_[job]);
        run_only(choose_all());
        return queues_.put_running_first([&](std::size_t job) { return jobs_[job].running; });
      case ReferencePolicy::kTimeshare:
        policy::timeshare_sort(order_);
        return run_only(choose_all());
    }
  }

  policy::Order waiting() const {
    return policy::Order(order_.data(), order_.size()).subspan(head_);
  }
  policy::Order running_order() const { return {running_.data(), running_.size()}; }

  std::vector<Chosen> choose_all() const {
    const policy::NodeLayout empty(settings_.nodes, settings_.cards_per_node);
    return policy::choose_all({order_.data(), order_.size()}, empty,
                              {.fit = settings_.fit, .moves_are_free = charges_every_event()});
  }

  // Starts beside what runs already.
  void start(const std::vector<Chosen>& chosen) {
    for (const Chosen& one : chosen) enter_cards(jobs_[one.job], one.places);
    std::size_t from_head = 0;
    while (head_ < order_.size() && order_[head_]->running) {
      ++head_;
      ++from_head;
    }
    if (from_head < chosen.size() || head_ > 4096) {
      order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
      std::erase_if(order_, [](const Contender* one) { return one->running; });
    }
  }

  // Exactly the chosen run from now on.
  void run_only(const std::vector<Chosen>& chosen) {
    for (const Chosen& one : chosen) goes_on_[one.job] = &one.places;
    std::vector<Contender*> before;
    before.swap(running_);
    for (Contender* one : before) {
      const policy::Places* next = goes_on_[one->job];
      if (next != nullptr && *next == one->places) {
        running_.push_back(one);
        continue;
      }
      leave_cards(*one, last_);
      const bool moves_free = charges_every_event() && next != nullptr;
      if (moves_free) continue;
      ++outcome_.jobs[one->job].preemptions;
      if (!charges_every_event()) {
        one->remaining += costs_[one->job];
        lose(*one, costs_[one->job]);
      }
    }
    for (const Chosen& one : chosen) {
      if (!jobs_[one.job].running) enter_cards(jobs_[one.job], one.places);
    }
    for (const Chosen& one : chosen) goes_on_[one.job] = nullptr;
  }

  void enter_cards(Contender& one, const policy::Places& places) {
    layout_.take(places);
    one.places = places;
    one.running = true;
    running_.push_back(&one);
    JobOutcome& seen = outcome_.jobs[one.job];
    if (!seen.first_start) seen.first_start = last_;
    stretch_[one.job] = {one.job, last_, last_, ledger_.take(places)};
  }
  void leave_cards(Contender& one, Microseconds now) {
    layout_.give_back(one.places);
    one.places.clear();
    one.running = false;
    Stretch& stretch = stretch_[one.job];
    ledger_.give_back(stretch.cards);
    stretch.end = now;
    outcome_.stretches.push_back(std::move(stretch));
  }
  void lose(const Contender& one, Microseconds time) {
    outcome_.lost_card_seconds +=
        static_cast<double>(one.cards) * std::chrono::duration<double>(time).count();
  }

  const Trace& trace_;
  const ReferenceSettings& settings_;
  std::vector<Contender> jobs_;  // As in the trace; everything else points into it.
  std::vector<Microseconds> costs_;
  policy::NodeLayout layout_;
  CardLedger ledger_;
  policy::AttainedQueues queues_;
  std::vector<Contender*> order_;  // Waiting jobs; with a preemptive policy all unfinished ones.
  std::size_t head_ = 0;           // Of order_; before it are jobs that have started.
  std::vector<Contender*> running_;
  std::vector<Stretch> stretch_;                // The current one of each job.
  std::vector<const policy::Places*> goes_on_;  // Where, by job; used within one decision.
  std::size_t arrived_ = 0;
  Microseconds last_{0};
  std::uint64_t turns_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome replay_reference(const Trace& trace, const ReferenceSettings& settings) {
  return ReferenceRun(trace, settings).run();
}

}  // namespace gpusched::replay
