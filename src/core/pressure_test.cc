// Jobs that grow beyond what they said, on a card that fills up: who leaves, who stands still, and
// that nobody dies of it. The card is played here, with the delays of a real one.
#include "core/pressure.h"

#include <gtest/gtest.h>

#include <map>

#include "core/explain.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

constexpr double kCardGib = 140;
// From a decision to a frozen process, to a locked one, and how fast memory leaves: as measured on
// an H200, the slow end of it.
constexpr int kFreezeMs = 60, kLockMs = 300;
constexpr double kOutGibPerS = 1.6;

State large_card(Rules rules = {}) {
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
  std::string said_of(std::uint64_t job) const {
    const auto why = why_waiting(state_, *state_.find(JobId{job}), now());
    return why.empty() ? "" : describe(why.front());
  }
  Now now() const {
    const Microseconds passed = std::chrono::milliseconds{ms_};
    return {at_second(0).wall + passed, at_second(0).boot + passed};
  }
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
  int ms_ = 0;
  int next_look_ = 0;
};

// So many jobs that say 30 GiB and run.
State with_jobs(int count, Rules rules = {}) {
  State state = large_card(rules);
  for (int i = 1; i <= count; ++i) {
    ask().vram(30).share(10).submit(state, at_second(0));
    take_turn(state, 0);
    run(state, static_cast<std::uint64_t>(i), at_second(0));
  }
  return state;
}

