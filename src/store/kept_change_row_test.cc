#include "store/kept_change_row.h"

#include <gtest/gtest.h>

#include "store/sqlite_store_harness.h"

namespace gpusched::testing {
namespace {

KeptChange kept_change(const std::string& key, std::optional<Answer> answer) {
  return {.key = {4'000'000'000U, Role::kOperator, key},
          .digest = "of it",
          .at = wall(5),
          .changed = 3,
          .token = "k3mx92ab",
          .answer = std::move(answer)};
}

TEST(KeptChangeRow, AnswersComeBackAsTheyWere) {
  const auto back = [](const Answer& answer) { return *answer_from_text(answer_to_text(answer)); };
  const auto submitted = std::get<Submitted>(back(Submitted{JobId{7}, 3}));
  EXPECT_EQ(submitted.first, JobId{7});
  EXPECT_EQ(submitted.count, 3U);
  const auto changed =
      std::get<Changed>(back(Changed{{JobId{1}, JobId{9}}, {{JobId{2}, "\"has\" ended\xff"}}}));
  EXPECT_EQ(changed.jobs, (std::vector<JobId>{JobId{1}, JobId{9}}));
  EXPECT_EQ(changed.unchanged.at(0).second, "\"has\" ended\xff");
  const Reservation reservation{3,       "talk",   "user1", "lab", {"GPU-a", "GPU-b"},
                                wall(9), wall(10), "root"};
  EXPECT_EQ(std::get<ReservationChanged>(back(ReservationChanged{reservation})).reservation,
            reservation);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(back(std::monostate{})));
  EXPECT_FALSE(answer_from_text("{"));
}

TEST_F(SqliteStoreTest, KeepsChangesWithTheirKeys) {
  auto store = opened(directory_.path());
  ASSERT_TRUE(store->load());
  Commit commit;
  commit.kept_changes.put = {kept_change("a", Submitted{JobId{7}, 1}),
                             kept_change("b", std::nullopt), kept_change("c", Changed{})};
  commit.kept_changes.put[1].over = false;
  ASSERT_TRUE(store->commit(commit));
  Commit less;
  less.kept_changes.removed = {commit.kept_changes.put[2].key};
  ASSERT_TRUE(store->commit(less));
  store.reset();
  const auto image = opened(directory_.path())->load();
  ASSERT_TRUE(image);
  ASSERT_EQ(image->kept_changes.size(), 2U);
  const KeptChange& first = image->kept_changes[0];
  EXPECT_EQ(first.key, commit.kept_changes.put[0].key);
  EXPECT_EQ(first.digest, "of it");
  EXPECT_EQ(first.at, wall(5));
  EXPECT_EQ(first.token, "k3mx92ab");
  EXPECT_TRUE(first.over);
  ASSERT_TRUE(first.answer);
  EXPECT_EQ(std::get<Submitted>(*first.answer).first, JobId{7});
  EXPECT_FALSE(image->kept_changes[1].answer);
  EXPECT_FALSE(image->kept_changes[1].over);
}

}  // namespace
}  // namespace gpusched::testing
