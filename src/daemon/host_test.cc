#include "daemon/host.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(Followable, JobsAndClientsTogetherNeverNeedMoreThanThereIs) {
  for (const std::uint64_t descriptors : {100U, 256U, 1024U, 20'000U, 65'536U, 1U << 20}) {
    const Followable most = followable_with(descriptors, 40, 264);
    EXPECT_GE(most.jobs, 1);
    EXPECT_LE(most.clients, 264);
    EXPECT_LE(40U + 2U * static_cast<unsigned>(most.jobs + most.clients), descriptors);
  }
}

TEST(Followable, AFewOfEachAreServedHoweverFewDescriptorsThereAre) {
  for (const std::uint64_t descriptors : {0U, 10U, 32U, 60U}) {
    const Followable most = followable_with(descriptors, 40, 264);
    EXPECT_EQ(most.jobs, 1);
    EXPECT_EQ(most.clients, 4);
  }
}

TEST(Followable, WithMoreDescriptorsThereIsRoomForMoreJobs) {
  EXPECT_EQ(followable_with(1024, 40, 264).clients, 242);
  EXPECT_EQ(followable_with(1024, 40, 264).jobs, 242);
  EXPECT_EQ(followable_with(65'536, 40, 264).clients, 264);
  EXPECT_GT(followable_with(65'536, 40, 264).jobs, 30'000);
}

}  // namespace
}  // namespace gpusched
