#include "config/roles_yaml.h"

#include <gtest/gtest.h>

#include "config/config_file.h"
#include "config/reload.h"

namespace gpusched {
namespace {

constexpr const char* kRoles =
    "roles: {operator: [ml1, \"group:lab\"], viewer: [\"group:students\"], admin: [ml3], user: "
    "[ml2]}\n";

std::string roles_fault(const std::string& text) {
  const Result<Config> config = parse_config("roles: " + text + "\n", "file");
  return config ? "accepted" : config.error().message;
}

TEST(RolesYaml, ReadsUsersAndGroups) {
  const Result<Config> config = parse_config(kRoles, "file");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->roles.users,
            (std::map<std::string, Role>{
                {"ml1", Role::kOperator}, {"ml2", Role::kUser}, {"ml3", Role::kAdministrator}}));
  EXPECT_EQ(config->roles.groups,
            (std::map<std::string, Role>{{"lab", Role::kOperator}, {"students", Role::kViewer}}));
}

TEST(RolesYaml, WhatIsShownReadsBackTheSame) {
  const Result<Config> config = parse_config(kRoles, "file");
  ASSERT_TRUE(config);
  const Result<Config> again = parse_config(config_text(*config), "shown");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->roles, config->roles);
  EXPECT_EQ(roles_text({}), "{}");
}

TEST(RolesYaml, RefusesWhatMakesNoSense) {
  EXPECT_EQ(roles_fault("{boss: [ml1]}"),
            "file:1:9: roles: a role is viewer, user, operator or admin");
  EXPECT_EQ(roles_fault("{viewer: ml1}"),
            "file:1:17: roles.viewer must be a list such as [user1, \"group:lab\"]");
  EXPECT_EQ(roles_fault("{viewer: [[a]]}"), "file:1:18: roles.viewer must be a list of words");
  EXPECT_EQ(roles_fault("{viewer: [\"group:\"]}"),
            "file:1:18: roles.viewer: \"group:\" is no user, and no group such as group:lab");
  EXPECT_EQ(roles_fault("{viewer: [ml1], admin: [ml1]}"),
            "file:1:32: roles.admin: ml1 has the role viewer already");
  EXPECT_EQ(roles_fault("{viewer: [ml1], viewer: [ml2]}"),
            "file:1:24: \"roles.viewer\" is set twice");
  EXPECT_EQ(roles_fault("viewer"), "file:1:8: roles must be a map of roles");
  EXPECT_EQ(roles_fault("[viewer]"), "file:1:8: roles must be a map of roles");
}

TEST(RolesYaml, ChangeWithoutARestart) {
  const Config running;
  const Result<Config> wanted = parse_config(kRoles, "file");
  ASSERT_TRUE(wanted);
  const auto changes = changes_between(running, *wanted);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].setting, "roles");
  EXPECT_FALSE(changes[0].at_restart);
}

}  // namespace
}  // namespace gpusched
