#include "core/access/roles.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

const RoleBook kBook{.users = {{"ada", Role::kOperator}, {"ben", Role::kUser}},
                     .groups = {{"students", Role::kViewer}, {"lab", Role::kOperator}}};

TEST(Roles, HaveNamesThatReadBack) {
  for (const Role role : kAllRoles) EXPECT_EQ(role_named(role_name(role)), role);
  EXPECT_EQ(role_named("root"), std::nullopt);
  EXPECT_EQ(role_named(""), std::nullopt);
}

TEST(Roles, WhoIsNamedNowhereIsAUser) {
  EXPECT_EQ(role_in(kBook, "eve", {}), Role::kUser);
  EXPECT_EQ(role_in(kBook, "eve", {"wheel", "audio"}), Role::kUser);
  EXPECT_EQ(role_in({}, "ada", {"lab"}), Role::kUser);
}

TEST(Roles, ANameCountsMoreThanGroups) {
  EXPECT_EQ(role_in(kBook, "ada", {"students"}), Role::kOperator);
  EXPECT_EQ(role_in(kBook, "ben", {"lab", "students"}), Role::kUser);
}

TEST(Roles, OfSeveralGroupsTheHighestCounts) {
  EXPECT_EQ(role_in(kBook, "eve", {"students"}), Role::kViewer);
  EXPECT_EQ(role_in(kBook, "eve", {"lab", "students"}), Role::kOperator);
  EXPECT_EQ(role_in(kBook, "eve", {"students", "lab"}), Role::kOperator);
}

}  // namespace
}  // namespace gpusched
