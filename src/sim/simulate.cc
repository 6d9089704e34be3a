// The replay itself: arrivals and ends in order of virtual time, one decision after each instant.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

#include "core/apply.h"
#include "sim/workload.h"

namespace gpusched {
namespace {

Microseconds micros(double seconds) {
  return Microseconds{static_cast<Microseconds::rep>(seconds * 1e6)};
}
double seconds(Microseconds duration) { return static_cast<double>(duration.count()) / 1e6; }

Now at(Microseconds time) { return {Wall{time}, Boot{time}}; }

SubmitAsked submission_of(const WorkloadJob& job, std::uint64_t number) {
  auto spec = std::make_shared<JobSpec>();
  spec->argv = {"job"};
  spec->environment = std::make_shared<Environment>();
  spec->needs = job.needs;
  spec->time.limit = std::chrono::duration_cast<Seconds>(micros(std::ceil(job.time_limit_s)));
  spec->time.grace = Seconds{0};
  SubmitAsked asked;
  asked.submission = number;
  asked.owner.user = job.user;
  asked.tenant = job.user;
  asked.priority = job.priority;
  asked.spec = std::move(spec);
  asked.tasks.emplace_back();
  return asked;
}

struct End {
  Microseconds at{};
  JobId job{};
  friend bool operator>(const End& a, const End& b) {
    return std::pair(a.at, a.job) > std::pair(b.at, b.job);
  }
};

class Replay {
 public:
  Replay(const std::vector<WorkloadJob>& workload, const MachineDescription& machine)
      : workload_(workload), state_(machine.rules, machine.host) {
    state_.set_cards(machine.cards);
    order_.resize(workload.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return workload[i].submit_s; });
    of_job_.resize(workload.size() + 1);
  }

  Result<WorkloadResult> run() {
    std::size_t arrived = 0;
    while (arrived < order_.size() || !ends_.empty()) {
      Microseconds now = Microseconds::max();
      if (arrived < order_.size()) now = micros(workload_[order_[arrived]].submit_s);
      if (!ends_.empty()) now = std::min(now, ends_.top().at);
      while (!ends_.empty() && ends_.top().at == now) end_one(now);
      for (; arrived < order_.size() && micros(workload_[order_[arrived]].submit_s) == now;
           ++arrived) {
        if (auto taken = arrive(order_[arrived], now); !taken) return failure(taken.error());
      }
      apply(state_, TimePassed{}, at(now));
      start_what_fits(now);
      state_.keep_changes();
      last_ = now;
    }
    return result();
  }

 private:
  Result<void> arrive(std::size_t index, Microseconds now) {
    const Applied applied = apply(state_, submission_of(workload_[index], index + 1), at(now));
    if (const auto* refusal = std::get_if<Refusal>(&applied.answer)) {
      return failure(ErrorCode::kNeverFits,
                     fmt::format("job {} of the workload: {}", index + 1, refusal->message));
    }
    of_job_[number_of(std::get<Submitted>(applied.answer).first)] = index;
    return {};
  }
  void start_what_fits(Microseconds now) {
    for (const Decision& decision : decide(state_, at(now)).decisions) {
      const Start& start = std::get<Start>(decision);
      if (accept(state_, decision, at(now)).effects.empty()) continue;
      const Job& job = *state_.find(start.job);
      const WorkloadJob& source = workload_[of_job_[number_of(start.job)]];
      apply(state_, AttemptRunning{job.current_attempt(), at(now).wall}, at(now));
      const Microseconds whole = micros(source.duration_s);
      const Microseconds limit = job.spec->time.limit;
      const bool cut = limit > Microseconds{0} && whole > limit;
      ends_.push({now + (cut ? limit : whole), start.job});
      timed_out_ += cut ? 1 : 0;
      const Microseconds waited = now - micros(source.submit_s);
      waits_.push_back(seconds(waited));
      for (const CardGrant& held : start.grant.cards) {
        card_seconds_ += seconds(cut ? limit : whole) * held.share_percent / 100.0;
      }
    }
  }
  void end_one(Microseconds now) {
    const JobId id = ends_.top().job;
    ends_.pop();
    const WorkloadJob& source = workload_[of_job_[number_of(id)]];
    completions_.push_back(seconds(now - micros(source.submit_s)));
    AttemptFinished finished{.attempt = state_.find(id)->current_attempt()};
    finished.exit_code = 0;
    finished.ended_at = at(now).wall;
    apply(state_, finished, at(now));
  }
  WorkloadResult result() {
    WorkloadResult result;
    result.jobs = completions_.size();
    result.timed_out = timed_out_;
    const auto mean = [](const std::vector<double>& values) {
      return std::accumulate(values.begin(), values.end(), 0.0) /
             static_cast<double>(std::max<std::size_t>(1, values.size()));
    };
    result.average_completion_s = mean(completions_);
    result.average_wait_s = mean(waits_);
    result.longest_wait_s = waits_.empty() ? 0 : *std::ranges::max_element(waits_);
    std::ranges::sort(completions_);
    const auto quantile = [&](double part) {
      const auto rank =
          static_cast<std::size_t>(std::ceil(part * static_cast<double>(completions_.size())));
      return completions_[std::max<std::size_t>(1, rank) - 1];
    };
    result.median_completion_s = quantile(0.5);
    result.p99_completion_s = quantile(0.99);
    result.makespan_s = seconds(last_ - micros(workload_[order_.front()].submit_s));
    const double there = result.makespan_s * static_cast<double>(state_.cards().size());
    result.card_use_percent = there > 0 ? 100.0 * card_seconds_ / there : 0;
    return result;
  }

  const std::vector<WorkloadJob>& workload_;
  State state_;
  std::vector<std::size_t> order_;   // By arrival.
  std::vector<std::size_t> of_job_;  // Workload index by job number.
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<double> completions_;
  std::vector<double> waits_;
  double card_seconds_ = 0;
  std::uint64_t timed_out_ = 0;
  Microseconds last_{0};
};

}  // namespace

Result<WorkloadResult> simulate(const std::vector<WorkloadJob>& workload,
                                const MachineDescription& machine) {
  return Replay(workload, machine).run();
}

}  // namespace gpusched
