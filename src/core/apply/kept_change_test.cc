// Keys of changes: a repeat is answered from what is kept, and what is kept is bounded.
#include "core/apply/kept_change.h"

#include <gtest/gtest.h>

#include "tests/support/core_builders.h"
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

Asked keyed(const std::string& key, std::uint32_t uid = 1000, Role role = Role::kUser) {
  Asked asked;
  asked.entry.uid = uid;
  asked.role = role;
  asked.key = key;
  asked.digest = "of it";
  return asked;
}

class KeptChanges : public ::testing::Test {
 protected:
  std::optional<Answer> before(const Asked& asked, Now now, const Event& event = Reconsider{}) {
    return answer_before(state_, asked, event, now);
  }
  void keep(const Asked& asked, Now now, const Answer& answer = Changed{}, bool over = true) {
    keep_change(state_, asked, Reconsider{}, answer, over, now);
  }

  State state_ = machine(1, 24);
};

TEST_F(KeptChanges, ARepeatIsToldTheAnswer) {
  EXPECT_FALSE(before(keyed("k"), at_second(0)));
  keep(keyed("k"), at_second(0), Submitted{JobId{7}, 3});
  const auto again = before(keyed("k"), at_second(5));
  ASSERT_TRUE(again && std::holds_alternative<Submitted>(*again));
  EXPECT_EQ(std::get<Submitted>(*again).first, JobId{7});
  EXPECT_FALSE(before(keyed("other"), at_second(5)));
  EXPECT_FALSE(before(keyed("k", 1001), at_second(5))) << "another user's";
  EXPECT_FALSE(before(keyed("k", 1000, Role::kOperator), at_second(5))) << "another role's";
  EXPECT_FALSE(before(keyed("k"), at_second(24 * 3600))) << "a day later";
}

TEST_F(KeptChanges, WhatWasRefusedOrHasNoKeyIsNotKept) {
  keep(keyed("k"), at_second(0), Refusal{RefusalKind::kConflict, "no"});
  Asked without = keyed("");
  without.digest.clear();
  keep(without, at_second(0));
  EXPECT_TRUE(state_.kept_changes().empty());
}

TEST_F(KeptChanges, AnotherRequestWithTheKeyIsRefused) {
  keep(keyed("k"), at_second(0));
  Asked other = keyed("k");
  other.digest = "of another";
  expect_refused(RefusalKind::kConflict, before(other, at_second(1)).value());
}

TEST_F(KeptChanges, OneThatWasBrokenOffSaysSo) {
  keep(keyed("k"), at_second(0), Changed{std::vector<JobId>(40), {}}, false);
  expect_refused(RefusalKind::kConflict, before(keyed("k"), at_second(1)).value());
}

TEST_F(KeptChanges, ALongAnswerIsKeptAsANumber) {
  keep(keyed("k"), at_second(0), Changed{std::vector<JobId>(100'000), {}});
  expect_refused(RefusalKind::kConflict, before(keyed("k"), at_second(1)).value());
  EXPECT_LT(bytes_of(state_.kept_changes().begin()->second), 1000U);
}

TEST_F(KeptChanges, ATokenIsMadeOnceAndItsSecretIsNowhere) {
  TokenMakeAsked make{ourselves(), {.id = "k3mx92ab", .hash = "secret"}};
  keep_change(state_, keyed("k"), make, Changed{}, true, at_second(0));
  expect_refused(RefusalKind::kConflict, before(keyed("k"), at_second(1), make).value());
}

TEST_F(KeptChanges, AreBoundedByUserInNumberBytesAndAge) {
  keep(keyed("of another", 1001), at_second(0));
  for (int i = 0; i < 1200; ++i) keep(keyed(std::to_string(i)), at_second(i));
  EXPECT_EQ(state_.kept_changes().size(), 1001U);
  EXPECT_FALSE(before(keyed("199"), at_second(1300)));
  EXPECT_TRUE(before(keyed("200"), at_second(1300)));
  EXPECT_TRUE(before(keyed("of another", 1001), at_second(1300)));
  for (int i = 0; i < 40; ++i) {
    keep(keyed("long " + std::to_string(i)), at_second(2000 + i),
         Changed{std::vector<JobId>(8000), {}});
  }
  std::size_t bytes = 0;
  for (const auto& [key, change] : state_.kept_changes()) bytes += bytes_of(change);
  EXPECT_LE(bytes, kChangesKeptBytes + 1000);
  forget_old_changes(state_, at_second(10 * 24 * 3600));
  EXPECT_TRUE(state_.kept_changes().empty());
}

}  // namespace
}  // namespace gpusched::testing
