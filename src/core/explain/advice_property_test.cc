// Whatever the queue looks like: who follows an advice of explain starts.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/explain/explain.h"
#include "tests/support/room_builders.h"

namespace gpusched::testing {
namespace {

int upto(int most) { return *rc::gen::inRange(0, most + 1); }

JobPatch patch_of(const Help& help) {
  JobPatch patch;
  const int value = static_cast<int>(std::min<std::uint64_t>(help.value, 1'000'000));
  switch (help.kind) {
    case Help::Kind::kLessVram:
      patch.put(&Needs::vram_bytes, help.value);
      break;
    case Help::Kind::kLessShare:
      patch.put(&Needs::share_percent, value);
      break;
    case Help::Kind::kFewerCards:
      patch.put(&Needs::gpus, CardCount{value, value});
      break;
    case Help::Kind::kAnyCards:
      patch.put(&CardFilter::only, CardList{});
      patch.put(&CardFilter::avoid, CardList{});
      patch.put(&CardFilter::type, "");
      break;
    case Help::Kind::kShorterTime:
      patch.put(&TimeRule::limit, Seconds{value});
      break;
    case Help::Kind::kFewerCpus:
      patch.put(&Needs::cpus, value);
      break;
    case Help::Kind::kLessRam:
      patch.put(&Needs::ram_bytes, help.value);
      break;
  }
  return patch;
}

void submit_something(State& state, Now now) {
  Ask one = ask().gpus(1 + (upto(3) == 0 ? 1 : 0));
  if (upto(3) > 0) one.vram(static_cast<std::uint64_t>(1 + upto(22)));
  if (upto(1) == 0) one.share(1 + upto(99));
  if (upto(3) == 0) one.time(1 + upto(1000));
  if (upto(3) == 0) one.cpus(1 + upto(7));
  if (upto(3) == 0) one.spec().needs.ram_bytes = static_cast<std::uint64_t>(1 + upto(63)) * kGiB;
  if (upto(5) == 0 && one.spec().needs.gpus.least == 1) {
    one.spec().needs.cards = CardFilter{.only = {{CardNumber{1}}, {}}};
  }
  one.submit(state, now);
}

void look_at_cards(State& state, Now now) {
  for (std::uint16_t card = 0; card < 2; ++card) {
    CardView view{.condition = CardCondition::kOk, .reason = {}, .at = now};
    if (upto(1) == 0) {
      SeenProcess process{.pid = 4711};
      process.vram_bytes = static_cast<std::uint64_t>(upto(12)) * kGiB;
      process.load_percent = upto(100);
      view.processes = {process};
    }
    apply(state, CardSeen{CardNumber{card}, view}, now);
  }
}

// REQUIRES: nothing is to be decided.
void check_advice(const State& state, Now now) {
  for (const auto& [id, job] : state.jobs()) {
    if (!state.pending().contains(id)) continue;
    const Reason reason = why_waiting(state, job, now).front();
    RC_ASSERT(!describe(reason).empty());
    if (reason.code == ReasonCode::kCards) RC_ASSERT(!reason.lacks.empty());
    RC_ASSERT(reason.code != ReasonCode::kNext);
    for (const Help& help : reason.helps) {
      State tried = state;
      apply(tried, SetAsked{ourselves(), {id}, patch_of(help)}, now);
      start_what_fits(tried, now);
      RC_ASSERT(state_of(tried, number_of(id)) == "starting");
    }
  }
}

RC_GTEST_PROP(Advice, WhoFollowsItStarts, ()) {
  State state = machine(2, 24, 8, without_moves());
  std::vector<Card> cards = state.cards();
  if (upto(2) == 0) cards[0].jobs_most = 1 + upto(2);
  if (upto(3) == 0) cards[1].sharing = false;
  state.set_cards(std::move(cards));
  const Now now = at_second(0);
  look_at_cards(state, now);
  const int jobs = 2 + upto(8);
  for (int i = 0; i < jobs; ++i) submit_something(state, now);
  start_what_fits(state, now);
  check_advice(state, now);
}

// With jobs that are aside: some wait for their place, some stay there by hand.
RC_GTEST_PROP(Advice, WhoFollowsItStartsAlsoBehindThoseWhoComeBack, ()) {
  State state = moving_machine(2, 24);
  const Now now = at_second(0);
  look_at_cards(state, now);
  for (int i = 0, jobs = 2 + upto(4); i < jobs; ++i) submit_something(state, now);
  start_what_fits(state, now);
  const Principal root = ourselves();
  std::vector<JobId> moved;
  for (const JobId id : state.active()) {
    if (upto(1) == 0) moved.push_back(id);
  }
  for (const JobId id : moved) {
    run(state, number_of(id), now);
    apply(state, PauseAsked{root, {id}}, now);
    has_moved(state, number_of(id), 4, 0);
  }
  start_what_fits(state, now);
  for (const JobId id : moved) {
    if (upto(3) > 0) apply(state, ResumeAsked{root, {id}}, now);
  }
  for (int i = 0, jobs = 1 + upto(4); i < jobs; ++i) submit_something(state, now);
  // Who has come back may let others in.
  for (int turn = 0; turn < 8; ++turn) start_what_fits(state, now);
  RC_ASSERT(decide(state, now).decisions.empty());
  check_advice(state, now);
}

}  // namespace
}  // namespace gpusched::testing
