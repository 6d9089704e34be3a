#include <gtest/gtest.h>

#include "core/apply/preview.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

const Principal kAdopter{.uid = 1000};
const Principal kOther{.uid = 1001};

State adopting_machine(int cards = 1, Rules rules = {}) {
  rules.room.run_least = Seconds{0};
  rules.room.cool_down = Seconds{0};
  State state = machine(cards, 24, 8, rules);
  std::vector<Card> list = state.cards();
  for (Card& card : list) card.moves = true;
  state.set_cards(std::move(list));
  return state;
}

void show_process(State& state, int pid, std::uint64_t gib, std::optional<AttemptId> attempt = {},
                  std::int64_t second = 0) {
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(second)};
  SeenProcess seen{.pid = pid};
  seen.vram_bytes = gib * kGiB;
  seen.attempt = attempt;
  view.processes = {seen};
  apply(state, CardSeen{CardNumber{0}, view}, view.at);
}

AdoptAsked adoption(int pid, JobSpec spec = {}) {
  spec.argv = {"python", "train.py"};
  spec.environment = std::make_shared<Environment>();
  spec.adopted = std::make_shared<AdoptedProcess>(AdoptedProcess{pid, Boot{Seconds{5}}});
  AdoptAsked asked{
      .owner = {1000, 1000, "user1000"}, .tenant = "user1000", .spec = {}, .tree = {pid}};
  asked.spec = std::make_shared<JobSpec>(std::move(spec));
  return asked;
}

AdoptAsked by_rule(int pid) {
  AdoptAsked asked = adoption(pid);
  JobSpec spec = *asked.spec;
  spec.adopted = std::make_shared<AdoptedProcess>(AdoptedProcess{pid, Boot{Seconds{5}}, true});
  asked.spec = std::make_shared<JobSpec>(std::move(spec));
  return asked;
}

const Ended& adopted_end(const State& state, std::uint64_t id) {
  return std::get<Ended>(state.find(JobId{id})->state);
}

template <class E>
bool has_effect(const Applied& applied) {
  return std::ranges::any_of(
      applied.effects, [](const Effect& effect) { return std::holds_alternative<E>(effect); });
}

Applied ended(State& state, std::uint64_t id, bool let_go, std::int64_t second) {
  AttemptFinished report{.attempt = state.find(JobId{id})->current_attempt()};
  report.let_go = let_go;
  report.ended_at = at_second(second).wall;
  return apply(state, report, at_second(second));
}

TEST(Adopt, IsLaunchedAtOnceOnTheCardsWhereItIs) {
  State state = adopting_machine(2);
  show_process(state, 7, 10);
  const Applied done = apply(state, adoption(7), at_second(1));
  EXPECT_EQ(std::get<Submitted>(done.answer).first, JobId{1});
  EXPECT_TRUE(has_effect<Launch>(done));
  EXPECT_EQ(state_of(state, 1), "starting");
  EXPECT_EQ(cards_of(state, 1), std::vector<int>{0});
  EXPECT_EQ(grant_of(*state.find(JobId{1}))->cards[0].vram_bytes, 10 * kGiB);
  EXPECT_EQ(state.find(JobId{1})->spec->needs.vram_bytes, 10 * kGiB) << "shown as its need";
  run(state, 1, at_second(2));
  EXPECT_EQ(state_of(state, 1), "running");
  state.check_invariants();
}

TEST(Adopt, IsCountedOnceWhenItIsSeenAsAJob) {
  State state = adopting_machine();
  show_process(state, 7, 10);
  EXPECT_EQ(state.holds_on(0).ungranted.vram_bytes, 10 * kGiB);
  apply(state, adoption(7), at_second(1));
  run(state, 1, at_second(2));
  show_process(state, 7, 10, AttemptId{JobId{1}, 1}, 3);
  EXPECT_EQ(state.holds_on(0).ungranted.vram_bytes, 0u);
  EXPECT_EQ(state.holds_on(0).vram_bytes, 10 * kGiB);
  ended(state, 1, true, 4);
  EXPECT_EQ(state.holds_on(0).ungranted.vram_bytes, 10 * kGiB) << "foreign again, at once";
}

