#include "core/access/roles.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

const RoleBook kBook{.users = {{"ml1", Role::kOperator}, {"ml2", Role::kUser}},
                     .groups = {{"students", Role::kViewer}, {"lab", Role::kOperator}}};

TEST(Roles, HaveNamesThatReadBack) {
  for (const Role role : kAllRoles) EXPECT_EQ(role_named(role_name(role)), role);
  EXPECT_EQ(role_named("root"), std::nullopt);
  EXPECT_EQ(role_named(""), std::nullopt);
}

TEST(Roles, WhoIsNamedNowhereIsAUser) {
  EXPECT_EQ(role_in(kBook, "ml3", {}), Role::kUser);
  EXPECT_EQ(role_in(kBook, "ml3", {"wheel", "audio"}), Role::kUser);
  EXPECT_EQ(role_in({}, "ml1", {"lab"}), Role::kUser);
}

TEST(Roles, ANameCountsMoreThanGroups) {
  EXPECT_EQ(role_in(kBook, "ml1", {"students"}), Role::kOperator);
  EXPECT_EQ(role_in(kBook, "ml2", {"lab", "students"}), Role::kUser);
}

TEST(Roles, OfSeveralGroupsTheHighestCounts) {
  EXPECT_EQ(role_in(kBook, "ml3", {"students"}), Role::kViewer);
  EXPECT_EQ(role_in(kBook, "ml3", {"lab", "students"}), Role::kOperator);
  EXPECT_EQ(role_in(kBook, "ml3", {"students", "lab"}), Role::kOperator);
}

}  // namespace
}  // namespace gpusched
