#include "core/model/health.h"

#include <gtest/gtest.h>

#include "core/explain/explain.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Jobs = std::vector<std::uint64_t>;
const Principal kHealthActor = ourselves();

TEST(Health, AProgramsOwnFaultDoesNotCostACard) {
  for (const std::uint64_t xid : {13, 31, 43, 45}) {
    EXPECT_EQ(judge(TroubleKind::kXid, xid).consequence, Consequence::kKeep) << xid;
  }
}

TEST(Health, ALostCardSaysWhatToDo) {
  const Verdict verdict = judge(TroubleKind::kXid, 79);
  EXPECT_EQ(verdict.consequence, Consequence::kDrain);
  EXPECT_TRUE(verdict.jobs_lost);
  expect_words(verdict.what);
  EXPECT_EQ(verdict.advice, "reboot");
}

TEST(Health, AnUnknownNumberIsAWarning) {
  EXPECT_EQ(judge(TroubleKind::kXid, 9999).consequence, Consequence::kWarn);
}

TEST(Health, ADrainedCardGetsNothingNewAndOthersGoOn) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  EXPECT_EQ(start_what_fits(state, at_second(0)), Jobs{1});
  apply(state, DrainAsked{kHealthActor, {CardNumber{0}, CardNumber{1}}, "dust"}, at_second(1));
  ask().submit(state, at_second(1));
  EXPECT_EQ(start_what_fits(state, at_second(1)), Jobs{});
  EXPECT_EQ(state.counts().starting, 1U) << "what runs goes on";
  expect_reason(ReasonCode::kNoSuchCard, reason_of(state, 2, at_second(1)));
  apply(state, UndrainAsked{kHealthActor, {CardNumber{1}}}, at_second(2));
  EXPECT_EQ(start_what_fits(state, at_second(2)), Jobs{2});
}

TEST(Health, OnlyAdministratorsDrainAndOnlyCardsThatAreThere) {
  State state = machine(1, 24);
  const auto refused = [&](const Event& event) {
    return std::get<Refusal>(apply(state, event, at_second(0)).answer).kind;
  };
  EXPECT_EQ(refused(DrainAsked{{.uid = 1000}, {CardNumber{0}}, ""}), RefusalKind::kForbidden);
  EXPECT_EQ(refused(DrainAsked{kHealthActor, {CardNumber{7}}, ""}), RefusalKind::kNotFound);
  EXPECT_EQ(refused(UndrainAsked{kHealthActor, {CardNumber{0}}}), RefusalKind::kConflict);
}

TEST(Health, JobsOnALostCardEndAsGpuLostOrGoElsewhere) {
  State state = machine(2, 24);
  ask().submit(state, at_second(0));
  Ask restartable = ask();
  restartable.spec().restartable = true;
  restartable.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  for (const CardNumber card : {CardNumber{0}, CardNumber{1}}) {
    const Applied applied =
        apply(state, CardTroubleSeen{card, TroubleKind::kXid, 79}, at_second(1));
    ASSERT_EQ(applied.effects.size(), 1U);
    EXPECT_EQ(std::get<StopAttempt>(applied.effects[0]).grace, Seconds{0});
  }
  for (const std::uint64_t job : {1, 2}) {
    AttemptFinished ended{.attempt = {JobId{job}, 1}, .cause = Cause::kSignal};
    ended.signal = 9;
    apply(state, ended, at_second(2));
  }
  const auto& lost = std::get<Ended>(state.find(JobId{1})->state);
  EXPECT_EQ(lost.cause, Cause::kGpuLost);
  EXPECT_TRUE(std::holds_alternative<Queued>(state.find(JobId{2})->state));
  EXPECT_EQ(start_what_fits(state, at_second(3)), Jobs{});
}

TEST(Health, ACardThatFellOffTheBusIsBackWhenItIsSeenAgain) {
  State state = machine(1, 24);
  CardView view{.condition = CardCondition::kGone, .reason = "lost", .at = at_second(1)};
  apply(state, CardSeen{CardNumber{0}, view}, at_second(1));
  EXPECT_TRUE(state.cards()[0].drained);
  EXPECT_EQ(state.drains().size(), 1U);
  view = {.condition = CardCondition::kOk, .reason = {}, .at = at_second(60)};
  apply(state, CardSeen{CardNumber{0}, view}, at_second(60));
  EXPECT_TRUE(state.cards()[0].usable);
  EXPECT_TRUE(state.drains().empty());
}

TEST(Health, AFailedCommitUndoesADrain) {
  State state = machine(1, 24);
  apply(state, DrainAsked{kHealthActor, {CardNumber{0}}, ""}, at_second(0));
  EXPECT_EQ(state.changes().drains.put.size(), 1U);
  state.roll_back(at_second(0));
  EXPECT_TRUE(state.cards()[0].usable);
  EXPECT_TRUE(state.drains().empty());
}

}  // namespace
}  // namespace gpusched::testing
