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

// What users may, said a second time and by hand.
struct Expected {
  Action action;
  const char* name;
  bool own;
  bool others;
  bool own_opened;
  bool others_opened;
};
constexpr bool kCan = true;
constexpr bool kCannot = false;
constexpr Expected kUsers[] = {
    {Action::kUse, "Use", kCan, kCan, kCan, kCan},
    {Action::kSeeArguments, "SeeArguments", kCan, kCannot, kCan, kCan},
    {Action::kSeeFiles, "SeeFiles", kCan, kCannot, kCan, kCannot},
    {Action::kReadLog, "ReadLog", kCan, kCannot, kCan, kCannot},
    {Action::kChangeJob, "ChangeJob", kCan, kCannot, kCan, kCannot},
    {Action::kHoldLease, "HoldLease", kCan, kCannot, kCan, kCannot},
    {Action::kAdopt, "Adopt", kCan, kCannot, kCan, kCannot},
    {Action::kReserve, "Reserve", kCannot, kCannot, kCan, kCannot},
    {Action::kUnreserve, "Unreserve", kCan, kCannot, kCan, kCannot},
    {Action::kExceedLimits, "ExceedLimits", kCannot, kCannot, kCannot, kCannot},
    {Action::kChangeGroup, "ChangeGroup", kCan, kCannot, kCan, kCannot},
    {Action::kRemoveGroup, "RemoveGroup", kCan, kCannot, kCan, kCannot},
    {Action::kChangeTenant, "ChangeTenant", kCannot, kCannot, kCannot, kCannot},
    {Action::kDrain, "Drain", kCannot, kCannot, kCannot, kCannot},
    {Action::kUndrain, "Undrain", kCannot, kCannot, kCannot, kCannot},
    {Action::kOperate, "Operate", kCannot, kCannot, kCannot, kCannot},
};

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
  const auto add = [&](const Expected& row, Role role, bool opened) {
    const bool all = role == Role::kAdministrator;
    const bool own = all || (opened ? row.own_opened : row.own);
    const bool others = all || (opened ? row.others_opened : row.others);
    const std::string who = std::string(row.name) + (all ? "AsAdministrator" : "AsUser") +
                            (opened ? "Opened" : "Closed");
    const Principal asker = account(kFirst, role);
    cells.push_back({who + "Own", row.action, asker, opened, owned_by(kFirst), own});
    cells.push_back({who + "Others", row.action, asker, opened, owned_by(kSecond), others});
    cells.push_back({who + "Nobodys", row.action, asker, opened, {}, others});
  };
  for (const Expected& row : kUsers) {
    for (const Role role : {Role::kUser, Role::kAdministrator}) {
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
  ASSERT_EQ(std::size(kUsers), rights_table().size());
  for (std::size_t i = 0; i < std::size(kUsers); ++i) {
    EXPECT_EQ(rights_table()[i].action, kUsers[i].action);
  }
}

TEST(RightsTable, NamesASettingWhereOneOpensSomething) {
  for (const RightsRow& row : rights_table()) {
    const bool opens = row.own == Right::kIfOpened || row.others == Right::kIfOpened;
    EXPECT_EQ(opens, !row.opening.empty()) << row.what;
  }
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
