#include "simdriver/simjob/options.h"

#include <gtest/gtest.h>

namespace gpusched::simjob {
namespace {

using std::chrono::milliseconds;

TEST(SimjobOptions, AreReadInBothForms) {
  const auto options =
      parse_options({"--vram", "8G", "--util=60", "--ramp", "5s", "--seconds", "0.5", "--gpus", "2",
                     "--alloc-pieces", "4", "--step-ms", "20", "--steps-file", "f", "--resume"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->vram_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(options->util_percent, 60u);
  EXPECT_EQ(options->ramp, milliseconds(5000));
  EXPECT_EQ(options->work, milliseconds(500));
  EXPECT_EQ(options->gpus, 2);
  EXPECT_EQ(options->pieces, 4);
  EXPECT_EQ(options->step, milliseconds(20));
  EXPECT_TRUE(options->resume);
}

TEST(SimjobOptions, MistakesAreNamed) {
  EXPECT_EQ(parse_options({"--colour", "red"}).error().message, "there is no --colour; see --help");
  EXPECT_EQ(parse_options({"--vram"}).error().message, "--vram needs a value");
  EXPECT_EQ(parse_options({"--util", "101"}).error().message, "--util 101: expected 0 to 100");
  EXPECT_EQ(parse_options({"--ramp", "soon"}).error().message,
            "--ramp soon: expected a time such as 5, 5s or 250ms");
  EXPECT_EQ(parse_options({"--resume"}).error().message, "--resume needs --steps-file");
}

}  // namespace
}  // namespace gpusched::simjob
