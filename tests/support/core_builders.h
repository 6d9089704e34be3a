// Short words for core tests, so that a case reads as a picture of the situation.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/apply/apply.h"
#include "core/state/state.h"

namespace gpusched::testing {

inline constexpr std::uint64_t kGiB = 1ULL << 30;

inline Now at_second(std::int64_t seconds) {
  return {Wall{Seconds{1'700'000'000 + seconds}}, Boot{Seconds{1000 + seconds}}};
}

inline State machine(int cards, std::uint64_t gib_each, int cpus = 8, Rules rules = {}) {
  State state(rules, HostCapacity{cpus, 64 * kGiB});
  std::vector<Card> list;
  for (int i = 0; i < cards; ++i) {
    list.push_back({.number = CardNumber{static_cast<std::uint16_t>(i)},
                    .uuid = "GPU-" + std::to_string(i),
                    .model = "Test 24G",
                    .vram_bytes = gib_each * kGiB});
  }
  state.set_cards(std::move(list));
  return state;
}

// Nobody is moved aside: for worlds that do not play moves.
inline Rules without_moves() {
  Rules rules;
  rules.preemption = Preemption::kOff;
  return rules;
}

// ask().gpus(2).vram(8).priority(70).submit(state, now)
class Ask {
 public:
  Ask() {
    asked_.actor = ourselves();  // Any priority; tests of who may what say otherwise.
    spec_.argv = {"true"};
    spec_.working_directory = "/";
    spec_.environment = std::make_shared<Environment>();
  }
  Ask& gpus(int least, int most = -1) {
    spec_.needs.gpus = {least, most < 0 ? least : most};
    if (least == 0) spec_.needs.cpus = 1;
    return *this;
  }
  Ask& all_gpus() {
    spec_.needs.gpus = {1, CardCount::kAllCards};
    return *this;
  }
  Ask& vram(std::uint64_t gib) {
    spec_.needs.vram_bytes = gib * kGiB;
    return *this;
  }
  Ask& share(int percent) {
    spec_.needs.share_percent = percent;
    return *this;
  }
  Ask& cpus(int count) {
    spec_.needs.cpus = count;
    return *this;
  }
  Ask& priority(int value) {
    asked_.priority = value;
    return *this;
  }
  Ask& after(std::uint64_t job, DependencyKind kind = DependencyKind::kOk) {
    spec_.extras.edit().after.push_back({JobId{job}, kind});
    return *this;
  }
  Ask& group(std::string name) {
    spec_.group = std::move(name);
    return *this;
  }
  Ask& key(std::string name) {
    spec_.extras.edit().key = std::move(name);
    return *this;
  }
  Ask& time(std::int64_t seconds) {
    spec_.time.limit = Seconds{seconds};
    spec_.time.grace = Seconds{0};
    return *this;
  }
  Ask& retries(int count) {
    spec_.retry.retries = count;
    return *this;
  }
  Ask& array(int count, int limit = 0) {
    tasks_ = count;
    array_ = true;
    spec_.extras.edit().array_limit = limit;
    return *this;
  }
  Ask& hold() {
    asked_.hold = true;
    return *this;
  }
  Ask& begin(Wall at) {
    spec_.extras.edit().begin = at;
    return *this;
  }
  Ask& expire(Wall at) {
    spec_.extras.edit().expire = at;
    return *this;
  }
  Ask& deadline(Wall at) {
    spec_.extras.edit().deadline = at;
    return *this;
  }
  Ask& uid(std::uint32_t value) {
    asked_.owner.uid = value;
    return *this;
  }
  Ask& as_user() {
    asked_.actor = {};
    return *this;
  }
  JobSpec& spec() { return spec_; }

  SubmitAsked event() const {
    static std::uint64_t next_submission = 1;
    SubmitAsked asked = asked_;
    asked.submission = next_submission++;
    asked.spec = std::make_shared<JobSpec>(spec_);
    asked.owner.user = "user" + std::to_string(asked.owner.uid);
    asked.tenant = asked.owner.user;
    asked.array = array_;
    asked.fingerprint = spec_.argv.front();
    for (int i = 0; i < tasks_; ++i) {
      asked.tasks.push_back({static_cast<std::uint32_t>(i), {}});
    }
    asked.total = asked.tasks.size();
    return asked;
  }
  Answer submit(State& state, Now now) const { return apply(state, event(), now).answer; }

 private:
  JobSpec spec_;
  SubmitAsked asked_;
  int tasks_ = 1;
  bool array_ = false;
};
inline Ask ask() { return {}; }

// Carries a decision out. Who is asked to look at a card sees there what was seen last.
inline Applied accept_and_look(State& state, const Decision& decision, Now now) {
  Applied applied = accept(state, decision, now);
  if (applied.looks.empty()) return applied;
  for (const CardNumber card : applied.looks) {
    CardView same = state.view_of(*state.index_of(card));
    same.at = now;
    state.observe(card, std::move(same));
  }
  return accept(state, decision, now);
}

// Decides and carries the decisions out; the jobs that were started, in order.
inline std::vector<std::uint64_t> start_what_fits(State& state, Now now) {
  std::vector<std::uint64_t> started;
  for (const Decision& decision : decide(state, now).decisions) {
    if (accept_and_look(state, decision, now).effects.empty()) continue;
    if (const auto* start = std::get_if<Start>(&decision)) started.push_back(number_of(start->job));
  }
  return started;
}

inline void run(State& state, std::uint64_t job, Now now) {
  apply(state, AttemptRunning{state.find(JobId{job})->current_attempt(), now.wall}, now);
}
inline Applied finish(State& state, std::uint64_t job, int exit_code, Now now) {
  AttemptFinished report{.attempt = state.find(JobId{job})->current_attempt()};
  report.exit_code = exit_code;
  report.started_at = now.wall;
  report.ended_at = now.wall;
  return apply(state, report, now);
}
inline std::string state_of(const StateView& state, std::uint64_t job) {
  const Job* found = state.find(JobId{job});
  return found ? state_name(found->state) : "gone";
}
inline std::vector<int> cards_of(const StateView& state, std::uint64_t job) {
  std::vector<int> cards;
  for (const CardGrant& held : grant_of(*state.find(JobId{job}))->cards) {
    cards.push_back(number_of(held.card));
  }
  return cards;
}
inline bool accepted(const Answer& answer) { return !std::holds_alternative<Refusal>(answer); }

// What `set` changes: the priority, or one field of the spec.
inline JobPatch priority_patch(int priority) {
  JobPatch patch;
  patch.priority = priority;
  return patch;
}
template <class Part, class Value>
JobPatch patch_with(Value Part::*where, std::type_identity_t<Value> value) {
  JobPatch patch;
  patch.put(where, std::move(value));
  return patch;
}

}  // namespace gpusched::testing
