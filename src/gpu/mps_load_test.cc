#include "gpu/mps_load.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

watch::WatchedProcess process_of(std::string command, watch::ProcessKind kind, std::uint32_t uid,
                                 std::optional<double> busy) {
  watch::WatchedProcess process;
  process.seen.kind = kind;
  process.seen.busy_percent = busy;
  process.owner.command = std::move(command);
  process.owner.uid = uid;
  return process;
}

constexpr auto kMps = watch::ProcessKind::kMps;
constexpr auto kCompute = watch::ProcessKind::kCompute;

TEST(MpsLoad, KnowsAServerByItsProgram) {
  EXPECT_TRUE(is_mps_server(process_of("nvidia-cuda-mps-server", kCompute, 1, {})));
  EXPECT_TRUE(is_mps_server(process_of("/usr/bin/nvidia-cuda-mps-server -x", kCompute, 1, {})));
  EXPECT_FALSE(is_mps_server(process_of("python nvidia-cuda-mps-server", kCompute, 1, {})));
  EXPECT_FALSE(is_mps_server(process_of("my-nvidia-cuda-mps-server", kCompute, 1, {})));
}

TEST(MpsLoad, WhatTheServerIsSaidToDoIsDoneByItsClients) {
  std::vector<watch::WatchedProcess> processes = {
      process_of("nvidia-cuda-mps-server", kCompute, 1000, 80), process_of("a", kMps, 1000, 0),
      process_of("b", kMps, 1000, {}), process_of("of another user", kMps, 1001, 0),
      process_of("without MPS", kCompute, 1000, 5)};
  give_load_to_mps_clients(processes);
  EXPECT_EQ(processes[0].seen.busy_percent, 0.0);
  EXPECT_EQ(processes[1].seen.busy_percent, 40.0);
  EXPECT_EQ(processes[2].seen.busy_percent, 40.0);
  EXPECT_EQ(processes[3].seen.busy_percent, 0.0);
  EXPECT_EQ(processes[4].seen.busy_percent, 5.0);
}

TEST(MpsLoad, ClientsThatAreCountedThemselvesAreNotCountedTwice) {
  std::vector<watch::WatchedProcess> processes = {
      process_of("nvidia-cuda-mps-server", kCompute, 1000, 60), process_of("a", kMps, 1000, 50),
      process_of("b", kMps, 1000, 20)};
  give_load_to_mps_clients(processes);
  EXPECT_EQ(processes[0].seen.busy_percent, 0.0);
  EXPECT_EQ(processes[1].seen.busy_percent, 50.0);
  EXPECT_EQ(processes[2].seen.busy_percent, 20.0);
}

TEST(MpsLoad, AServerWithoutClientsKeepsItsLoad) {
  std::vector<watch::WatchedProcess> processes = {
      process_of("nvidia-cuda-mps-server", kCompute, 1000, 60)};
  give_load_to_mps_clients(processes);
  EXPECT_EQ(processes[0].seen.busy_percent, 60.0);
}

}  // namespace
}  // namespace gpusched
