#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "tests/support/core_builders.h"

namespace gpusched {
namespace {

using testing::at_second;
using testing::machine;

Principal with_role(Role role) {
  return {.uid = 1001, .user = "ml1", .role = role, .proof = Proof::kPeer};
}

SilenceAsked silence_of(Role role, Seconds length) {
  const Now now = at_second(0);
  return {with_role(role),
          {.rule = "temperature", .from = now.wall, .until = now.wall + length, .reason = "fan"}};
}

TEST(ApplyAlarm, RowsAreAsTheLookSays) {
  State state = machine(1, 24);
  const AlarmKey key{"temperature", "card 0"};
  AlarmsSeen seen;
  seen.changes.put = {{.key = key, .what = "hot"}};
  apply(state, seen, at_second(0));
  ASSERT_TRUE(state.alarms().contains(key));
  AlarmsSeen over;
  over.changes.removed = {key, {"xid", "card 9"}};
  over.changes.silences_over = {7};
  apply(state, over, at_second(1));
  EXPECT_TRUE(state.alarms().empty());
}

TEST(ApplyAlarm, OperatorsSilenceUsersDoNot) {
  State state = machine(1, 24);
  for (const Role role : {Role::kViewer, Role::kUser}) {
    const Applied applied = apply(state, silence_of(role, Seconds{60}), at_second(0));
    ASSERT_TRUE(std::holds_alternative<Refusal>(applied.answer));
    EXPECT_EQ(std::get<Refusal>(applied.answer).kind, RefusalKind::kForbidden);
  }
  apply(state, silence_of(Role::kOperator, Seconds{60}), at_second(0));
  ASSERT_EQ(state.silences().size(), 1U);
  const std::uint64_t made = state.silences().begin()->first;
  EXPECT_EQ(state.silences().at(made).by, "ml1");
  const Applied refused = apply(state, SilenceEndAsked{with_role(Role::kUser), made}, at_second(1));
  EXPECT_TRUE(std::holds_alternative<Refusal>(refused.answer));
  const Applied none = apply(state, SilenceEndAsked{with_role(Role::kOperator), 99}, at_second(1));
  EXPECT_EQ(std::get<Refusal>(none.answer).kind, RefusalKind::kNotFound);
  apply(state, SilenceEndAsked{with_role(Role::kOperator), made}, at_second(1));
  EXPECT_TRUE(state.silences().empty());
  // The number of one that is over is nobody else's.
  apply(state, silence_of(Role::kOperator, Seconds{60}), at_second(2));
  ASSERT_EQ(state.silences().size(), 1U);
  EXPECT_GT(state.silences().begin()->first, made);
}

TEST(ApplyAlarm, ASilenceOfTheSameAlarmsTakesThePlaceOfTheFirst) {
  State state = machine(1, 24);
  apply(state, silence_of(Role::kOperator, Seconds{60}), at_second(0));
  apply(state, silence_of(Role::kOperator, Seconds{600}), at_second(1));
  ASSERT_EQ(state.silences().size(), 1U);
  EXPECT_EQ(state.silences().begin()->second.until, at_second(600).wall);
  SilenceAsked other = silence_of(Role::kOperator, Seconds{60});
  other.silence.subject = "card 0";
  apply(state, other, at_second(2));
  EXPECT_EQ(state.silences().size(), 2U);
}

TEST(ApplyAlarm, ASilenceHasAnEnd) {
  State state = machine(1, 24);
  for (const Seconds length : {Seconds{0}, Seconds{-5}, Seconds{91 * 24 * 3600}}) {
    const Applied applied = apply(state, silence_of(Role::kAdministrator, length), at_second(0));
    ASSERT_TRUE(std::holds_alternative<Refusal>(applied.answer)) << length.count();
    EXPECT_EQ(std::get<Refusal>(applied.answer).kind, RefusalKind::kInvalid);
  }
  for (std::size_t i = 0; i < kSilencesMost + 5; ++i) {
    SilenceAsked one = silence_of(Role::kAdministrator, Seconds{60});
    one.silence.subject = "card " + std::to_string(i);
    apply(state, one, at_second(0));
  }
  EXPECT_EQ(state.silences().size(), kSilencesMost);
}

TEST(ApplyAlarm, ATestNeedsSomebodyToTell) {
  State state = machine(1, 24);
  const Applied applied = apply(state, AlarmTestAsked{ourselves(), {}}, at_second(0));
  EXPECT_TRUE(std::holds_alternative<Refusal>(applied.answer));
  const Applied sent = apply(state, AlarmTestAsked{ourselves(), {"ops"}}, at_second(0));
  EXPECT_TRUE(std::holds_alternative<Changed>(sent.answer));
}

}  // namespace
}  // namespace gpusched
