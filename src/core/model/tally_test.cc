#include "core/model/tally.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace gpusched {
namespace {

Tally tally_of(const std::vector<double>& waits) {
  Tally tally;
  for (const double wait : waits) tally.add(wait_bucket(wait), 1);
  return tally;
}

TEST(Tally, LeavesOutWhatIsNothing) {
  Tally tally;
  tally.add(3, 2);
  tally.add(1, 1);
  tally.add(3, -2);
  EXPECT_EQ(tally.entries(), (std::vector<Tally::Entry>{{1, 1}}));
  EXPECT_EQ(tally.of(3), 0);
}

TEST(WaitBuckets, LessThanASecondIsNone) {
  EXPECT_EQ(wait_quantile(tally_of({0, 0.4, 0.9}), 0.5), 0);
  EXPECT_EQ(wait_bucket(std::nan("")), 0);
  EXPECT_EQ(wait_bucket(1e300), 255);
}

// Whatever the waits and however they are put together: the quantiles of the sum are those of all
// waits, within half a bucket.
RC_GTEST_PROP(WaitBuckets, QuantilesStayRightAfterMerging, ()) {
  const auto waits =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 3'000'000)));
  std::vector<double> all(waits.begin(), waits.end());
  const auto cut = *rc::gen::inRange<std::size_t>(0, all.size() + 1);
  Tally merged = tally_of({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut)});
  merged.add(tally_of({all.begin() + static_cast<std::ptrdiff_t>(cut), all.end()}));
  RC_ASSERT(merged == tally_of(all));
  std::ranges::sort(all);
  for (const double part : {0.5, 0.9, 0.99}) {
    const auto rank = static_cast<std::size_t>(
        std::max(1.0, std::ceil(part * static_cast<double>(all.size()) - 1e-9)));
    const double exact = all[rank - 1];
    RC_ASSERT(std::abs(wait_quantile(merged, part) / exact - 1) < 0.05);
  }
}

}  // namespace
}  // namespace gpusched
