#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/apply/preview.h"
#include "core/model/signature.h"
#include "core/share/order.h"
#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

using Numbers = std::vector<std::uint64_t>;
const Principal kSetter = ourselves();

Answer set(State& state, std::vector<JobId> jobs, JobPatch patch, Principal actor = kSetter) {
  return apply(state, SetAsked{std::move(actor), std::move(jobs), std::move(patch)}, at_second(9))
      .answer;
}

JobPatch before(std::uint64_t job) {
  JobPatch patch;
  patch.before = JobId{job};
  return patch;
}

Numbers order_of(const State& state) {
  Numbers ids;
  for (const JobId id : waiting_in_order(state, 100, at_second(10))) ids.push_back(number_of(id));
  return ids;
}

TEST(Set, RefusesWhatCannotBeHadTogether) {
  State state = machine(1, 24);
  ask().gpus(0).submit(state, at_second(0));
  const auto asked = [&](const JobPatch& patch) { return set(state, {JobId{1}}, patch); };
  const auto taken = [](const Answer& answer) { return !std::holds_alternative<Refusal>(answer); };
  expect_refused(RefusalKind::kInvalid, asked(patch_with(&Needs::vram_bytes, 900ULL << 30)));
  expect_refused(RefusalKind::kInvalid,
                 asked(patch_with(&SpecExtras::vram_limit_bytes, 1ULL << 30)));
  JobPatch together = patch_with(&Needs::vram_bytes, 8ULL << 30);
  together.put(&Needs::gpus, CardCount{1, 1});
  EXPECT_TRUE(taken(asked(together)));
  expect_refused(RefusalKind::kInvalid, asked(patch_with(&Needs::gpus, CardCount{0, 0})));
  EXPECT_TRUE(taken(asked(patch_with(&JobSpec::name, std::string("other")))));
}

TEST(Set, TheTrailSaysWhatChangedFromWhatToWhat) {
  State state = machine(1, 24);
  ask().time(3600).submit(state, at_second(0));
  JobPatch patch = patch_with(&TimeRule::limit, Seconds{7200});
  patch.priority = 70;
  set(state, {JobId{1}}, patch);
  expect_said("changed", state.changes().trail.back());
  set(state, {JobId{1}}, patch);
  expect_said("changed", state.changes().trail.back());
}

TEST(Set, AnotherCommandIsAnotherProgram) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  const SignatureId old = state.find(JobId{1})->signature;
  set(state, {JobId{1}}, patch_with(&JobSpec::argv, {"other"}));
  const Job& job = *state.find(JobId{1});
  EXPECT_EQ(job.spec->argv, std::vector<std::string>{"other"});
  EXPECT_NE(job.signature, old);
  EXPECT_EQ(job.signature, signature_of(job).id);
}

TEST(Set, WhatRunsStaysAsItIs) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const Answer answer = set(state, {JobId{1}}, patch_with(&JobSpec::argv, {"other"}));
  expect_unchanged(1, answer);
}

TEST(Set, NewDependenciesAreWaitedForAndCanBeTakenAway) {
  State state = machine(2, 24);
  ask().hold().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  const JobPatch wait = patch_with(&SpecExtras::after, {{JobId{1}}});
  EXPECT_TRUE(accepted(preview(state, SetAsked{kSetter, {JobId{2}}, wait}, at_second(1))));
  set(state, {JobId{2}}, wait);
  EXPECT_FALSE(state.pending().contains(JobId{2}));
  set(state, {JobId{2}}, patch_with(&SpecExtras::after, {}));
  EXPECT_TRUE(state.pending().contains(JobId{2}));
}

