#include "replay/core_replay.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <queue>

#include "core/apply/apply.h"
#include "core/apply/preview.h"
#include "core/state/state.h"
#include "replay/colocation.h"

namespace gpusched::replay {
namespace {

// What never happened is not counted.
Rules uncounted(Rules rules) {
  rules.work_keep_for = rules.past_keep_for = Seconds{0};
  return rules;
}

Now moment(Microseconds time) { return {Wall{time}, Boot{time}}; }

struct CoreEnd {
  Microseconds at{};
  JobId job{};
  std::uint64_t version = 0;  // Another one than the job's: it was told anew since.
  friend bool operator>(const CoreEnd& a, const CoreEnd& b) {
    return std::pair(a.at, a.job) > std::pair(b.at, b.job);
  }
};

// What is left to do of a job, and at which pace it goes.
struct Work {
  JobId id{};
  Microseconds left{0};
  Microseconds since{0};
  Microseconds cut_at = Microseconds::max();  // By its time limit.
  Pace pace = kFullPace;
  std::uint64_t version = 0;
};

SubmitAsked submission_of(const TraceJob& job, std::size_t index, double limit_factor) {
  static const auto environment = std::make_shared<const Environment>();
  auto spec = std::make_shared<JobSpec>();
  spec->argv = {"job"};
  spec->environment = environment;
  spec->needs = job.needs;
  spec->time.limit = std::chrono::ceil<Seconds>(job.time_limit);
  if (limit_factor > 0) {
    const double limit = static_cast<double>(job.duration.count()) * limit_factor;
    const Microseconds whole{static_cast<Microseconds::rep>(limit)};
    spec->time.limit = std::max(Seconds{1}, std::chrono::ceil<Seconds>(whole));
  }
  spec->time.grace = Seconds{0};
  SubmitAsked asked;
  asked.submission = index + 1;
  asked.owner.user = job.tenant;
  asked.tenant = job.tenant;
  asked.priority = job.priority;
  asked.actor = ourselves();  // Whoever it was, it was accepted.
  asked.spec = std::move(spec);
  asked.tasks.emplace_back();
  return asked;
}

class CoreRun {
 public:
  CoreRun(const Trace& trace, const Machine& machine, const CoreSettings& settings)
      : trace_(trace), settings_(settings), state_(uncounted(settings.rules), machine.host) {
    state_.set_cards(machine.cards);
    ConfiguredTenants tenants;
    for (const auto& [tenant, weight] : settings.weights) tenants.rules[tenant].weight = weight;
    if (!tenants.rules.empty()) state_.configure_tenants(std::move(tenants));
    of_job_.resize(trace.size() + 1);
    outcome_.jobs.resize(trace.size());
    outcome_.nodes = machine.nodes;
    outcome_.cards = machine.total();
    stretch_.resize(trace.size());
    work_.resize(trace.size());
    if (settings.colocation_percent) {
      colocation_.emplace(machine.cards.size(), *settings.colocation_percent);
    }
  }

  Result<Outcome> run() {
    std::size_t arrived = 0;
    std::size_t ended = 0;
    while (ended < trace_.size()) {
      if (settings_.give_up && (turns_ & 63U) == 0 && settings_.give_up()) {
        return failure(ErrorCode::kTooLarge, "the replay was given up");
      }
      drop_stale_ends();
      Microseconds now = Microseconds::max();
      if (arrived < trace_.size()) now = trace_[arrived].submit;
      if (!ends_.empty()) now = std::min(now, ends_.top().at);
      if (now == Microseconds::max()) {
        return failure(ErrorCode::kInternal, "jobs wait although nothing runs");
      }
      for (; !ends_.empty() && ends_.top().at == now; ++ended) {
        end_one(now);
        drop_stale_ends();
      }
      for (; arrived < trace_.size() && trace_[arrived].submit == now; ++arrived) {
        if (auto taken = arrive(arrived, now); !taken) return failure(taken.error());
      }
      apply(state_, TimePassed{}, moment(now));
      start_what_fits(now);
      state_.keep_changes();
      ++turns_;
      if (settings_.progress != nullptr && (turns_ & 1023U) == 0) {
        settings_.progress(static_cast<double>(ended) / static_cast<double>(trace_.size()));
      }
    }
    return std::move(outcome_);
  }

 private:
  Result<void> arrive(std::size_t index, Microseconds now) {
    const Applied applied =
        apply(state_, submission_of(trace_[index], index, settings_.limit_factor), moment(now));
    if (const auto* refusal = std::get_if<Refusal>(&applied.answer)) {
      return failure(ErrorCode::kNeverFits,
                     fmt::format("line {}: {}", trace_[index].line, refusal->message));
    }
    of_job_[number_of(std::get<Submitted>(applied.answer).first)] = index;
    return {};
  }

