// What doctor makes of given facts, against files in tests/golden/cli; the facts of this machine
// only have to be readable.
#include "cli/doctor/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "cli/display.h"
#include "cli/doctor/cards.h"
#include "cli/doctor/host.h"
#include "cli/files.h"

namespace gpusched::cli {
namespace {

const std::string kDoctorGoldens = GPUSCHED_GOLDEN_DIRECTORY "/cli/";
constexpr std::uint64_t kGiB = 1ULL << 30U;

LocalLook look_of(const std::string& name) {
  return *read_look(*read_input(kDoctorGoldens + name + ".jsonl"));
}

void compare(const std::string& name, const std::vector<Finding>& findings) {
  for (const std::size_t width : {60U, 80U, 120U}) {
    const std::string text = render_findings(findings, {.width = width});
    const std::string path = kDoctorGoldens + name + "-" + std::to_string(width) + ".txt";
    if (std::getenv("GPUSCHED_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(path) << text;
      continue;
    }
    const auto expected = read_input(path);
    ASSERT_TRUE(expected) << expected.error().message;
    EXPECT_EQ(*expected, text) << path;
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
      EXPECT_LE(display_width(text.substr(begin, text.find('\n', begin) - begin)), width);
    }
  }
}

std::vector<Finding> all_of(const LocalLook& look, const HostFacts& facts) {
  std::vector<Finding> findings = check_cards(look);
  for (Finding& finding : check_host(facts, &look)) findings.push_back(std::move(finding));
  return findings;
}

TEST(Doctor, AMachineInGoodOrder) {
  const HostFacts facts{.root = true,
                        .filter_error = 0,
                        .freezer = Freezer::kWritable,
                        .huge_pages = "always",
                        .ram_bytes = 256 * kGiB,
                        .ram_free_bytes = 240 * kGiB,
                        .mps_control = "/usr/bin/nvidia-cuda-mps-control",
                        .dmem_regions = 2,
                        .mover = true};
  const auto findings = all_of(look_of("doctor-good"), facts);
  compare("doctor-good", findings);
  EXPECT_TRUE(std::ranges::all_of(
      findings, [](const Finding& finding) { return finding.health == Health::kGood; }));
}

TEST(Doctor, AMachineWithEverythingInItsWay) {
  const HostFacts facts{.root = false,
                        .filter_error = {},
                        .freezer = Freezer::kNotWritable,
                        .huge_pages = "madvise",
                        .ram_bytes = 16 * kGiB,
                        .ram_free_bytes = 12 * kGiB,
                        .mps_pid = 812};
  compare("doctor-poor", all_of(look_of("doctor-poor"), facts));
}

TEST(Doctor, WithoutASamplerItSaysSoAndGoesOn) {
  const Result<LocalLook> none = failure(ErrorCode::kUnsupported, "there is no gpusched-sampler");
  const auto findings = check_cards(none);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].is, "there is no gpusched-sampler");
  EXPECT_EQ(check_host({}, nullptr).size(), 6U);
}

TEST(Doctor, SaysNothingOfNvidiaSettingsWhereThereIsNoSuchCard) {
  auto look = look_of("doctor-good");
  for (CardLook& card : look.cards) card.card.identity.vendor = watch::Vendor::kAmd;
  EXPECT_EQ(check_cards(look).size(), 2U);
}

TEST(Doctor, AKernelThatRefusesTheFilterIsNamedWithItsReason) {
  HostFacts facts;
  facts.filter_error = EPERM;
  const auto findings = check_host(facts, nullptr);
  EXPECT_EQ(findings[0].is, "the kernel refuses it: Operation not permitted");
  EXPECT_EQ(findings[0].health, Health::kWarn);
}

TEST(Doctor, SaysWhetherJobsCanBeMovedThroughTheDriver) {
  const LocalLook look = look_of("doctor-good");
  HostFacts facts{.root = true, .huge_pages = "always", .mover = true};
  auto found = check_moving(facts, look);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->is, "works through driver " + nvidia_driver_version(look));
  facts.root = false;
  facts.huge_pages = "madvise";
  facts.mps_pid = 5;
  found = check_moving(facts, look);
  EXPECT_EQ(found->health, Health::kGood);
  EXPECT_NE(found->is.find("; without root only jobs of the daemon's own user, not of jobs that "
                           "use MPS, faster with huge pages always"),
            std::string::npos)
      << found->is;
  facts.threads_out_of_reach = true;
  EXPECT_NE(check_moving(facts, look)->is.find("PyTorch programs only, as kernel.yama"),
            std::string::npos);
  facts.mover = false;
  found = check_moving(facts, look);
  EXPECT_EQ(found->health, Health::kWarn);
  EXPECT_EQ(found->is, "not through the driver: gpusched-mover is not installed");
  EXPECT_FALSE(check_moving(facts, LocalLook{}));
}

TEST(Doctor, TellsItsOwnMpsServersFromThoseOfOthers) {
  HostFacts facts;
  EXPECT_EQ(check_mps(facts).is, "no server runs; nvidia-cuda-mps-control is not installed");
  facts.own_mps = 2;
  EXPECT_EQ(check_mps(facts).is, "2 servers of jobs run, as isolation.mps says");
  EXPECT_EQ(check_mps(facts).health, Health::kGood);
  facts.mps_pid = 7;
  EXPECT_EQ(check_mps(facts).is, "a control daemon that is not ours runs, pid 7");
  EXPECT_EQ(check_mps(facts).health, Health::kWarn);
}

TEST(Doctor, SaysWhatBindsVramLimits) {
  HostFacts facts;
  EXPECT_TRUE(check_vram_limits(facts).is.starts_with("the kernel has no dmem controller; "));
  facts.dmem_regions = 0;
  EXPECT_TRUE(check_vram_limits(facts).is.starts_with("the kernel's dmem controller counts"));
  facts.dmem_regions = 1;
  EXPECT_EQ(check_vram_limits(facts).is, "the kernel keeps them (dmem), for 1 region of memory");
}

TEST(Doctor, ReadsTheFactsOfThisMachine) {
  const HostFacts facts = read_host_facts();
  ASSERT_TRUE(facts.ram_bytes);
  ASSERT_TRUE(facts.ram_free_bytes);
  EXPECT_LE(*facts.ram_free_bytes, *facts.ram_bytes);
  EXPECT_EQ(facts.filter_error.has_value(), facts.root);
}

}  // namespace
}  // namespace gpusched::cli
