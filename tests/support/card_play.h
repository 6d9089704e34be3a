// A card with jobs that grow, played with the delays of a real one: who is told to leave or to
// stand still does so a moment later, and who asks for more than there is dies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/explain/explain.h"
#include "core/preempt/pressure.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {

inline constexpr double kCardGib = 140;
// From a decision to a frozen process, to a locked one, and how fast memory leaves: as measured on
// an H200, the slow end of it.
inline constexpr int kFreezeMs = 60, kLockMs = 300;
inline constexpr double kOutGibPerS = 1.6;

inline State large_card(Rules rules = {}) {
  State state = moving_machine(1, static_cast<std::uint64_t>(kCardGib), rules);
  state.set_host({32, 1024 * kGiB});
  return state;
}

struct Grower {
  double gib = 0;
  double rate = 0;  // GiB a second.
  double most = 0;
  bool stopped = false;  // Frozen, locked or away.
  bool away = false, ended = false, died = false;
};

class CardPlay {
 public:
  explicit CardPlay(State& state) : state_(state) {}

  void add(std::uint64_t job, double gib, double rate, double most) {
    growers_[job] = {.gib = gib, .rate = rate, .most = most};
  }
  // Whoever has reached its most goes on for `work_ms` and ends.
  void run(int for_ms, int work_ms = 5000) {
    for (const int end = ms_ + for_ms; ms_ < end; ms_ += 10) {
      deliver();
      grow(work_ms);
      if (ms_ >= next_look_) look();
    }
  }
  std::size_t died() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(growers_, [](const auto& one) { return one.second.died; }));
  }
  std::size_t ended() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(growers_, [](const auto& one) { return one.second.ended; }));
  }
  // The daemon is another one: what was seen is forgotten, orders are given again.
  void restart(State fresh) {
    for (const auto& [id, job] : state_.jobs()) fresh.put(job, now());
    state_ = std::move(fresh);
    for (const JobId id : std::set<JobId>(state_.active())) {
      const Job& job = *state_.find(id);
      const bool driver = aside_of(job) && aside_of(job)->mechanism == Mechanism::kCheckpoint;
      if (aside_phase(job) == AsidePhase::kPausing) obey(MoveAside{job.current_attempt(), driver});
      if (aside_phase(job) == AsidePhase::kResuming) obey(BringBack{job.current_attempt(), driver});
    }
    next_look_ = ms_ + 500;
  }
  void end(std::uint64_t job) {
    growers_[job] = {.stopped = true, .away = true, .ended = true};
    events_.erase(job);
    finish(state_, job, 0, now());
    decide_now();
  }
  void move_fails(std::uint64_t job) {
    events_.erase(job);
    growers_[job].stopped = false;
    apply(state_,
          MoveFailed{state_.find(JobId{job})->current_attempt(), MoveLeft::kRunning, false, "busy"},
          now());
    decide_now();
  }
  Now now() const {
    const Microseconds passed = std::chrono::milliseconds{ms_};
    return {at_second(0).wall + passed - set_back_, at_second(0).boot + passed};
  }
  void set_clock_back(Seconds by) { set_back_ = by; }
  const Grower& of(std::uint64_t job) { return growers_[job]; }

 private:
  struct Order {
    int at_ms = 0;
    bool out = false, driver = false;
    int locked_at_ms = 0;
  };

  void grow(int work_ms) {
    double used = 0;
    for (auto& [job, one] : growers_) {
      if (!one.stopped && !one.ended) one.gib = std::min(one.most, one.gib + one.rate / 100);
      if (!one.away) used += one.gib;
    }
    for (auto& [job, one] : growers_) {
      if (one.stopped || one.ended || one.rate == 0) continue;
      if (used > kCardGib) {
        one.died = true;
        end(job);
        growers_[job].died = true;
      } else if (one.gib >= one.most && (worked_[job] += 10) >= work_ms) {
        end(job);
      }
    }
  }
  void look() {
    CardSeen seen{CardNumber{0}, {}};
    seen.view.condition = CardCondition::kOk;
    seen.view.at = now();
    std::uint64_t used = 0;
    for (const auto& [job, one] : growers_) {
      if (one.away || one.ended) continue;
      const auto bytes = static_cast<std::uint64_t>(one.gib * static_cast<double>(kGiB));
      used += bytes;
      seen.view.processes.push_back({.pid = static_cast<int>(job),
                                     .vram_bytes = bytes,
                                     .attempt = state_.find(JobId{job})->current_attempt()});
    }
    seen.view.used_bytes = used;
    apply(state_, seen, now());
    next_look_ = ms_ + 1000;
    decide_now();
  }
  void decide_now() {
    for (const Decision& decision : decide(state_, now()).decisions) {
      for (const Effect& effect : accept(state_, decision, now()).effects) {
        if (const auto* out = std::get_if<MoveAside>(&effect)) obey(*out);
        if (const auto* back = std::get_if<BringBack>(&effect)) obey(*back);
      }
    }
    state_.check_invariants();
    if (wants_close_looks(state_, 0, now())) next_look_ = std::min(next_look_, ms_ + 100);
  }
  void obey(const MoveAside& out) {
    const std::uint64_t job = number_of(out.attempt.job);
    ASSERT_FALSE(out.checkpoint && growers_[job].stopped && !growers_[job].away &&
                 !events_.contains(job))
        << "a stopped process is to be locked";
    if (events_.contains(job) && events_[job].out && events_[job].driver == out.checkpoint) return;
    if (!out.checkpoint) {
      events_[job] = {.at_ms = ms_ + kFreezeMs, .out = true};
      return;
    }
    const int copying = static_cast<int>(growers_[job].gib / kOutGibPerS * 1000);
    events_[job] = {ms_ + kLockMs + copying, true, true, ms_ + kLockMs};
  }
  void obey(const BringBack& back) {
    const std::uint64_t job = number_of(back.attempt.job);
    events_[job] = {.at_ms = ms_ + kFreezeMs, .driver = back.checkpoint};
  }
  void deliver() {
    for (auto& [job, order] : events_) {
      if (order.driver && order.out && ms_ >= order.locked_at_ms) growers_[job].stopped = true;
    }
    for (auto it = events_.begin(); it != events_.end();) {
      if (it->second.at_ms > ms_) {
        ++it;
        continue;
      }
      const auto [job, order] = *it;
      events_.erase(it);
      const AttemptId attempt = state_.find(JobId{job})->current_attempt();
      Grower& one = growers_[job];
      one.stopped = order.out;
      one.away = order.out && order.driver;
      if (order.out) {
        const auto bytes = static_cast<std::uint64_t>(one.gib * static_cast<double>(kGiB));
        apply(state_, MovedAside{attempt, {}, order.driver ? bytes : 0}, now());
      } else {
        apply(state_, BroughtBack{attempt, {}}, now());
      }
      decide_now();
      it = events_.begin();
    }
  }

  State& state_;
  std::map<std::uint64_t, Grower> growers_;
  std::map<std::uint64_t, Order> events_;
  std::map<std::uint64_t, int> worked_;
  Seconds set_back_{0};
  int ms_ = 0;
  int next_look_ = 0;
};

// So many jobs that say 30 GiB and run.
inline State with_jobs(int count, Rules rules = {}) {
  State state = large_card(rules);
  for (int i = 1; i <= count; ++i) {
    ask().vram(30).share(10).submit(state, at_second(0));
    take_turn(state, 0);
    run(state, static_cast<std::uint64_t>(i), at_second(0));
  }
  return state;
}

}  // namespace gpusched::testing