TEST(Adopt, NothingIsRefusedForLackOfRoom) {
  State state = adopting_machine();
  ask().vram(20).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  show_process(state, 7, 10);
  EXPECT_TRUE(accepted(apply(state, adoption(7), at_second(1)).answer));
  EXPECT_EQ(state.holds_on(0).vram_bytes, 30 * kGiB) << "said as it is";
}

TEST(Adopt, SaysWhatIsWrong) {
  State state = adopting_machine();
  expect_refused(RefusalKind::kInvalid, apply(state, adoption(7), at_second(1)).answer);
  JobSpec named;
  CardFilter filter;
  filter.only.numbers = {CardNumber{0}};
  named.needs.cards = filter;
  EXPECT_TRUE(accepted(apply(state, adoption(7, named), at_second(1)).answer));
  EXPECT_TRUE(grant_of(*state.find(JobId{1}))->cards[0].whole) << "nothing is known of it";
  expect_refused(RefusalKind::kConflict, apply(state, adoption(7, named), at_second(1)).answer);
  expect_refused(RefusalKind::kConflict, preview(state, adoption(7, named), at_second(1)));
  show_process(state, 9, 1, AttemptId{JobId{1}, 1});
  expect_refused(RefusalKind::kConflict, apply(state, adoption(9), at_second(1)).answer);
}

TEST(Adopt, HowItEndedIsNotKnownAndNothingIsLearnt) {
  State state = adopting_machine();
  show_process(state, 7, 10);
  apply(state, adoption(7), at_second(1));
  run(state, 1, at_second(2));
  ended(state, 1, false, 10);
  EXPECT_EQ(state_of(state, 1), "completed");
  EXPECT_EQ(adopted_end(state, 1).exit_code, std::nullopt);
  EXPECT_EQ(state.estimates().size(), 0u);
  const Applied again = apply(state, RequeueAsked{kAdopter, {JobId{1}}}, at_second(11));
  EXPECT_TRUE(std::get<Changed>(again.answer).jobs.empty());
}

TEST(Adopt, IsTakenOverAgainWhenACrashCameBetween) {
  State state = adopting_machine();
  show_process(state, 7, 10);
  apply(state, adoption(7), at_second(1));
  const Applied lost = apply(state, AttemptNeverRan{{JobId{1}, 1}, ""}, at_second(2));
  EXPECT_TRUE(has_effect<Launch>(lost));
  EXPECT_EQ(state_of(state, 1), "starting");
  EXPECT_EQ(state.find(JobId{1})->attempt, 2);
  apply(state, CancelAsked{kAdopter, {JobId{1}}, {}}, at_second(3));
  EXPECT_TRUE(has_effect<Launch>(apply(state, AttemptNeverRan{{JobId{1}, 2}, ""}, at_second(4))));
  const Applied now = apply(state, AttemptRunning{{JobId{1}, 3}, at_second(5).wall}, at_second(5));
  EXPECT_TRUE(has_effect<StopAttempt>(now)) << "whoever was to end it never got there";
  const Applied failed = apply(state, AttemptNeverRan{{JobId{1}, 9}, ""}, at_second(6));
  EXPECT_TRUE(failed.effects.empty()) << "late news";
}

TEST(Adopt, WhoWasEndedByUsHasNotCompleted) {
  State state = adopting_machine();
  show_process(state, 7, 10);
  JobSpec limited;
  limited.extras.edit().vram_limit_bytes = 11 * kGiB;
  apply(state, adoption(7, limited), at_second(1));
  run(state, 1, at_second(2));
  for (std::int64_t second : {3, 4}) show_process(state, 7, 12, AttemptId{JobId{1}, 1}, second);
  EXPECT_TRUE(has_effect<StopAttempt>(apply(state, TimePassed{}, at_second(70))));
  ended(state, 1, false, 71);
  EXPECT_EQ(state_of(state, 1), "failed");
  EXPECT_EQ(adopted_end(state, 1).cause, Cause::kVramLimit);
}

