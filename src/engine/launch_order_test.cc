#include "engine/launch_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

std::string variable(const LaunchOrder& order, const std::string& name) {
  const auto found = std::ranges::find(order.command.added_variables, name,
                                       &std::pair<std::string, std::string>::first);
  return found == order.command.added_variables.end() ? "(not set)" : found->second;
}

TEST(LaunchOrder, TellsTheJobWhatItWasGivenInPciOrder) {
  State state = machine(4, 24);
  ask().submit(state, at_second(0));
  ask().gpus(2).submit(state, at_second(1));
  start_what_fits(state, at_second(1));
  const LaunchOrder order =
      launch_order_of(state, *state.find(JobId{2}), {.jobs_directory = "/s/jobs"});
  EXPECT_EQ(variable(order, "CUDA_VISIBLE_DEVICES"), "1,2");
  EXPECT_EQ(variable(order, "CUDA_DEVICE_ORDER"), "PCI_BUS_ID");
  EXPECT_EQ(variable(order, "NVIDIA_VISIBLE_DEVICES"), "1,2");
  EXPECT_EQ(variable(order, "GPUSCHED_JOB_ID"), "2");
  EXPECT_EQ(variable(order, "GPUSCHED_ATTEMPT"), "1");
  EXPECT_EQ(variable(order, "GPUSCHED_RESUME"), "(not set)");
  EXPECT_EQ(variable(order, "GPUSCHED_GRACE"), "(not set)");
  EXPECT_EQ(variable(order, "GPUSCHED_CHECKPOINT_DIR"), "/s/jobs/2/checkpoint");
  EXPECT_EQ(variable(order, "GPUSCHED_ARRAY_INDEX"), "(not set)");
}

TEST(LaunchOrder, AJobThatSavesItselfIsToldHowAndWhoSavedLast) {
  State state = machine(1, 24);
  Ask asked = ask();
  asked.spec().saves = std::make_shared<SaveTerms>(SaveTerms{12, Seconds{90}});
  asked.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const EngineOptions options{.jobs_directory = "/s/jobs"};
  LaunchOrder order = launch_order_of(state, *state.find(JobId{1}), options);
  EXPECT_EQ(variable(order, "GPUSCHED_CHECKPOINT_SIGNAL"), "12");
  EXPECT_EQ(variable(order, "GPUSCHED_CHECKPOINT_REQUEST"), "/s/jobs/1/1/request");
  EXPECT_EQ(variable(order, "GPUSCHED_GRACE"), "90");
  EXPECT_EQ(variable(order, "GPUSCHED_RESUME"), "(not set)");
  finish(state, 1, kSavedExitCode, at_second(1));
  start_what_fits(state, at_second(2));
  order = launch_order_of(state, *state.find(JobId{1}), options);
  EXPECT_EQ(variable(order, "GPUSCHED_RESUME"), "1");
  EXPECT_EQ(variable(order, "GPUSCHED_CHECKPOINT_REQUEST"), "/s/jobs/1/2/request");
}

TEST(LaunchOrder, TheDeviceFilterAllowsTheNodesOfTheGrantedCards) {
  State state = machine(2, 24);
  std::vector<Card> cards = state.cards();
  cards[0].nodes = {{195, 4}, {226, 128}};
  state.set_cards(cards);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  ask().gpus(0).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const EngineOptions on{.filter_devices = true};
  const LaunchOrder first = launch_order_of(state, *state.find(JobId{1}), on);
  ASSERT_TRUE(first.devices.filter.has_value());
  EXPECT_EQ(first.devices.filter->allowed, (std::vector<DeviceNode>{{195, 4}, {226, 128}}));
  const LaunchOrder second = launch_order_of(state, *state.find(JobId{2}), on);
  EXPECT_FALSE(second.devices.filter.has_value());
  EXPECT_EQ(second.devices.open, "the device node of card 1 is not known");
  const LaunchOrder third = launch_order_of(state, *state.find(JobId{3}), on);
  ASSERT_TRUE(third.devices.filter.has_value()) << "a job without cards is kept from all of them";
  EXPECT_TRUE(third.devices.filter->allowed.empty());
  const LaunchOrder open =
      launch_order_of(state, *state.find(JobId{1}), {.devices_open = "not root"});
  EXPECT_FALSE(open.devices.filter.has_value());
  EXPECT_EQ(open.devices.open, "not root");
}

