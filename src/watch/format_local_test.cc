// The table at three widths, against files in tests/golden/watch. With GPUSCHED_UPDATE_GOLDEN=1 the
// files are written anew; read the difference before it is committed.
#include "watch/format_local.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace gpusched::watch {
namespace {

constexpr std::uint64_t kGiB = 1024ULL * 1024 * 1024;

LocalCard card(int number, const char* uuid, const char* model) {
  LocalCard made;
  made.number = number;
  made.identity.uuid = uuid;
  made.identity.model = model;
  made.sample = CardSample{};
  return made;
}

std::vector<LocalCard> machine() {
  LocalCard busy = card(0, "GPU-5c1e0d5e-1111-2222-3333-000000000000", "NVIDIA GeForce RTX 4090");
  busy.sample->vram_bytes = 24 * kGiB;
  busy.sample->used_bytes = 21 * kGiB + kGiB / 5;
  busy.sample->busy_percent = 97.4;
  busy.sample->temperature_c = 61;
  busy.sample->power_watts = 310.5;
  busy.sample->power_limit_watts = 450;
  ProcessSample trainer;
  trainer.pid = 4711;
  trainer.vram_bytes = 20 * kGiB;
  trainer.busy_percent = 96;
  trainer.name = "python train.py --with a --very long --list of --arguments that --goes on";
  ProcessSample desktop;
  desktop.pid = 1290;
  desktop.kind = ProcessKind::kGraphics;
  desktop.name = "Xorg\x1b[2J";
  busy.processes = {trainer, desktop};
  LocalCard idle = card(1, "GPU-77aa0d5e-1111-2222-3333-000000000001", "NVIDIA H200");
  idle.identity.vram_bytes = 141 * kGiB;
  idle.sample->used_bytes = 0;
  idle.sample->busy_percent = 0;
  idle.sample->power_watts = 75;
  LocalCard lost = card(2, "amd-5c88fa39ab41d7c2", "AMD Radeon RX 7900 XTX");
  lost.sample.reset();
  lost.trouble = "it does not answer";
  LocalCard shared = card(3, "intel-00000000:00:02.0", "Intel UHD Graphics 770");
  shared.identity.integrated = true;
  return {busy, idle, lost, shared};
}

void compare(std::size_t width) {
  const std::string path =
      GPUSCHED_GOLDEN_DIRECTORY "/watch/local-" + std::to_string(width) + ".txt";
  const std::string text = format_local(machine(), width);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  if (std::getenv("GPUSCHED_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(expected.str(), text);
}

TEST(FormatLocal, FitsANarrowTerminal) { compare(60); }
TEST(FormatLocal, FitsAnOrdinaryTerminal) { compare(80); }
TEST(FormatLocal, UsesAWideTerminal) { compare(120); }

TEST(FormatLocal, EvenTheNarrowestIsNotPassedOver) {
  std::istringstream lines(format_local(machine(), 20));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 20U) << line;
}

TEST(FormatLocal, WithoutAWidthNothingIsCut) {
  EXPECT_NE(format_local(machine(), 0).find("that --goes on\n"), std::string::npos);
}

TEST(FormatLocal, AMachineWithoutCardsSaysSo) {
  EXPECT_EQ(format_local({}, 80), "No card was found.\n");
}

}  // namespace
}  // namespace gpusched::watch
