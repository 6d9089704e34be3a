#include "simdriver/simworld/settings.h"

#include <gtest/gtest.h>

#include "simdriver/card_model.h"
#include "simdriver/faults.h"
#include "simdriver/simworld/show.h"
#include "simdriver/world_changes.h"
#include "simdriver/world_create.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::simdriver {
namespace {

class Settings : public ::testing::Test {
 protected:
  Result<void> set(const std::vector<std::string>& words) { return apply_settings(world_, words); }
  CardState& state(std::size_t card) { return world_.data().states[card]; }

  gpusched::testing::TemporaryDirectory directory_;
  World world_ = std::move(*create_world(directory_ / "world", *describe_scenario("2x24G:H100")));
};

TEST_F(Settings, ConcernTheCardThatWasNamed) {
  ASSERT_TRUE(set({"card=1", "temperature=95", "power=250", "util=70", "mig=on"}));
  EXPECT_EQ(read_card(world_, 1).temperature_c, 95u);
  EXPECT_EQ(read_card(world_, 1).power_mw, 250000u);
  EXPECT_EQ(read_card(world_, 1).busy_percent, 70u);
  EXPECT_EQ(state(1).mig.load(), 1u);
  EXPECT_EQ(read_card(world_, 0).busy_percent, 0u);
  ASSERT_TRUE(set({"card=all", "util=auto"}));
  EXPECT_EQ(read_card(world_, 1).busy_percent, 0u);
}

TEST_F(Settings, ErrorsOfTheCardAreEventsToo) {
  ASSERT_TRUE(set({"card=0", "xid=31", "ecc_uncorrected=2", "recovery=1"}));
  EXPECT_EQ(world_.data().events_posted.load(), 3u);
  EXPECT_EQ(world_.data().events[1].value, 31u);
  EXPECT_EQ(state(0).ecc[1][0].load(), 2u);
  EXPECT_EQ(state(0).recovery_action.load(), 1u);
  EXPECT_EQ(state(0).broken_generation.load(), 0u);
  ASSERT_TRUE(set({"card=0", "xid=95"}));
  EXPECT_EQ(state(0).broken_generation.load(), 1u);
}

TEST_F(Settings, ACardThatFallsOffTheBusSaysSo) {
  ASSERT_TRUE(set({"card=1", "lost=on"}));
  EXPECT_EQ(state(1).lost.load(), 1u);
  EXPECT_EQ(world_.data().events[1].value, 79u);
  ASSERT_TRUE(set({"card=1", "lost=off"}));
  EXPECT_EQ(state(1).lost.load(), 0u);
}

TEST_F(Settings, FaultsAreAddedAndCleared) {
  ASSERT_TRUE(set({"missing=nvmlDeviceGetFanSpeed", "card=1", "return=all:999"}));
  EXPECT_EQ(meet_faults(world_, "nvmlDeviceGetName", 1), 999);
  ASSERT_TRUE(set({"card=1", "clear=faults"}));
  EXPECT_EQ(meet_faults(world_, "nvmlDeviceGetName", 1), 0);
  EXPECT_TRUE(is_missing(world_, "nvmlDeviceGetFanSpeed"));
}

TEST_F(Settings, ADriverIsRestartedOrUpdated) {
  ASSERT_TRUE(set({"driver=restart"}));
  EXPECT_EQ(world_.data().driver_generation.load(), 1u);
  ASSERT_TRUE(set({"driver=590.10"}));
  EXPECT_STREQ(world_.data().driver_version, "590.10");
  EXPECT_EQ(world_.data().driver_major.load(), 590u);
}

TEST_F(Settings, AMistakeChangesNothing) {
  for (const char* wrong : {"colour=red", "util", "util=much", "mig=perhaps", "slow=all:never",
                            "return=all", "driver=new", "card=9", "compute_mode=", "recovery=9"}) {
    EXPECT_FALSE(set({"card=0", "temperature=95", wrong})) << wrong;
  }
  EXPECT_FALSE(set({"util=50"}));
  EXPECT_EQ(state(0).temperature_c.load(), kAutomatic);
}

TEST_F(Settings, ProcessesAreReadFromWords) {
  const auto process =
      parse_process({"card=1", "vram=2G", "util=30", "name=a b", "user=u", "kind=mps", "pid=7"});
  ASSERT_TRUE(process);
  EXPECT_EQ(process->card, 1u);
  EXPECT_EQ(process->busy_permille, 300u);
  EXPECT_EQ(process->kind, ProcessKind::kMps);
  EXPECT_FALSE(parse_process({"size=2G"}));
}

TEST_F(Settings, AWorldIsShownWithItsProcesses) {
  {
    const ChangeLock lock(world_);
    ScenarioProcess process;
    process.name = "server \"x\"";
    process.vram_bytes = std::uint64_t{3} << 30;
    ASSERT_TRUE(add_foreign(world_, process));
  }
  EXPECT_NE(show_world(world_).find("compute  server \"x\"  3.0 GiB"), std::string::npos);
  const std::string json = world_json(world_);
  EXPECT_NE(json.find(R"("name":"server \"x\"","vram_bytes":3221225472)"), std::string::npos)
      << json;
}

}  // namespace
}  // namespace gpusched::simdriver
