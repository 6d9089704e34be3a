#include "watch/nvidia_smi.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/watch_fixtures.h"

namespace gpusched::watch {
namespace {

using testing::WatchMachine;

class NvidiaSmiTest : public ::testing::Test {
 protected:
  NvidiaSmiTest() { testing::put_nvidia_smi(machine_); }

  void open() {
    Probed probed = probe_nvidia_smi(machine_.host());
    ASSERT_NE(probed.backend, nullptr) << probed.reason;
    backend_ = std::move(probed.backend);
    std::vector<std::string> complaints;
    cards_ = *backend_->cards(complaints);
  }
  long runs() const { return std::ranges::count(machine_.noted("runs"), '\n'); }

  WatchMachine machine_;
  std::unique_ptr<Backend> backend_;
  std::vector<CardIdentity> cards_;
};

TEST_F(NvidiaSmiTest, OneRunServesAllCards) {
  open();
  const long before = runs();
  machine_.pass(std::chrono::seconds{1});
  for (const CardIdentity& card : cards_) ASSERT_TRUE(backend_->sample(card));
  EXPECT_EQ(runs(), before + 1);
  for (const CardIdentity& card : cards_) ASSERT_TRUE(backend_->processes(card));
  EXPECT_EQ(runs(), before + 2);
}

TEST_F(NvidiaSmiTest, ProcessesAreThoseOfTheCard) {
  open();
  const auto first = backend_->processes(cards_[0]);
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 2U);
  EXPECT_EQ((*first)[0].pid, 4711);
  EXPECT_EQ((*first)[0].name, "python");
  EXPECT_EQ((*first)[1].name, "");
  EXPECT_FALSE((*first)[1].vram_bytes);
  const auto second = backend_->processes(cards_[1]);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->size(), 1U);
  EXPECT_EQ(backend_->driver_version(), "550.54.14");
}

TEST_F(NvidiaSmiTest, LeavesOutColumnsThatAnOldVersionDoesNotKnow) {
  machine_.note("unknown", "memory.reserved\nclocks_event_reasons.active\n");
  open();
  EXPECT_EQ(runs(), 3);
  const auto sample = backend_->sample(cards_[0]);
  ASSERT_TRUE(sample);
  EXPECT_FALSE(sample->reserved_bytes);
  EXPECT_EQ(sample->throttle, kThrottlePower);
  EXPECT_EQ(sample->busy_percent, 97);
  machine_.pass(std::chrono::seconds{1});
  ASSERT_TRUE(backend_->sample(cards_[0]));
  EXPECT_EQ(runs(), 4);  // What was learnt is not asked again.
}

TEST_F(NvidiaSmiTest, AVeryOldVersionIsAskedForTheLeast) {
  machine_.note("unknown",
                "memory.reserved\ntemperature.memory\nmig.mode.current\naccounting.mode\n"
                "compute_mode\npersistence_mode\nfan.speed\n");
  open();
  const auto sample = backend_->sample(cards_[0]);
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->busy_percent, 97);
  EXPECT_FALSE(sample->power_watts);
}

TEST_F(NvidiaSmiTest, ACardThatIsNoLongerListedIsGone) {
  open();
  machine_.note("cards/b/uuid", "[GPU is lost]\n");
  machine_.pass(std::chrono::seconds{1});
  const auto gone = backend_->sample(cards_[0]);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(backend_->sample(cards_[1]));
}

TEST_F(NvidiaSmiTest, ASleepingCardIsNotAsked) {
  open();
  machine_.file("sys/bus/pci/devices/0000:3b:00.0/power/runtime_status", "suspended\n");
  machine_.pass(std::chrono::seconds{1});
  const long before = runs();
  const auto asleep = backend_->sample(cards_[0]);
  ASSERT_TRUE(asleep);
  EXPECT_FALSE(asleep->used_bytes);
  EXPECT_EQ(runs(), before);
  ASSERT_TRUE(backend_->sample(cards_[1]));
  const std::string last = machine_.noted("runs");
  EXPECT_NE(last.find("--id=00000000:81:00.0\n"), std::string::npos);
  std::vector<std::string> complaints;
  EXPECT_EQ(backend_->cards(complaints)->size(), 2U);
}

TEST_F(NvidiaSmiTest, CardsThatSleepFromTheBeginningAreListedAndLeftAsleep) {
  machine_.file("sys/bus/pci/devices/0000:01:00.0/power/runtime_status", "suspended\n");
  machine_.file("proc/driver/nvidia/gpus/0000:01:00.0/information",
                "Model: \t\t NVIDIA GeForce RTX 3050 Laptop GPU\nIRQ:   \t\t 0\n"
                "GPU UUID: \t GPU-cccccccc-0000-0000-0000-000000000002\n"
                "Bus Location: \t 0000:01:00.0\nDevice Minor: \t 0\n");
  open();
  EXPECT_EQ(runs(), 0);
  ASSERT_EQ(cards_.size(), 1U);
  EXPECT_EQ(cards_[0].model, "NVIDIA GeForce RTX 3050 Laptop GPU");
  EXPECT_EQ(cards_[0].minor, 0);
  EXPECT_TRUE(backend_->sample(cards_[0]));
  EXPECT_TRUE(backend_->processes(cards_[0])->empty());
  EXPECT_EQ(runs(), 0);
}

TEST_F(NvidiaSmiTest, AProgramThatFailsHasItsWordsInTheReason) {
  machine_.program("nvidia-smi",
                   "echo 'NVIDIA-SMI has failed because it could not talk to the driver.'; exit 9");
  const Probed probed = probe_nvidia_smi(machine_.host());
  EXPECT_EQ(probed.backend, nullptr);
  EXPECT_FALSE(probed.absent);
  EXPECT_EQ(probed.reason,
            "nvidia-smi failed with 9: NVIDIA-SMI has failed because it could not talk to the "
            "driver.");
}

TEST_F(NvidiaSmiTest, WithoutTheProgramOrWithoutCardsNothingIsWrong) {
  machine_.program("nvidia-smi", "echo 'No devices were found'");
  const Probed none = probe_nvidia_smi(machine_.host());
  EXPECT_TRUE(none.absent);
  EXPECT_EQ(none.reason, "nvidia-smi shows no card");
  const Probed missing = probe_nvidia_smi(WatchMachine().host());
  EXPECT_TRUE(missing.absent);
  EXPECT_EQ(missing.reason, "there is no program nvidia-smi");
}

}  // namespace
}  // namespace gpusched::watch