TEST(LaunchOrder, NamesTheMpsServerAndWhatTheJobMayHaveThere) {
  Rules rules;
  rules.mps = MpsUse::kLimits;
  State state = machine(2, 24, 8, rules);
  std::vector<Card> cards = state.cards();
  for (Card& card : cards) card.has_mps = true;
  cards[1].pci = "00000000:03:00.0";
  state.set_cards(cards);
  ask().vram(4).submit(state, at_second(0));
  Ask limited = ask().vram(4).share(30);
  limited.spec().extras.edit().vram_limit_bytes = 6 * kGiB;
  limited.spec().needs.cards.edit().only.numbers = {CardNumber{1}};
  limited.submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const EngineOptions options{
      .mps_control = "/usr/bin/control", .mps_variables = {"A=b"}, .mps_linger = Seconds{7}};
  EXPECT_FALSE(launch_order_of(state, *state.find(JobId{1}), options).devices.mps.has_value());
  const LaunchOrder order = launch_order_of(state, *state.find(JobId{2}), options);
  ASSERT_TRUE(order.devices.mps.has_value());
  EXPECT_EQ(order.devices.mps->card, CardNumber{1});
  EXPECT_EQ(order.devices.mps->uuid, "GPU-1");
  EXPECT_EQ(order.devices.mps->program, "/usr/bin/control");
  EXPECT_EQ(order.devices.mps->variables, std::vector<std::string>{"A=b"});
  EXPECT_EQ(order.devices.mps->linger, Seconds{7});
  EXPECT_EQ(order.devices.mps->thread_percent, 30);
  EXPECT_EQ(order.devices.mps->vram_limit_bytes, 6 * kGiB);
  ASSERT_EQ(order.devices.vram_limits.size(), 1U);
  EXPECT_EQ(order.devices.vram_limits[0].pci, "00000000:03:00.0");
  EXPECT_EQ(order.devices.vram_limits[0].bytes, 6 * kGiB);
}

TEST(LaunchOrder, ACardJobIsKeptNearItsCardsWhereTheNodeHasCpusEnough) {
  State state = machine(2, 24);
  std::vector<Card> cards = state.cards();
  cards[0].pci = "a";
  cards[1].pci = "b";
  state.set_cards(cards);
  ask().gpus(2).cpus(4).submit(state, at_second(0));
  ask().gpus(0).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  EngineOptions options;
  int cpus = 4;
  options.near_cpus = [&cpus](const std::vector<std::string>& pci) {
    EXPECT_EQ(pci, (std::vector<std::string>{"a", "b"}));
    return NearCpus{"0-3", "1", cpus};
  };
  const LaunchOrder near = launch_order_of(state, *state.find(JobId{1}), options);
  EXPECT_EQ(near.isolation.near.cpus, "0-3");
  EXPECT_EQ(variable(near, "GPUSCHED_NEAR_CPUS"), "0-3");
  EXPECT_EQ(launch_order_of(state, *state.find(JobId{2}), options).isolation.near.cpus, "");
  cpus = 3;
  EXPECT_EQ(launch_order_of(state, *state.find(JobId{1}), options).isolation.near.cpus, "");
}

TEST(LaunchOrder, ACpuJobSeesNoCard) {
  State state = machine(1, 24);
  ask().gpus(0).array(2).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const LaunchOrder order = launch_order_of(state, *state.find(JobId{2}), {});
  EXPECT_EQ(variable(order, "CUDA_VISIBLE_DEVICES"), "");
  EXPECT_EQ(variable(order, "NVIDIA_VISIBLE_DEVICES"), "void");
  EXPECT_EQ(variable(order, "GPUSCHED_ARRAY_ID"), "1");
  EXPECT_EQ(variable(order, "GPUSCHED_ARRAY_INDEX"), "1");
  EXPECT_EQ(order.isolation.cpus, 1);
}

TEST(LaunchOrder, WithoutItsFirstCardTheJobGetsWhatTheDriverCallsTheOthers) {
  State state = machine(3, 24);
  std::vector<Card> cards(state.cards().begin() + 1, state.cards().end());
  cards[0].driver_index = 0;
  cards[1].driver_index = 1;
  state.set_cards(cards);
  ask().submit(state, at_second(0));
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  EXPECT_EQ(cards_of(state, 2), std::vector<int>{2});
  const LaunchOrder order = launch_order_of(state, *state.find(JobId{2}), {});
  EXPECT_EQ(variable(order, "CUDA_VISIBLE_DEVICES"), "1");
  EXPECT_EQ(variable(order, "NVIDIA_VISIBLE_DEVICES"), "1");
}

TEST(LaunchOrder, CardsCanBeNamedByUuid) {
  State state = machine(1, 24);
  ask().submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  const LaunchOrder order =
      launch_order_of(state, *state.find(JobId{1}), {.devices_by_uuid = true});
  EXPECT_EQ(variable(order, "CUDA_VISIBLE_DEVICES"), "GPU-0");
}

}  // namespace
}  // namespace gpusched::testing
