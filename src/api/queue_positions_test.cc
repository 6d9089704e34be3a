#include "api/queue_positions.h"

#include <gtest/gtest.h>

#include "api/routes/test_routes.h"

namespace gpusched::testing {
namespace {

using QueuePositionsTest = Routes;

// The first job runs, so the place of job n is n - 1.
TEST_F(QueuePositionsTest, ThoseFarBackAreToldTheirPlaceToo) {
  submit(R"("gpus":2)");
  submit(R"("gpus":2,"array":{"indices":"1-1500"})");
  for (const std::uint64_t id : {2, 900, 1001, 1002, 1501}) {
    const auto why = ask("GET", fmt::format("/v1/jobs/{}/explain", id)).json();
    EXPECT_EQ(number(why, "position"), id - 1) << id;
  }
}

TEST_F(QueuePositionsTest, OneThatIsNewAndFarBackIsToldSoonOrNothingWrong) {
  submit(R"("gpus":2)");
  submit(R"("gpus":2,"array":{"indices":"1-1500"})");
  ask("GET", "/v1/jobs/1501/explain");
  const auto late = submit(R"("gpus":2)");
  const TestResponse why = ask("GET", fmt::format("/v1/jobs/{}/explain", late));
  EXPECT_EQ(why.status, 200);
  // A new one in front is counted at once.
  const auto urgent = submit(R"("gpus":2,"priority":60)");
  EXPECT_EQ(number(ask("GET", fmt::format("/v1/jobs/{}/explain", urgent)).json(), "position"), 1U);
}

TEST_F(QueuePositionsTest, WhoIsHeldHasNoPlace) {
  const auto held = submit(R"("hold":true)");
  const auto why = ask("GET", fmt::format("/v1/jobs/{}/explain", held)).json();
  EXPECT_EQ(why.find("position")->as<std::uint64_t>(), nullptr);
}

}  // namespace
}  // namespace gpusched::testing
