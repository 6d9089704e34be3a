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
