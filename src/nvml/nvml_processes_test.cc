// The lists of processes and how busy they are, in all the forms that drivers have.
#include <gtest/gtest.h>

#include <algorithm>

#include "nvml/nvml_harness.h"
#include "nvml/process_lists.h"

namespace gpusched::testing {
namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20;

TEST(NvmlBackend, ListsProcessesInEveryFormThatDriversHave) {
  const std::vector<std::vector<std::string>> forms = {
      {},
      {"missing=nvmlDeviceGetRunningProcessDetailList"},
      {"missing=nvmlDeviceGetRunningProcessDetailList", "old_process_stride=on"},
      {"missing=nvmlDeviceGetRunningProcessDetailList",
       "missing=nvmlDeviceGetComputeRunningProcesses_v3"},
      {"missing=nvmlDeviceGetRunningProcessDetailList",
       "missing=nvmlDeviceGetComputeRunningProcesses_v3",
       "missing=nvmlDeviceGetComputeRunningProcesses_v2"},
  };
  for (std::size_t i = 0; i < forms.size(); ++i) {
    SCOPED_TRACE(i);
    Nvml nvml("8xH200");
    if (!forms[i].empty()) nvml.driver.set(forms[i]);
    for (int n = 1; n <= 100; ++n) {
      nvml.driver.add_process(
          {"card=0", "vram=" + std::to_string(n) + "M", "pid=" + std::to_string(1000 + n)});
    }
    nvml.driver.add_process({"card=0", "vram=7M", "pid=5000", "kind=graphics"});
    const auto processes = nvml.processes();
    ASSERT_EQ(processes.size(), 101u);
    for (std::size_t n = 1; n <= 100; ++n) {
      EXPECT_EQ(processes[n - 1].pid, static_cast<int>(1000 + n));
      EXPECT_EQ(processes[n - 1].vram_bytes, n * kMebibyte);
    }
    EXPECT_EQ(processes.back().kind, watch::ProcessKind::kGraphics);
  }
}

TEST(NvmlBackend, AProcessInTwoListsIsOne) {
  Nvml nvml("8xH200");
  nvml.driver.add_process({"card=0", "vram=5M", "pid=77"});
  nvml.driver.add_process({"card=1", "vram=6M", "pid=77"});
  EXPECT_EQ(nvml.processes(0).size(), 1u);
  EXPECT_EQ(nvml.processes(1).at(0).vram_bytes, 6 * kMebibyte);
}

TEST(NvmlBackend, KnowsHowBusyEachProcessIs) {
  for (const char* missing : {"missing=none", "missing=nvmlDeviceGetProcessesUtilizationInfo"}) {
    SCOPED_TRACE(missing);
    Nvml nvml("8xH200");
    nvml.driver.set({missing});
    nvml.driver.add_process({"card=0", "vram=1G", "pid=100", "util=60"});
    nvml.driver.add_process({"card=0", "vram=1G", "pid=200", "util=0"});
    EXPECT_FALSE(nvml.processes()[0].busy_percent) << "The first answer covers all the past.";
    nvml.let_pass(std::chrono::seconds{1});
    auto processes = nvml.processes();
    EXPECT_EQ(processes[0].busy_percent, 60);
    EXPECT_EQ(processes[1].busy_percent, 0);
    nvml.driver.remove_process(100);
    nvml.let_pass(std::chrono::milliseconds{2});
    processes = nvml.processes();
    ASSERT_EQ(processes.size(), 1u);
    EXPECT_EQ(processes[0].busy_percent, 0);
  }
}

TEST(NvmlBackend, AskedTwiceInAMomentItKeepsTheFigure) {
  Nvml nvml("8xH200");
  nvml.driver.add_process({"card=0", "vram=1G", "pid=100", "util=60"});
  nvml.processes();
  nvml.let_pass(std::chrono::seconds{1});
  EXPECT_EQ(nvml.processes()[0].busy_percent, 60);
  nvml.let_pass(std::chrono::milliseconds{4});
  EXPECT_EQ(nvml.processes()[0].busy_percent, 60);
}

TEST(NvmlBackend, OfAProcessThatCameSinceItAskedItSaysNothing) {
  Nvml nvml("8xH200");
  nvml.driver.add_process({"card=0", "vram=1G", "pid=100", "util=40"});
  nvml.processes();
  nvml.let_pass(std::chrono::seconds{1});
  nvml.processes();
  nvml.driver.add_process({"card=0", "vram=1G", "pid=200", "util=40"});
  nvml.let_pass(std::chrono::milliseconds{200});
  auto processes = nvml.processes();
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0].busy_percent, 40);
  EXPECT_FALSE(processes[1].busy_percent) << "unknown is not idle";
  nvml.let_pass(std::chrono::seconds{1});
  EXPECT_EQ(nvml.processes()[1].busy_percent, 40);
}

TEST(NvmlForms, EntriesAreMeasuredByWhatWasWritten) {
  std::vector<unsigned char> buffer(256, nvml::kFill);
  EXPECT_EQ(nvml::stride_of(buffer, 0), 24u);
  std::fill_n(buffer.begin(), 48, static_cast<unsigned char>(0xFF));
  EXPECT_EQ(nvml::stride_of(buffer, 2), 24u);
  std::fill_n(buffer.begin(), 64, static_cast<unsigned char>(0));
  EXPECT_EQ(nvml::stride_of(buffer, 2), 32u);
}

}  // namespace
}  // namespace gpusched::testing
