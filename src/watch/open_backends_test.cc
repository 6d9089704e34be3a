#include "watch/open_backends.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/watch_fixtures.h"
#include "watch/nvidia_smi.h"

namespace gpusched::watch {
namespace {

using testing::WatchMachine;

const Finding& finding(const Backends& all, const std::string& name) {
  return *std::ranges::find(all.findings, name, &Finding::backend);
}

std::vector<std::string> uuids(const Backends& all) {
  std::vector<std::string> complaints;
  std::vector<std::string> found;
  for (const ListedCard& card : list_cards(all.opened, complaints)) {
    EXPECT_NE(card.backend, nullptr);
    found.push_back(card.identity.uuid);
  }
  return found;
}

Probed no_library() { return {nullptr, true, "no NVIDIA driver library"}; }

TEST(OpenBackends, ListsSeveralMakersInOneOrder) {
  const WatchMachine machine;
  testing::put_nvidia_smi(machine);
  testing::put_amd(machine);
  testing::put_intel(machine);
  testing::put_ioreg(machine);
  // The trees share /dev/dri numbers: each maker's cards have their own here.
  testing::put_drm_card(machine, 5, "i915", "0000:00:02.0", "8086:A780");
  testing::put_drm_card(machine, 0, "amdgpu", "0000:43:00.0", "1002:740F");
  testing::put_drm_card(machine, 1, "amdgpu", "0000:03:00.0", "1002:744C");
  const Backends all = open_backends(machine.host(), no_library);
  EXPECT_EQ(uuids(all), (std::vector<std::string>{"GPU-aaaaaaaa-0000-0000-0000-000000000000",
                                                  "GPU-bbbbbbbb-0000-0000-0000-000000000001",
                                                  "amd-5c88fa39ab41d7c2", "amd-00000000:43:00.0",
                                                  "intel-00000000:00:02.0", "apple-0"}));
  EXPECT_EQ(uuids(all), uuids(all));
  EXPECT_EQ(finding(all, "nvml").reason, "no NVIDIA driver library");
  EXPECT_TRUE(finding(all, "nvidia-smi").found);
  EXPECT_TRUE(finding(all, "ioreg").found);
  EXPECT_FALSE(finding(all, "powermetrics").found);
}

TEST(OpenBackends, TheProgramIsNotUsedBesideTheLibrary) {
  const WatchMachine machine;
  testing::put_nvidia_smi(machine);
  const Backends all =
      open_backends(machine.host(), [&] { return probe_nvidia_smi(machine.host()); });
  EXPECT_EQ(all.opened.size(), 1U);
  EXPECT_TRUE(finding(all, "nvml").found);
  EXPECT_EQ(finding(all, "nvidia-smi").reason, "not needed beside nvml");
}

TEST(OpenBackends, ALibraryWithAProblemIsNotReplacedByTheProgram) {
  const WatchMachine machine;
  testing::put_nvidia_smi(machine);
  const Backends all = open_backends(machine.host(), [] {
    return Probed{nullptr, false, "driver and library do not fit"};
  });
  EXPECT_TRUE(all.opened.empty());
  EXPECT_FALSE(finding(all, "nvml").absent);
  EXPECT_EQ(machine.noted("runs"), "");
}

TEST(OpenBackends, EachWayOfLookingSaysWhyItIsNotThere) {
  const Backends all = open_backends(WatchMachine().host(), {});
  EXPECT_TRUE(all.opened.empty());
  ASSERT_EQ(all.findings.size(), 6U);
  for (const Finding& each : all.findings) {
    EXPECT_TRUE(each.absent) << each.backend;
    EXPECT_FALSE(each.reason.empty()) << each.backend;
  }
}

TEST(ListCards, ABackendThatFailsDoesNotHideTheOthers) {
  WatchMachine machine;
  testing::put_nvidia_smi(machine);
  testing::put_amd(machine);
  const Backends all = open_backends(machine.host(), no_library);
  machine.program("nvidia-smi", "exit 1");
  machine.pass(std::chrono::seconds{1});
  std::vector<std::string> complaints;
  EXPECT_EQ(list_cards(all.opened, complaints).size(), 2U);
  EXPECT_NE(std::ranges::find(complaints, "nvidia-smi: nvidia-smi failed with 1: it said nothing"),
            complaints.end());
}

}  // namespace
}  // namespace gpusched::watch
