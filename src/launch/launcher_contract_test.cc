// The contract of the Launcher seam on the real one, with and without control groups.
#include "tests/support/launcher_contract.h"

#include "launch/shim_harness.h"

namespace gpusched {
namespace {

struct WithCgroup : ShimHarness {
  WithCgroup() : ShimHarness(true) {}
};
struct WithoutCgroup : ShimHarness {
  WithoutCgroup() : ShimHarness(false) {}
};

using Harnesses = ::testing::Types<WithCgroup, WithoutCgroup>;
INSTANTIATE_TYPED_TEST_SUITE_P(Shim, LauncherContract, Harnesses);

}  // namespace
}  // namespace gpusched