TEST(Set, JobsNeverWaitInACircle) {
  State state = machine(1, 24);
  ask().hold().submit(state, at_second(0));
  ask().after(1).submit(state, at_second(0));
  ask().after(2).submit(state, at_second(0));
  expect_refused(RefusalKind::kConflict,
                 set(state, {JobId{1}}, patch_with(&SpecExtras::after, {{JobId{3}}})));
  expect_refused(RefusalKind::kInvalid,
                 set(state, {JobId{1}}, patch_with(&SpecExtras::after, {{JobId{1}}})));
  expect_refused(RefusalKind::kNotFound,
                 set(state, {JobId{1}}, patch_with(&SpecExtras::after, {{JobId{9}}})));
}

TEST(Set, JobsThatRunAgainDoNotWaitInACircleEither) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  ask().after(1).submit(state, at_second(0));
  for (const std::uint64_t id : {1, 2}) {
    start_what_fits(state, at_second(1));
    finish(state, id, 0, at_second(2));
  }
  apply(state, RequeueAsked{kSetter, {JobId{1}}}, at_second(3));
  expect_refused(RefusalKind::kConflict,
                 set(state, {JobId{1}}, patch_with(&SpecExtras::after, {{JobId{2}}})));
}

TEST(Set, ALeaseHasNoCommand) {
  State state = machine(1, 24);
  Ask lease = ask();
  lease.spec().lease = std::make_shared<LeaseTerms>();
  lease.spec().argv = {"x"};
  lease.hold().submit(state, at_second(0));
  const Answer answer = set(state, {JobId{1}}, patch_with(&JobSpec::argv, {"other"}));
  expect_unchanged(1, answer);
}

TEST(Move, PutsAJobBeforeAnotherOfTheSameOwner) {
  State state = machine(1, 24);
  for (int i = 0; i < 4; ++i) ask().submit(state, at_second(i));
  set(state, {JobId{4}}, before(2));
  EXPECT_EQ(order_of(state), (Numbers{1, 4, 2, 3}));
  expect_said("changed", state.changes().trail.back());
  set(state, {JobId{1}, JobId{4}}, before(3));
  EXPECT_EQ(order_of(state), (Numbers{2, 1, 4, 3}));
}

TEST(Move, ReordersWhatWasSubmittedTogether) {
  State state = machine(1, 24);
  ask().array(4).submit(state, at_second(0));
  set(state, {JobId{3}}, before(1));
  EXPECT_EQ(order_of(state), (Numbers{3, 1, 2, 4}));
  EXPECT_EQ(start_what_fits(state, at_second(10)), Numbers{3});
}

TEST(Move, NobodyElsesJobComesLater) {
  State state = machine(1, 24);
  for (const std::uint32_t uid : {1000, 1001, 1000, 1001, 1000}) {
    ask().uid(uid).submit(state, at_second(0));
  }
  set(state, {JobId{5}}, before(1));
  EXPECT_EQ(order_of(state), (Numbers{5, 2, 1, 4, 3}));
}

TEST(Move, OnlyAmongOnesOwnJobsOfOnePriority) {
  State state = machine(1, 24);
  ask().uid(1000).submit(state, at_second(0));
  ask().uid(1001).submit(state, at_second(0));
  ask().uid(1000).priority(60).submit(state, at_second(0));
  const Principal owner{.uid = 1000};
  expect_refused(RefusalKind::kConflict, set(state, {JobId{1}}, before(2), owner));
  expect_refused(RefusalKind::kConflict, set(state, {JobId{1}}, before(3), owner));
  expect_refused(RefusalKind::kForbidden, set(state, {JobId{2}}, before(1), owner));
  expect_refused(RefusalKind::kInvalid, set(state, {JobId{1}}, before(1), owner));
  expect_refused(RefusalKind::kNotFound, set(state, {JobId{1}}, before(9), owner));
}

TEST(Move, WhatRunsHasNoPlace) {
  State state = machine(1, 24);
  for (int i = 0; i < 3; ++i) ask().submit(state, at_second(i));
  start_what_fits(state, at_second(3));
  expect_refused(RefusalKind::kConflict, set(state, {JobId{3}}, before(1)));
  expect_unchanged(1, set(state, {JobId{1}}, before(3)));
}

}  // namespace
}  // namespace gpusched::testing
