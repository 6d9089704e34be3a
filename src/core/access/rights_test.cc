#include "core/access/rights.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpusched {
namespace {

const Identity kFirst{1000, 1000, "user1"};
const Identity kSecond{1001, 1001, "user2"};

Principal account(const Identity& identity, Role role = Role::kUser) {
  return {.uid = identity.uid, .gid = identity.gid, .user = identity.user, .role = role};
}

// What each role may, said a second time and by hand: own and others' closed, own and others'
// opened by the row's setting.
struct Four {
  bool own, others, own_opened, others_opened;
};
constexpr Four kNever{false, false, false, false};
constexpr Four kAlways{true, true, true, true};
constexpr Four kOwn{true, false, true, false};
struct Expected {
  Action action;
  const char* name;
  Four viewer, user, op;
};
constexpr Four kOthersOpened{true, false, true, true};
constexpr Four kOwnOpened{false, false, true, false};
constexpr Expected kExpected[] = {
    {Action::kSee, "See", kAlways, kAlways, kAlways},
    {Action::kSeeJob, "SeeJob", kOthersOpened, kOthersOpened, kAlways},
    {Action::kAct, "Act", kNever, kAlways, kAlways},
    {Action::kSeeArguments, "SeeArguments", kOthersOpened, kOthersOpened, kOthersOpened},
    {Action::kSeeFiles, "SeeFiles", kOwn, kOwn, kOwn},
    {Action::kReadLog, "ReadLog", kOwn, kOwn, kOwn},
    {Action::kSteerJob, "SteerJob", kNever, kOwn, kAlways},
    {Action::kChangeJob, "ChangeJob", kNever, kOwn, kOwn},
    {Action::kHoldLease, "HoldLease", kNever, kOwn, kOwn},
    {Action::kAdopt, "Adopt", kNever, kOwn, kOwn},
    {Action::kReserve, "Reserve", kNever, kOwnOpened, kAlways},
    {Action::kUnreserve, "Unreserve", kNever, kOwn, kAlways},
    {Action::kExceedLimits, "ExceedLimits", kNever, kNever, kNever},
    {Action::kChangeGroup, "ChangeGroup", kNever, kOwn, kAlways},
    {Action::kRemoveGroup, "RemoveGroup", kNever, kOwn, kAlways},
    {Action::kChangeTenant, "ChangeTenant", kNever, kNever, kNever},
    {Action::kDrain, "Drain", kNever, kNever, kAlways},
    {Action::kUndrain, "Undrain", kNever, kNever, kAlways},
    {Action::kSilence, "Silence", kNever, kNever, kAlways},
    {Action::kTokens, "Tokens", kOwn, kOwn, kOwn},
    {Action::kSeeAudit, "SeeAudit", kOwn, kOwn, kOwn},
    {Action::kSeeOutbox, "SeeOutbox", kNever, kNever, kAlways},
    {Action::kSeeSettings, "SeeSettings", kNever, kNever, kAlways},
    {Action::kOperate, "Operate", kNever, kNever, kNever},
};

struct NamedRole {
  Role role;
  const char* name;
  Four Expected::*may;  // Null: all of it.
};
constexpr NamedRole kRoles[] = {{Role::kViewer, "AsViewer", &Expected::viewer},
                                {Role::kUser, "AsUser", &Expected::user},
                                {Role::kOperator, "AsOperator", &Expected::op},
                                {Role::kAdministrator, "AsAdministrator", nullptr}};

struct Cell {
  std::string name;
  Action action;
  Principal principal;
  bool opened;
  Subject subject;
  bool expected;
};

// Also of things that belong to nobody: they are not one's own.
std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  const auto add = [&](const Expected& row, const NamedRole& role, bool opened) {
    const Four four = role.may == nullptr ? kAlways : row.*role.may;
    const bool own = opened ? four.own_opened : four.own;
    const bool others = opened ? four.others_opened : four.others;
    const std::string who = std::string(row.name) + role.name + (opened ? "Opened" : "Closed");
    const Principal asker = account(kFirst, role.role);
    cells.push_back({who + "Own", row.action, asker, opened, owned_by(kFirst), own});
    cells.push_back({who + "Others", row.action, asker, opened, owned_by(kSecond), others});
    cells.push_back({who + "Nobodys", row.action, asker, opened, {}, others});
  };
  for (const Expected& row : kExpected) {
    for (const NamedRole& role : kRoles) {
      for (const bool opened : {false, true}) add(row, role, opened);
    }
  }
  return cells;
}

