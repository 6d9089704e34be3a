// Runs the program itself against a look-alike of the driver's library.
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <array>
#include <string>

namespace gpusched {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;  // With what it said on stderr.
};

Outcome run_sampler(const std::string& settings) {
  // Leak checks would count what the loader keeps of a library that was closed.
  const std::string command =
      "ASAN_OPTIONS=detect_leaks=0 " + settings + " " SAMPLER_PROGRAM " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  Outcome outcome;
  std::array<char, 4096> buffer{};
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.output.append(buffer.data(), size);
  }
  const int status = ::pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

Outcome with_cards(const std::string& cards) {
  return run_sampler("LD_LIBRARY_PATH=" FAKE_NVML_DIRECTORY " FAKE_NVML=" + cards);
}

TEST(Sampler, PrintsTheCardsInPciOrder) {
  const Outcome outcome = with_cards("good,old");
  EXPECT_EQ(outcome.output,
            "number=0 uuid=GPU-1 vram_bytes=24000000000 pci=00000000:7F:00.0 "
            "model=NVIDIA Test 24G\n"
            "number=1 uuid=GPU-0 vram_bytes=24000000000 reserved_bytes=500000000 "
            "pci=00000000:80:00.0 model=NVIDIA Test 24G\n");
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST(Sampler, PassesOverCardsItMayNotUse) {
  const Outcome outcome = with_cards("forbidden,old");
  EXPECT_EQ(outcome.output,
            "number=0 uuid=GPU-1 vram_bytes=24000000000 pci=00000000:7F:00.0 "
            "model=NVIDIA Test 24G\n");
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST(Sampler, ALostCardKeepsItsNumber) {
  const Outcome outcome = with_cards("old,lost");
  EXPECT_NE(outcome.output.find("card 1: read its UUID: GPU is lost"), std::string::npos);
  EXPECT_NE(outcome.output.find("number=1 uuid=GPU-0"), std::string::npos);
  EXPECT_EQ(outcome.output.find("number=0"), std::string::npos);
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST(Sampler, LeavesOutWhatIsUnknown) {
  const Outcome outcome = with_cards("mute");
  EXPECT_NE(outcome.output.find("number=0 uuid=GPU-0 pci=00000000:80:00.0 model="),
            std::string::npos);
  EXPECT_NE(outcome.output.find("card GPU-0: its memory is unknown"), std::string::npos);
}

TEST(Sampler, WithoutADriverThereAreNoCards) {
  const Outcome without_driver =
      run_sampler("LD_LIBRARY_PATH=" FAKE_NVML_DIRECTORY " FAKE_NVML_INIT=9");
  EXPECT_EQ(without_driver.exit_code, 3);
  EXPECT_NE(without_driver.output.find("Driver Not Loaded"), std::string::npos);
  const Outcome none = with_cards("");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_EQ(none.output, "gpusched-sampler: the NVIDIA driver shows no card\n");
}

TEST(Sampler, ADriverWithAProblemIsNotAMachineWithoutCards) {
  const Outcome outcome = run_sampler("LD_LIBRARY_PATH=" FAKE_NVML_DIRECTORY " FAKE_NVML_INIT=18");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find("Driver/library version mismatch"), std::string::npos);
  EXPECT_EQ(with_cards("lost").exit_code, 1);
}

}  // namespace
}  // namespace gpusched