  void start_what_fits(Microseconds now) {
    const Decided decided = decide(state_, moment(now));
    for (const Decision& decision : decided.decisions) {
      const auto* start = std::get_if<Start>(&decision);
      if (!accept(state_, decision, moment(now)).effects.empty() && start) begin(*start, now);
    }
    if (!decided.reserved || !decided.reserved->start) return;
    JobOutcome& first = outcome_.jobs[of_job_[number_of(decided.reserved->job)]];
    if (!first.predicted_start) {
      first.predicted_start = decided.reserved->start->time_since_epoch();
    }
  }

  void begin(const Start& start, Microseconds now) {
    const Job& job = *state_.find(start.job);
    const std::size_t index = of_job_[number_of(start.job)];
    apply(state_, AttemptRunning{job.current_attempt(), moment(now).wall}, moment(now));
    const Microseconds whole = trace_[index].duration;
    const Microseconds limit = state_.find(start.job)->spec->time.limit;
    JobOutcome& seen = outcome_.jobs[index];
    seen.first_start = now;
    Stretch stretch{.job = index, .start = now};
    for (const CardGrant& held : start.grant.cards) {
      stretch.cards.push_back(static_cast<int>(*state_.index_of(held.card)));
      stretch.part = held.share_percent / 100.0;
    }
    stretch_[index] = std::move(stretch);
    work_[index] = {.id = start.job, .left = whole, .since = now};
    if (limit > Microseconds{0}) work_[index].cut_at = now + limit;
    tell_end(index, now);
    if (!colocation_) return;
    const auto others = colocation_->join(index, stretch_[index].cards, load_of(start.grant));
    repace(index, now);
    for (const std::size_t other : others) repace(other, now);
  }

  // When it is over at its present pace.
  void tell_end(std::size_t index, Microseconds now) {
    Work& work = work_[index];
    const Microseconds at = now + time_for(work.left, work.pace);
    outcome_.jobs[index].cut = at > work.cut_at;
    ends_.push({std::min(at, work.cut_at), work.id, ++work.version});
  }

  void repace(std::size_t index, Microseconds now) {
    Work& work = work_[index];
    const Pace pace = colocation_->pace_on(stretch_[index].cards);
    if (pace == work.pace) return;
    work.left = std::max(Microseconds{0}, work.left - work_in(now - work.since, work.pace));
    work.since = now;
    work.pace = pace;
    tell_end(index, now);
  }

  void drop_stale_ends() {
    while (!ends_.empty() &&
           work_[of_job_[number_of(ends_.top().job)]].version != ends_.top().version) {
      ends_.pop();
    }
  }

  void end_one(Microseconds now) {
    const JobId id = ends_.top().job;
    ends_.pop();
    const std::size_t index = of_job_[number_of(id)];
    JobOutcome& seen = outcome_.jobs[index];
    seen.end = now;
    seen.on_cards = now - *seen.first_start;
    stretch_[index].end = now;
    ++work_[index].version;
    if (colocation_) {
      for (const std::size_t other : colocation_->leave(index, stretch_[index].cards)) {
        repace(other, now);
      }
    }
    outcome_.stretches.push_back(std::move(stretch_[index]));
    AttemptFinished finished{.attempt = state_.find(id)->current_attempt()};
    finished.exit_code = 0;
    finished.ended_at = moment(now).wall;
    apply(state_, finished, moment(now));
    state_.remove(id);  // The past is kept here, not in the state.
  }

  const Trace& trace_;
  const CoreSettings& settings_;
  State state_;
  std::vector<std::size_t> of_job_;  // Trace index by job number.
  std::priority_queue<CoreEnd, std::vector<CoreEnd>, std::greater<>> ends_;
  std::vector<Stretch> stretch_;
  std::vector<Work> work_;
  std::optional<Colocation> colocation_;
  std::uint64_t turns_ = 0;
  Outcome outcome_;
};

}  // namespace

std::vector<bool> can_run(const Trace& trace, const Machine& machine, const Rules& rules) {
  State state(uncounted(rules), machine.host);
  state.set_cards(machine.cards);
  std::map<Needs, bool> known;  // Jobs of a sweep are alike.
  std::vector<bool> can;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const auto [entry, is_new] = known.try_emplace(trace[i].needs, true);
    if (is_new) {
      const Answer answer = preview(state, submission_of(trace[i], i, 0), moment(trace[i].submit));
      entry->second = !std::holds_alternative<Refusal>(answer);
    }
    can.push_back(entry->second);
  }
  return can;
}

Result<Outcome> replay_core(const Trace& trace, const Machine& machine,
                            const CoreSettings& settings) {
  return CoreRun(trace, machine, settings).run();
}

}  // namespace gpusched::replay