TEST(Adopt, ALostSupervisorIsNotTheEndOfIt) {
  State state = adopting_machine();
  show_process(state, 7, 10);
  apply(state, adoption(7), at_second(1));
  run(state, 1, at_second(2));
  AttemptFinished lost{.attempt = {JobId{1}, 1}, .cause = Cause::kSupervisorLost};
  lost.ended_at = at_second(3).wall;
  apply(state, lost, at_second(3));
  EXPECT_EQ(state_of(state, 1), "failed");
  expect_words(adopted_end(state, 1).message);
}

TEST(LetGo, EndsTheJobAndNotTheProcess) {
  State state = adopting_machine();
  show_process(state, 7, 10);
  apply(state, adoption(7), at_second(1));
  run(state, 1, at_second(2));
  const Applied asked = apply(state, LetGoAsked{kAdopter, {JobId{1}}}, at_second(3));
  EXPECT_TRUE(has_effect<LetGo>(asked));
  EXPECT_FALSE(has_effect<StopAttempt>(asked));
  const Applied cancel = apply(state, CancelAsked{kAdopter, {JobId{1}}, {}}, at_second(3));
  EXPECT_TRUE(cancel.effects.empty()) << "it is out of our hands";
  ended(state, 1, true, 4);
  EXPECT_EQ(state_of(state, 1), "completed");
  expect_words(adopted_end(state, 1).message);
}

TEST(LetGo, IsRefusedWithAReason) {
  State state = adopting_machine();
  ask().vram(1).uid(1000).submit(state, at_second(0));
  const auto let_go = [&](const Principal& actor, std::uint64_t id) {
    return apply(state, LetGoAsked{actor, {JobId{id}}}, at_second(1)).answer;
  };
  expect_unchanged(1, let_go(kAdopter, 1));
  expect_refused(RefusalKind::kForbidden, let_go(kOther, 1));
  expect_refused(RefusalKind::kNotFound, let_go(kAdopter, 8));
  show_process(state, 7, 10);
  apply(state, adoption(7), at_second(1));
  EXPECT_TRUE(std::get<Changed>(let_go(kAdopter, 2)).unchanged.empty())
      << "before anybody has taken it over";
  expect_unchanged(2, let_go(kAdopter, 2));
  const Applied now = apply(state, AttemptRunning{{JobId{2}, 1}, at_second(2).wall}, at_second(2));
  EXPECT_TRUE(has_effect<LetGo>(now));
}

TEST(LetGo, WaitsUntilItIsBackOnItsCards) {
  State state = adopting_machine();
  show_process(state, 7, 10);
  apply(state, adoption(7), at_second(1));
  run(state, 1, at_second(2));
  const AttemptId attempt{JobId{1}, 1};
  apply(state, PauseAsked{kAdopter, {JobId{1}}}, at_second(3));
  apply(state, MovedAside{.attempt = attempt, .bytes = 10 * kGiB}, at_second(4));
  show_process(state, 9, 0, {}, 5);
  const Applied asked = apply(state, LetGoAsked{kAdopter, {JobId{1}}}, at_second(5));
  EXPECT_TRUE(asked.effects.empty());
  bool returns = false;
  for (const Decision& decision : decide(state, at_second(6)).decisions) {
    returns = returns || std::holds_alternative<Resume>(decision);
    accept(state, decision, at_second(6));
  }
  EXPECT_TRUE(returns) << "though it was paused by hand";
  const Applied back = apply(state, BroughtBack{.attempt = attempt}, at_second(7));
  EXPECT_FALSE(has_effect<LetGo>(back)) << "nobody has seen it there yet";
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(8)};
  EXPECT_TRUE(has_effect<LetGo>(apply(state, CardSeen{CardNumber{0}, view}, at_second(8))));
}

