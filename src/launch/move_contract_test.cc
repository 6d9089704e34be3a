// The Mover's contract on the real one and the simulated driver, with and without control groups.
#include "tests/support/move_contract.h"

#include "launch/move_harness.h"

namespace gpusched {
namespace {

struct MovesWithCgroup : MoveHarness {
  MovesWithCgroup() : MoveHarness(true) {}
};
struct MovesWithoutCgroup : MoveHarness {
  MovesWithoutCgroup() : MoveHarness(false) {}
};

using MoveHarnesses = ::testing::Types<MovesWithCgroup, MovesWithoutCgroup>;
INSTANTIATE_TYPED_TEST_SUITE_P(Shim, MoveContract, MoveHarnesses);

}  // namespace
}  // namespace gpusched
