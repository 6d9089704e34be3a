#include "core/model/kind.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gpusched {
namespace {

JobSpec lease() {
  JobSpec spec;
  spec.lease = std::make_shared<LeaseTerms>();
  return spec;
}

JobSpec adopted(bool by_rule = false) {
  JobSpec spec;
  spec.adopted = std::make_shared<const AdoptedProcess>(AdoptedProcess{.by_rule = by_rule});
  return spec;
}

TEST(Kinds, FollowFromWhatTheSpecSays) {
  EXPECT_STREQ(kind_of(JobSpec{}).name, "command");
  EXPECT_STREQ(kind_of(lease()).name, "lease");
  EXPECT_STREQ(kind_of(adopted()).name, "adopted");
}

TEST(Kinds, WhatIsNotStartedHereMayOutliveItsJobAndDoesNotRunAgain) {
  for (const JobSpec& spec : {JobSpec{}, lease(), adopted()}) {
    const Kind& kind = kind_of(spec);
    EXPECT_EQ(kind.outlives_job, !kind.started_here) << kind.name;
    EXPECT_EQ(kind.not_again == nullptr, kind.started_here) << kind.name;
    EXPECT_EQ(kind.no_log == nullptr, kind.started_here) << kind.name;
  }
}

TEST(Kinds, TheProcessOfAHolderIsNotOurs) {
  const Kind& kind = kind_of(lease());
  EXPECT_FALSE(kind.has_shim || kind.may_freeze || kind.moves_busy);
  EXPECT_TRUE(kind_of(adopted()).has_shim);
}

TEST(Kinds, AShimTakesOverOnlyWhatRanBefore) {
  EXPECT_TRUE(kind_of(adopted()).taken_over());
  EXPECT_FALSE(kind_of(lease()).taken_over());
  EXPECT_FALSE(kind_of(JobSpec{}).taken_over());
}

TEST(Kinds, OnlyWhatWasTakenOverCanBeLetGo) {
  for (const JobSpec& spec : {JobSpec{}, lease(), adopted()}) {
    const Kind& kind = kind_of(spec);
    EXPECT_EQ(kind.not_let_go == nullptr, kind.taken_over()) << kind.name;
  }
}

TEST(Kinds, WhatAHolderHasHasNoCommandAndEndsWithTheMachine) {
  for (const JobSpec& spec : {JobSpec{}, lease(), adopted()}) {
    const Kind& kind = kind_of(spec);
    EXPECT_EQ(kind.no_command != nullptr, kind.has_holder) << kind.name;
    EXPECT_EQ(kind.outlasts_machine, !kind.has_holder) << kind.name;
    EXPECT_FALSE(kind.has_holder && kind.has_shim) << kind.name;
  }
}

TEST(Kinds, AProcessIsThereBeforeTheJobUnlessWeStartIt) {
  EXPECT_EQ(process_before(JobSpec{}), 0);
  JobSpec held = lease();
  held.lease->pid = 7;
  EXPECT_EQ(process_before(held), 7);
  JobSpec taken;
  taken.adopted = std::make_shared<const AdoptedProcess>(AdoptedProcess{.pid = 8});
  EXPECT_EQ(process_before(taken), 8);
}

TEST(Kinds, OnlyARuleAdoptsWhatNobodyAskedFor) {
  Job job;
  for (const JobSpec& spec : {JobSpec{}, lease(), adopted()}) {
    job.spec = std::make_shared<const JobSpec>(spec);
    EXPECT_FALSE(adopted_by_rule(job));
  }
  job.spec = std::make_shared<const JobSpec>(adopted(true));
  EXPECT_TRUE(adopted_by_rule(job));
}

}  // namespace
}  // namespace gpusched
