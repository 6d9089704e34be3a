#include "core/share/order.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

std::vector<std::uint64_t> lines_of(const State& state, std::size_t most) {
  std::vector<std::uint64_t> ids;
  for (const JobId id : waiting_in_order(state, most, at_second(0), WaitingLines::kSweeps)) {
    ids.push_back(number_of(id));
  }
  return ids;
}

TEST(WaitingInOrder, HasOneLineForASweepSoThatOthersAreSeenBehindIt) {
  State state = machine(1, 24);
  ask().array(50).submit(state, at_second(0));         // 1 to 50
  ask().submit(state, at_second(0));                   // 51
  ask().array(30).hold().submit(state, at_second(0));  // 52 to 81
  ask().hold().submit(state, at_second(0));            // 82
  ask().array(1).hold().submit(state, at_second(0));   // 83
  EXPECT_EQ(lines_of(state, 20), (std::vector<std::uint64_t>{1, 51, 52, 82, 83}));
  EXPECT_EQ(lines_of(state, 3), (std::vector<std::uint64_t>{1, 51, 52}));
  EXPECT_EQ(waiting_in_order(state, 20, at_second(0)).size(), 20u);
}

TEST(WaitingInOrder, GoesOnAtTheFirstOfASweepThatStillWaits) {
  State state = machine(1, 24);
  ask().array(5).submit(state, at_second(0));
  start_what_fits(state, at_second(0));
  EXPECT_EQ(lines_of(state, 20), (std::vector<std::uint64_t>{2}));
}

}  // namespace
}  // namespace gpusched::testing
