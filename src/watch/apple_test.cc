// The backends of a Mac, on stand-in programs.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/eventually.h"
#include "tests/support/watch_fixtures.h"
#include "watch/ioreg.h"
#include "watch/powermetrics.h"

namespace gpusched::watch {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::WatchMachine;

// For machines that have much else to do while the tests run.
PowermetricsTiming patient() {
  PowermetricsTiming timing;
  timing.first_answer = 1min;
  timing.silence = 1min;
  return timing;
}

CardIdentity only_card(Backend& backend) {
  std::vector<std::string> complaints;
  const auto cards = backend.cards(complaints);
  EXPECT_TRUE(cards) << cards.error().message;
  EXPECT_EQ(cards->size(), 1U);
  return cards->front();
}

TEST(Ioreg, TheMachinesMemoryIsTheCards) {
  const WatchMachine machine;
  testing::put_ioreg(machine);
  const Probed probed = probe_ioreg(machine.host());
  ASSERT_NE(probed.backend, nullptr) << probed.reason;
  const CardIdentity card = only_card(*probed.backend);
  EXPECT_EQ(card.uuid, "apple-0");
  EXPECT_EQ(card.vendor, Vendor::kApple);
  EXPECT_EQ(card.integrated, true);
  EXPECT_EQ(card.vram_bytes, 34359738368U);
  const auto sample = probed.backend->sample(card);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->busy_percent, 42);
  EXPECT_EQ(sample->vram_bytes, 34359738368U);
  EXPECT_EQ(probed.backend->processes(card)->size(), 2U);
}

TEST(Ioreg, ElsewhereNothingIsWrong) {
  const Probed probed = probe_ioreg(WatchMachine().host());
  EXPECT_EQ(probed.backend, nullptr);
  EXPECT_TRUE(probed.absent);
}

TEST(Powermetrics, IsStartedOnceAndAddsPowerToTheRegistry) {
  const WatchMachine machine;
  testing::put_ioreg(machine);
  testing::put_powermetrics(machine);
  const Probed probed = probe_powermetrics(machine.host(), patient());
  ASSERT_NE(probed.backend, nullptr) << probed.reason;
  const CardIdentity card = only_card(*probed.backend);
  EXPECT_EQ(card.model, "Apple M1 Pro");
  EXPECT_TRUE(eventually([&] { return probed.backend->sample(card)->busy_percent == 75.0; }));
  const auto sample = probed.backend->sample(card);
  EXPECT_EQ(sample->power_watts, 2.5);
  EXPECT_EQ(sample->energy_joules, 4.0);
  EXPECT_EQ(sample->used_bytes, 340983808U);
  EXPECT_EQ(machine.noted("starts"), "--samplers gpu_power -f plist -i 1000\n");
}

TEST(Powermetrics, WorksWithoutTheRegistry) {
  const WatchMachine machine;
  testing::put_powermetrics(machine);
  const Probed probed = probe_powermetrics(machine.host(), patient());
  ASSERT_NE(probed.backend, nullptr) << probed.reason;
  const CardIdentity card = only_card(*probed.backend);
  EXPECT_EQ(card.model, "Apple GPU of MacBookPro18,3");
  EXPECT_FALSE(card.vram_bytes);
  const auto processes = probed.backend->processes(card);
  ASSERT_FALSE(processes);
  EXPECT_EQ(processes.error().code, ErrorCode::kUnsupported);
}

TEST(Powermetrics, WithoutTheRightsItSaysSo) {
  const WatchMachine machine;
  machine.program("powermetrics",
                  "echo 'powermetrics must be invoked as the superuser' >&2; exit 1");
  const Probed probed = probe_powermetrics(machine.host(), patient());
  EXPECT_EQ(probed.backend, nullptr);
  EXPECT_FALSE(probed.absent);
  EXPECT_EQ(probed.reason, "powermetrics: powermetrics must be invoked as the superuser");
}

TEST(Powermetrics, OneThatDiesIsStartedAgain) {
  const WatchMachine machine;
  testing::put_powermetrics(machine);
  machine.program("powermetrics", "echo s >> $here/starts; cat $here/plist1; echo broken >&2");
  PowermetricsTiming timing = patient();
  timing.first_pause = 1ms;
  timing.longest_pause = 4ms;
  const Probed probed = probe_powermetrics(machine.host(), timing);
  ASSERT_NE(probed.backend, nullptr) << probed.reason;
  EXPECT_TRUE(eventually([&] { return machine.noted("starts").size() >= 8; }));
  const auto sample = probed.backend->sample(only_card(*probed.backend));
  ASSERT_TRUE(sample);
  EXPECT_GE(*sample->energy_joules, 3.0);  // The counter goes on.
}

TEST(Powermetrics, AnOldSampleIsNotPassedOffAsANewOne) {
  const WatchMachine machine;
  testing::put_powermetrics(machine);
  PowermetricsTiming timing;
  timing.silence = 30ms;
  timing.first_pause = 1min;
  const Probed probed = probe_powermetrics(machine.host_in_real_time(), timing);
  // It may be silent for so long before we have looked even once.
  if (probed.backend == nullptr) return;
  CardIdentity card;
  card.uuid = "apple-0";
  EXPECT_TRUE(eventually([&] {
    const auto sample = probed.backend->sample(card);
    return !sample && sample.error().code == ErrorCode::kUnavailable;
  }));
}

TEST(Powermetrics, OneThatNeverAnswersIsGivenUp) {
  const WatchMachine machine;
  machine.program("powermetrics", "exec sleep 1000");
  PowermetricsTiming timing;
  timing.first_answer = 100ms;
  timing.silence = 100ms;
  const Probed probed = probe_powermetrics(machine.host_in_real_time(), timing);
  EXPECT_EQ(probed.backend, nullptr);
  EXPECT_NE(probed.reason.find("powermetrics: "), std::string::npos);
}

}  // namespace
}  // namespace gpusched::watch
