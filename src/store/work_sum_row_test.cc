#include "store/work_sum_row.h"

#include <gtest/gtest.h>

#include "store/sqlite_store_harness.h"

namespace gpusched::testing {
namespace {

WorkSum work_sum(int day, const std::string& name) {
  WorkSum sum{.key = {.day = day,
                      .tenant = "lab, \"one\"",
                      .user = "ml1",
                      .project = "p",
                      .card = 3,
                      .model = "Test 24G",
                      .name = name,
                      .program = "python train.py"},
              .sums = {}};
  double value = 1.0 / 3;
  for (const WorkFigure& figure : kWorkFigures) sum.sums.*figure.where = value *= 7.1;
  sum.sums.waits.add(0, 3);
  sum.sums.waits.add(255, 0.1);
  sum.sums.hours.add(23, 1e-9);
  sum.sums.failures.add(static_cast<std::uint8_t>(Cause::kRestoreLost), 2);
  sum.sums.waited_for = {{"", 5}, {"a:b,c=d %\xff", 0.1}};
  return sum;
}

TEST(WorkSumRow, FiguresComeBackToTheLastBit) {
  const WorkSums sums = work_sum(1, "a").sums;
  EXPECT_EQ(work_sums_from_text(work_sums_to_text(sums)), sums);
  EXPECT_EQ(work_sums_from_text(""), WorkSums{});
  EXPECT_EQ(work_sums_to_text({}), "");
}

TEST(WorkSumRow, WhatANewerVersionAddsIsPassedOver) {
  const auto sums = work_sums_from_text("jobs=2 colour=red failed=exit:1,eaten:4");
  ASSERT_TRUE(sums);
  EXPECT_EQ(sums->jobs, 2);
  EXPECT_EQ(sums->failures.total(), 1);
}

TEST(WorkSumRow, NonsenseIsForgotten) {
  for (const char* text : {"jobs=x", "waits=1", "waits=300:1", "for=%g:1", "for=%1", "jobs="}) {
    EXPECT_FALSE(work_sums_from_text(text)) << text;
  }
}

TEST_F(SqliteStoreTest, KeepsSumsOfWork) {
  auto store = opened(directory_.path());
  ASSERT_TRUE(store->load());
  Commit commit;
  commit.work.put = {work_sum(1, "a"), work_sum(1, "b"), work_sum(2, "a")};
  commit.work.put[2].key.month = true;
  ASSERT_TRUE(store->commit(commit));
  Commit change;
  change.work.put = {work_sum(1, "a")};
  change.work.put[0].sums.jobs = 99;
  change.work.removed = {commit.work.put[1].key, work_sum(9, "never").key};
  ASSERT_TRUE(store->commit(change));
  store.reset();
  const auto image = opened(directory_.path())->load();
  ASSERT_TRUE(image);
  EXPECT_EQ(image->work, (std::vector<WorkSum>{change.work.put[0], commit.work.put[2]}));
}

}  // namespace
}  // namespace gpusched::testing