class Rights : public ::testing::TestWithParam<Cell> {};

TEST_P(Rights, AreWhatTheTableSays) {
  const Cell& cell = GetParam();
  EXPECT_EQ(may(cell.principal, cell.action, cell.subject, cell.opened), cell.expected);
}

INSTANTIATE_TEST_SUITE_P(Cell, Rights, ::testing::ValuesIn(all_cells()),
                         [](const auto& cell) { return cell.param.name; });

TEST(RightsTable, HasTestsForEveryAction) {
  ASSERT_EQ(std::size(kExpected), rights_table().size());
  for (std::size_t i = 0; i < std::size(kExpected); ++i) {
    EXPECT_EQ(rights_table()[i].action, kExpected[i].action);
  }
}

TEST(RightsTable, NamesASettingWhereOneOpensSomething) {
  for (const RightsRow& row : rights_table()) {
    bool opens = false;
    for (const RoleRights& one : {row.viewer, row.user, row.op}) {
      opens = opens || one.own == Right::kIfOpened || one.others == Right::kIfOpened;
    }
    EXPECT_EQ(opens, !row.opening.empty()) << row.what;
  }
}

// A role may all that the one below it may.
TEST(RightsTable, RolesGrow) {
  for (const RightsRow& row : rights_table()) {
    EXPECT_LE(row.viewer.own, row.user.own) << row.what;
    EXPECT_LE(row.viewer.others, row.user.others) << row.what;
    EXPECT_LE(row.user.own, row.op.own) << row.what;
    EXPECT_LE(row.user.others, row.op.others) << row.what;
  }
}

TEST(RightsTable, SaysWhoMay) {
  EXPECT_TRUE(who_may(Action::kDrain).starts_with("an operator"));
  EXPECT_FALSE(who_may(Action::kChangeTenant).starts_with("an operator"));
}

TEST(Owns, ComparesNumbersWhereBothAreKnown) {
  EXPECT_TRUE(owns(account(kFirst), {.uid = 1000, .user = "renamed"}));
  EXPECT_FALSE(owns(account(kFirst), {.uid = 1001, .user = "user1"}));
}

TEST(Owns, ComparesNamesOfWhomHasNoNumber) {
  const Principal remote{.user = "user1"};
  EXPECT_TRUE(owns(remote, owned_by(kFirst)));
  EXPECT_FALSE(owns(remote, owned_by(kSecond)));
  EXPECT_TRUE(owns(account(kFirst), {.user = "user1"}));
  EXPECT_FALSE(owns(account(kFirst), {.user = "user2"}));
}

TEST(Owns, WhatBelongsToNobodyIsNotOfWhomHasNoName) {
  EXPECT_FALSE(owns({}, {}));
  EXPECT_FALSE(owns({.uid = 1000}, {}));
  EXPECT_FALSE(owns({.uid = 1000}, {.user = "user1"}));
}

TEST(Principal, WithoutAnAccountIsNotTakenForRoot) {
  EXPECT_EQ(Principal{}.account(), kNoAccount);
  EXPECT_EQ(Principal{}.identity().uid, kNoAccount);
  EXPECT_FALSE(owns({}, {.uid = kNoAccount, .user = ""}));
}

}  // namespace
}  // namespace gpusched