TEST(Pressure, TwoJobsThatGrowBeyondTheCardBothLive) {
  for (const double rate : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    State state = with_jobs(2);
    CardPlay play(state);
    play.add(1, 1, rate, 85);
    play.add(2, 1, rate, 85);
    play.run(600'000);
    EXPECT_EQ(play.died(), 0u) << rate << " GiB/s";
    EXPECT_EQ(play.ended(), 2u) << rate << " GiB/s";
  }
}

TEST(Pressure, FourJobsThatGrowOneAfterTheOtherAllLive) {
  for (const double rate : {1.0, 4.0}) {
    State state = with_jobs(4);
    CardPlay play(state);
    for (std::uint64_t job = 1; job <= 4; ++job) {
      play.add(job, 10, rate, 60 + 5 * static_cast<double>(job));
    }
    play.run(1'500'000);
    EXPECT_EQ(play.died(), 0u) << rate << " GiB/s";
    EXPECT_EQ(play.ended(), 4u) << rate << " GiB/s";
  }
}

// Up to the moment at which one leaves and the other stands still.
void fill_up(State& state, CardPlay& play, double rate = 4) {
  play.add(1, 20, rate, 85);
  play.add(2, 20, rate, 85);
  for (int i = 0; i < 3000 && state_of(state, 2) != "pausing"; ++i) play.run(10);
  ASSERT_EQ(state_of(state, 2), "pausing") << "the younger one leaves";
  ASSERT_TRUE(stands_still(*state.find(JobId{1})));
}

TEST(Pressure, WhoStandsStillKeepsItsPlaceAndSaysForWhom) {
  State state = with_jobs(2);
  CardPlay play(state);
  fill_up(state, play);
  EXPECT_EQ(play.said_of(1), "stands still until job 2 has left its card, which is almost full");
  play.run(500);
  EXPECT_EQ(state_of(state, 1), "paused");
  EXPECT_EQ(state.holds_on(0).jobs, 2);
  EXPECT_EQ(held_by(*state.find(JobId{1})).cards.front().share_percent, 10);
  EXPECT_EQ(state.find(JobId{1})->moves, 0);
  for (int i = 0; i < 60'000 && !play.of(2).away; i += 10) play.run(10);
  EXPECT_EQ(state_of(state, 2), "paused");
  play.run(200);
  EXPECT_EQ(state_of(state, 1), "running");
  EXPECT_EQ(play.died(), 0u);
}

TEST(Pressure, ItGoesOnWhenTheOtherEndsOnItsWay) {
  State state = with_jobs(2);
  CardPlay play(state);
  fill_up(state, play);
  play.run(500);
  play.end(2);
  play.run(500);
  EXPECT_EQ(state_of(state, 1), "running");
}

TEST(Pressure, ItGoesOnWhenTheMoveFailsAndTheOneThatCouldNotLeaveIsNotAskedAgainAtOnce) {
  State state = with_jobs(2);
  CardPlay play(state);
  fill_up(state, play);
  play.run(500);
  play.move_fails(2);
  EXPECT_EQ(state_of(state, 1), "resuming");
  play.run(1000);
  const Aside* next = aside_of(*state.find(JobId{1}));
  EXPECT_EQ(next->phase, AsidePhase::kPausing) << "the other is next";
  EXPECT_EQ(next->mechanism, Mechanism::kCheckpoint);
}

TEST(Pressure, ItGoesOnUnderTheNextDaemon) {
  for (const int after_ms : {0, 30, 500, 10'000}) {
    State state = with_jobs(2);
    CardPlay play(state);
    fill_up(state, play);
    play.run(after_ms);
    play.restart(large_card());
    play.run(600'000);
    EXPECT_EQ(play.died(), 0u) << after_ms;
    EXPECT_EQ(play.ended(), 2u) << after_ms;
  }
}

TEST(Pressure, NobodyStandsStillWhereNobodyCanLeave) {
  Rules off;
  off.preemption = Preemption::kOff;
  for (const bool never : {false, true}) {
    State state = large_card(never ? Rules{} : off);
    for (std::uint64_t job = 1; job <= 2; ++job) {
      Ask one = ask().vram(30).share(10);
      if (never) one.spec().preempt = PreemptPolicy::kNever;
      one.submit(state, at_second(0));
      take_turn(state, 0);
      run(state, job, at_second(0));
    }
    CardPlay play(state);
    play.add(1, 20, 4, 85);
    play.add(2, 20, 4, 85);
    for (int i = 0; i < 300; ++i) {
      play.run(100);
      if (play.died() > 0) break;
      ASSERT_FALSE(stands_still(*state.find(JobId{1})));
      ASSERT_FALSE(stands_still(*state.find(JobId{2})));
    }
    EXPECT_GT(play.died(), 0u) << "the card that is played does run out";
  }
}

TEST(Pressure, OneThatSaysNeverStandsStillButStays) {
  State state = large_card();
  for (std::uint64_t job = 1; job <= 2; ++job) {
    Ask one = ask().vram(30).share(10);
    if (job == 1) one.spec().preempt = PreemptPolicy::kNever;
    one.submit(state, at_second(0));
    take_turn(state, 0);
    run(state, job, at_second(0));
  }
  CardPlay play(state);
  fill_up(state, play, 8);
  play.run(600'000);
  EXPECT_EQ(play.died(), 0u);
  EXPECT_EQ(state.find(JobId{1})->moves, 0);
}

TEST(Pressure, WhoGrowsUpToWhatItAskedForMovesNobody) {
  State state = large_card();
  for (std::uint64_t job = 1; job <= 2; ++job) {
    ask().vram(60).share(10).submit(state, at_second(0));
    take_turn(state, 0);
    run(state, job, at_second(0));
  }
  CardPlay play(state);
  play.add(1, 1, 8, 60);
  play.add(2, 1, 8, 60);
  play.run(60'000);
  EXPECT_EQ(play.ended(), 2u);
  EXPECT_EQ(state.find(JobId{1})->moves + state.find(JobId{2})->moves, 0);
}

// Who was asked to start over for it would be back on the card at once, again and again.
TEST(Pressure, NobodyJoinsAJobThatGrowsBeyondWhatItAskedFor) {
  State state = large_card();
  ask().vram(30).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  testing::run(state, 1, at_second(0));
  const auto see = [&](std::uint64_t gib, std::int64_t second) {
    CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
    SeenProcess seen{.pid = 7};
    seen.vram_bytes = gib * kGiB;
    seen.attempt = AttemptId{JobId{1}, 1};
    view.processes = {seen};
    view.used_bytes = gib * kGiB;
    apply(state, CardSeen{CardNumber{0}, view}, view.at);
  };
  see(35, 1);
  see(40, 2);
  ask().vram(5).submit(state, at_second(2));
  EXPECT_TRUE(start_what_fits(state, at_second(2)).empty());
  const auto why = why_waiting(state, *state.find(JobId{2}), at_second(2));
  ASSERT_FALSE(why.empty());
  EXPECT_NE(describe(why.front()).find("grows beyond what it asked for"), std::string::npos);
  see(40, 3);
  see(40, 4);
  EXPECT_EQ(start_what_fits(state, at_second(4)).size(), 1U) << "it has what it wants";
}

TEST(Pressure, AShortStopIsNoMove) {
  State state = with_jobs(2);
  CardPlay play(state);
  fill_up(state, play);
  play.run(500);
  play.end(2);
  play.run(500);
  const Job& job = *state.find(JobId{1});
  ASSERT_EQ(state_of(state, 1), "running");
  EXPECT_LT(movable_from(state, std::get<Running>(job.state), play.now()),
            play.now().wall + state.rules().room.run_least)
      << "no cool-down";
}

}  // namespace
}  // namespace gpusched::testing
