#include "simdriver/cuda/mps_client.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temporary_directory.h"

namespace gpusched::simdriver::cuda {
namespace {

using Limits = std::map<Ordinal, std::uint64_t>;

TEST(MpsClient, ReadsLimitsAsTheRealOneDoes) {
  EXPECT_EQ(pinned_limits("0=8G"), (Limits{{0, 8ULL << 30}}));
  EXPECT_EQ(pinned_limits("0=512M,1=2G"), (Limits{{0, 512ULL << 20}, {1, 2ULL << 30}}));
  EXPECT_EQ(pinned_limits("1=100"), (Limits{{1, 100}}));
  EXPECT_EQ(pinned_limits(nullptr), Limits{});
  EXPECT_EQ(pinned_limits("much"), Limits{});
  EXPECT_EQ(pinned_limits("0=2G,x"), (Limits{{0, 2ULL << 30}}));
}

TEST(MpsClient, WithoutAControlDaemonItIsNone) {
  int code = -1;
  ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  EXPECT_FALSE(MpsClient::connect(code));
  EXPECT_EQ(code, kSuccess);
  const gpusched::testing::TemporaryDirectory empty;
  ::setenv("CUDA_MPS_PIPE_DIRECTORY", empty.path().c_str(), 1);
  EXPECT_FALSE(MpsClient::connect(code));
  EXPECT_EQ(code, kSuccess) << "a program whose daemon is not there runs without";
  ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
}

}  // namespace
}  // namespace gpusched::simdriver::cuda
