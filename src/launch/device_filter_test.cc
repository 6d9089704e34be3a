// The program that keeps cards from jobs, as instructions, and in a kernel that takes it: stand-ins
// for cards are devices that every machine has.
#include "jobdir/device_filter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "launch/shim_harness.h"

namespace gpusched {
namespace {

const AttemptId kGuarded{JobId{1}, 1};
constexpr std::uint32_t kChar = BPF_DEVCG_DEV_CHAR;
constexpr std::uint32_t kBlock = BPF_DEVCG_DEV_BLOCK;
constexpr std::uint32_t kOpenForReading = BPF_DEVCG_ACC_READ << 16;
constexpr std::uint32_t kMakeNode = BPF_DEVCG_ACC_MKNOD << 16;

// Carries out what our programs consist of; anything else is an error.
bool verdict(const std::vector<bpf_insn>& program, const bpf_cgroup_dev_ctx& asked) {
  std::map<int, std::uint64_t> registers;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const bpf_insn& step = program[at];
    std::uint64_t& to = registers[step.dst_reg];
    const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(step.imm));
    bool skips = false;
    switch (step.code) {
      case BPF_LDX | BPF_W | BPF_MEM:
        to = *reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const char*>(&asked) +
                                                     step.off);
        break;
      case BPF_ALU64 | BPF_AND | BPF_K:
        to &= value;
        break;
      case BPF_ALU64 | BPF_MOV | BPF_K:
        to = value;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        skips = to == value;
        break;
      case BPF_JMP | BPF_JNE | BPF_K:
        skips = to != value;
        break;
      case BPF_JMP | BPF_JLT | BPF_K:
        skips = to < value;
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        skips = to > value;
        break;
      case BPF_JMP | BPF_EXIT:
        return registers[0] == 1;
      default:
        ADD_FAILURE() << "an instruction of an unknown kind " << int{step.code};
        return false;
    }
    if (skips) at += static_cast<std::size_t>(step.off);
  }
  ADD_FAILURE() << "the program has no end";
  return false;
}

const DeviceFilter kFirstCardOnly{.guarded = {{195, 0, 253}, {226, 0, 0xfffff}},
                                  .allowed = {{195, 0}, {226, 128}}};

TEST(DeviceProgram, AllowsWhatWasGrantedAndDeniesTheOtherCards) {
  const auto program = device_program(kFirstCardOnly);
  EXPECT_TRUE(verdict(program, {kChar | kOpenForReading, 195, 0}));
  EXPECT_TRUE(verdict(program, {kChar | kOpenForReading, 226, 128}));
  EXPECT_FALSE(verdict(program, {kChar | kOpenForReading, 195, 1}));
  EXPECT_FALSE(verdict(program, {kChar | kOpenForReading, 195, 253}));
  EXPECT_FALSE(verdict(program, {kChar | kMakeNode, 195, 1}));
  EXPECT_FALSE(verdict(program, {kChar | kOpenForReading, 226, 129}));
}

TEST(DeviceProgram, LeavesEverythingElseAlone) {
  const auto program = device_program(kFirstCardOnly);
  EXPECT_TRUE(verdict(program, {kChar | kOpenForReading, 195, 255})) << "nvidiactl";
  EXPECT_TRUE(verdict(program, {kChar | kOpenForReading, 195, 254})) << "nvidia-modeset";
  EXPECT_TRUE(verdict(program, {kChar | kOpenForReading, 1, 3})) << "null";
  EXPECT_TRUE(verdict(program, {kChar | kOpenForReading, 510, 0})) << "nvidia-uvm";
  EXPECT_TRUE(verdict(program, {kBlock | kOpenForReading, 195, 1})) << "a disk of that number";
}

TEST(DeviceProgram, AJobWithoutCardsGetsNone) {
  DeviceFilter none = kFirstCardOnly;
  none.allowed.clear();
  EXPECT_FALSE(verdict(device_program(none), {kChar | kOpenForReading, 195, 0}));
  EXPECT_TRUE(verdict(device_program({}), {kChar | kOpenForReading, 195, 0}));
}

TEST(DrmNodes, AreFoundByThePciAddress) {
  const testing::TemporaryDirectory sysfs;
  const std::string drm = sysfs / "bus/pci/devices/0000:3b:00.0/drm";
  for (const auto& [name, numbers] : {std::pair("renderD129", "226:129\n"), {"card1", "226:1\n"}}) {
    std::filesystem::create_directories(drm + "/" + name);
    std::ofstream(drm + "/" + name + "/dev") << numbers;
  }
  EXPECT_EQ(drm_nodes_of(sysfs.path(), "00000000:3B:00.0"),
            (std::vector<DeviceNode>{{226, 1}, {226, 129}}));
  EXPECT_TRUE(drm_nodes_of(sysfs.path(), "00000000:3C:00.0").empty());
  EXPECT_TRUE(drm_nodes_of(sysfs.path(), "").empty());
}

