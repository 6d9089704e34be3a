#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/apply/preview.h"
#include "core/model/signature.h"
#include "core/share/order.h"
#include "tests/support/core_builders.h"

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

std::string said_last(const State& state) { return state.changes().trail.back().text; }

TEST(Set, TheTrailSaysWhatChangedFromWhatToWhat) {
  State state = machine(1, 24);
  ask().time(3600).submit(state, at_second(0));
  JobPatch patch = patch_with(&TimeRule::limit, Seconds{7200});
  patch.priority = 70;
  set(state, {JobId{1}}, patch);
  EXPECT_EQ(said_last(state), "priority 50 → 70; time limit 1h → 2h");
  set(state, {JobId{1}}, patch);
  EXPECT_EQ(said_last(state), "set to what it was already");
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
  EXPECT_EQ(std::get<Changed>(answer).unchanged.front().second,
            "is starting; what it runs, needs, group, begin and expiry can change only while it "
            "waits");
}

TEST(Set, NewDependenciesAreWaitedForAndCanBeTakenAway) {
  State state = machine(2, 24);
  ask().hold().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  const JobPatch wait = patch_with(&SpecExtras::after, {{JobId{1}}});
  EXPECT_EQ(refusal_of(preview(state, SetAsked{kSetter, {JobId{2}}, wait}, at_second(1))),
            "accepted");
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
  EXPECT_EQ(refusal_of(set(state, {JobId{1}}, patch_with(&SpecExtras::after, {{JobId{3}}}))),
            "job 1 cannot wait for jobs that wait for it themselves");
  EXPECT_EQ(refusal_of(set(state, {JobId{1}}, patch_with(&SpecExtras::after, {{JobId{1}}}))),
            "job 1 cannot wait for itself");
  EXPECT_EQ(refusal_of(set(state, {JobId{1}}, patch_with(&SpecExtras::after, {{JobId{9}}}))),
            "there is no job 9 to wait for");
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
  EXPECT_EQ(refusal_of(set(state, {JobId{1}}, patch_with(&SpecExtras::after, {{JobId{2}}}))),
            "job 1 cannot wait for jobs that wait for it themselves");
}

TEST(Set, ALeaseHasNoCommand) {
  State state = machine(1, 24);
  Ask lease = ask();
  lease.spec().lease = std::make_shared<LeaseTerms>();
  lease.spec().argv = {"x"};
  lease.hold().submit(state, at_second(0));
  const Answer answer = set(state, {JobId{1}}, patch_with(&JobSpec::argv, {"other"}));
  EXPECT_EQ(std::get<Changed>(answer).unchanged.front().second, "is a lease; it has no command");
}

TEST(Move, PutsAJobBeforeAnotherOfTheSameOwner) {
  State state = machine(1, 24);
  for (int i = 0; i < 4; ++i) ask().submit(state, at_second(i));
  set(state, {JobId{4}}, before(2));
  EXPECT_EQ(order_of(state), (Numbers{1, 4, 2, 3}));
  EXPECT_EQ(said_last(state), "moved before job 2");
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
  EXPECT_EQ(refusal_of(set(state, {JobId{1}}, before(2), owner)),
            "jobs 1 and 2 differ in their owner; only jobs with the same owner, project and "
            "priority can change places");
  EXPECT_NE(refusal_of(set(state, {JobId{1}}, before(3), owner)).find("priority"),
            std::string::npos);
  EXPECT_EQ(refusal_of(set(state, {JobId{2}}, before(1), owner)),
            "job 2 belongs to user1001; only its owner or an administrator may change it");
  EXPECT_EQ(refusal_of(set(state, {JobId{1}}, before(1), owner)),
            "job 1 cannot be moved before itself");
  EXPECT_EQ(refusal_of(set(state, {JobId{1}}, before(9), owner)), "there is no job 9");
}

TEST(Move, WhatRunsHasNoPlace) {
  State state = machine(1, 24);
  for (int i = 0; i < 3; ++i) ask().submit(state, at_second(i));
  start_what_fits(state, at_second(3));
  EXPECT_EQ(refusal_of(set(state, {JobId{3}}, before(1))), "job 1 does not wait; it is starting");
  EXPECT_EQ(std::get<Changed>(set(state, {JobId{1}}, before(3))).unchanged.front().second,
            "does not wait; it is starting");
}

}  // namespace
}  // namespace gpusched::testing