TEST(LetGo, IsNotForgottenWhenItsCardIsLostInTheSameLook) {
  State state = adopting_machine(2);
  show_process(state, 7, 10);
  apply(state, adoption(7), at_second(1));
  run(state, 1, at_second(2));
  const AttemptId attempt{JobId{1}, 1};
  apply(state, PauseAsked{kAdopter, {JobId{1}}}, at_second(3));
  apply(state, MovedAside{.attempt = attempt, .bytes = 10 * kGiB}, at_second(4));
  show_process(state, 9, 0, {}, 5);
  apply(state, LetGoAsked{kAdopter, {JobId{1}}}, at_second(5));
  for (const Decision& decision : decide(state, at_second(6)).decisions) {
    accept(state, decision, at_second(6));
  }
  apply(state, BroughtBack{.attempt = attempt}, at_second(7));
  // It is seen there, and with the next look the card is gone.
  show_process(state, 7, 10, attempt, 8);
  CardView gone{.condition = CardCondition::kGone, .reason = "off the bus", .at = at_second(9)};
  EXPECT_TRUE(has_effect<LetGo>(apply(state, CardSeen{CardNumber{0}, gone}, at_second(9))));
}

TEST(LetGo, FollowsTheReturnOfWhatARuleAdopted) {
  Rules rules;
  rules.room.idle_after = Seconds{60};
  State state = adopting_machine(1, rules);
  show_process(state, 7, 10);
  apply(state, by_rule(7), at_second(1));
  run(state, 1, at_second(2));
  const AttemptId attempt{JobId{1}, 1};
  apply(state, PauseAsked{ourselves(), {JobId{1}}}, at_second(3));
  apply(state, MovedAside{.attempt = attempt, .bytes = 10 * kGiB}, at_second(4));
  apply(state, ResumeAsked{kAdopter, {JobId{1}}}, at_second(5));
  show_process(state, 9, 0, {}, 5);
  for (const Decision& decision : decide(state, at_second(6)).decisions) {
    accept(state, decision, at_second(6));
  }
  apply(state, BroughtBack{.attempt = attempt}, at_second(7));
  CardView view{.condition = CardCondition::kOk, .reason = {}, .at = at_second(8)};
  EXPECT_TRUE(has_effect<LetGo>(apply(state, CardSeen{CardNumber{0}, view}, at_second(8))));
}

JobSpec spec_on(int card) {
  JobSpec spec;
  CardFilter filter;
  filter.only.numbers = {CardNumber{static_cast<std::uint16_t>(card)}};
  spec.needs.cards = filter;
  return spec;
}

TEST(Adopt, WithoutBeingOnTheCardItWaitsItsTurnLikeEverybody) {
  State state = adopting_machine(2);
  show_process(state, 7, 10);
  EXPECT_TRUE(accepted(preview(state, adoption(8, spec_on(1)), at_second(1))));
  ask().gpus(2).submit(state, at_second(1));
  expect_refused(RefusalKind::kConflict,
                 apply(state, adoption(8, spec_on(1)), at_second(1)).answer);
  EXPECT_TRUE(accepted(preview(state, adoption(7), at_second(1)))) << "it is there already";
}

TEST(Adopt, GetsNoMoreMemoryThanThereIs) {
  State state = adopting_machine(1);
  show_process(state, 7, 10);
  JobSpec large;
  large.needs.vram_bytes = 20 * kGiB;
  EXPECT_TRUE(accepted(preview(state, adoption(7, large), at_second(1))));
  ask().vram(10).submit(state, at_second(1));
  start_what_fits(state, at_second(1));
  expect_refused(RefusalKind::kConflict, preview(state, adoption(7, large), at_second(2)));
}

TEST(Adopt, CountsForTheQuotaOfItsOwner) {
  State state = adopting_machine(1);
  show_process(state, 7, 10);
  Tenant tenant{.name = "user1000"};
  tenant.rule.running = 0;
  state.put(tenant);
  EXPECT_FALSE(accepted(preview(state, adoption(7), at_second(1))));
  EXPECT_TRUE(accepted(preview(state, by_rule(7), at_second(1)))) << "nobody asked for it";
}

}  // namespace
}  // namespace gpusched::testing