// /dev/zero (1:5) stands for card 0, /dev/full (1:7) for card 1.
class GuardedJob : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!harness_.why_not().empty()) GTEST_SKIP() << harness_.why_not();
    if (::geteuid() != 0) GTEST_SKIP() << "only root may bind a filter";
    if (const int error = try_device_filter(harness_.cgroup().path)) {
      GTEST_SKIP() << "the kernel refuses it: " << std::strerror(error);
    }
  }
  void run(const std::string& script, std::vector<DeviceNode> granted, AttemptId id = kGuarded) {
    const std::size_t before = harness_.reports().size();
    LaunchOrder order = harness_.shell_order(id, "exec 2>&1; " + script);
    order.devices.filter = DeviceFilter{.guarded = {{1, 4, 7}}, .allowed = std::move(granted)};
    harness_.launcher().launch(std::move(order));
    ASSERT_TRUE(harness_.run_until([&] { return harness_.reports().size() == before + 2; }));
  }
  std::string log(AttemptId id = kGuarded) { return harness_.read(id, "log"); }
  std::string filter(AttemptId id = kGuarded) {
    const auto status = parse_status(harness_.read(id, "status"));
    return status ? status->device_filter : status.error().message;
  }
  ShimHarness harness_{true};
};

TEST_F(GuardedJob, OpensItsOwnCardAndNotTheOther) {
  run("head -c 3 /dev/zero | wc -c; head -c 3 /dev/full; true < /dev/null && echo fine", {{1, 5}});
  EXPECT_EQ(filter(), "on");
  EXPECT_NE(log().find("3\n"), std::string::npos) << log();
  EXPECT_NE(log().find("/dev/full' for reading: Operation not permitted"), std::string::npos)
      << log();
  EXPECT_NE(log().find("fine\n"), std::string::npos) << log();
}

TEST_F(GuardedJob, WithoutCardsOpensNone) {
  run("head -c 3 /dev/zero; head -c 3 /dev/full", {});
  EXPECT_NE(log().find("/dev/zero' for reading: Operation not permitted"), std::string::npos)
      << log();
  EXPECT_NE(log().find("/dev/full' for reading: Operation not permitted"), std::string::npos)
      << log();
}

// A spare shim has loaded the filter of the job before.
TEST_F(GuardedJob, HasItsOwnFilterWhateverTheOneBeforeHad) {
  const std::vector<DeviceNode> first{{1, 5}};
  const std::vector<DeviceNode> second{{1, 7}};
  std::uint32_t number = 0;
  for (const auto& granted : {first, first, second, second, first}) {
    const AttemptId id{JobId{++number}, 1};
    run("for d in zero full; do head -c 3 /dev/$d >/dev/null && echo has $d; done", granted, id);
    EXPECT_EQ(filter(id), "on");
    const bool zero = granted == first;
    EXPECT_EQ(log(id).find("has zero\n") != std::string::npos, zero) << log(id);
    EXPECT_EQ(log(id).find("has full\n") != std::string::npos, !zero) << log(id);
  }
}

TEST_F(GuardedJob, CannotMakeANodeOfItsOwnFor) {
  run("mknod " + harness_.state() + "/mine c 1 7; mknod " + harness_.state() +
          "/granted c 1 5 && echo made",
      {{1, 5}});
  EXPECT_NE(log().find("mine: Operation not permitted"), std::string::npos) << log();
  EXPECT_NE(log().find("made\n"), std::string::npos) << log();
}

TEST_F(GuardedJob, NorDoesAnythingItStarts) {
  run("setsid sh -c 'sh -c \"head -c 3 /dev/full\"'", {{1, 5}});
  EXPECT_NE(log().find("Operation not permitted"), std::string::npos) << log();
}

TEST(OpenJob, SaysWhyItsDevicesAreOpen) {
  ShimHarness harness(false);
  LaunchOrder order = harness.shell_order(kGuarded, "true");
  order.devices.open = "the daemon is not root";
  harness.launcher().launch(std::move(order));
  ASSERT_TRUE(harness.run_until([&] { return harness.reports().size() == 2; }));
  const auto status = parse_status(harness.read(kGuarded, "status"));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->device_filter, "off: the daemon is not root");
  LaunchOrder other = harness.shell_order({JobId{2}, 1}, "true");
  other.devices.filter = kFirstCardOnly;
  harness.launcher().launch(std::move(other));
  ASSERT_TRUE(harness.run_until([&] { return harness.reports().size() == 4; }));
  EXPECT_EQ(parse_status(harness.read({JobId{2}, 1}, "status"))->device_filter,
            "off: it has no control group");
}

}  // namespace
}  // namespace gpusched
