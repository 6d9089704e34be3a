#include <gtest/gtest.h>

#include "config/config_file.h"
#include "config/tenant_fields.h"

namespace gpusched {
namespace {

constexpr const char* kFile = R"(tenants:
  default: {cards: 2, time_limit: 24h}
  lab:
    weight: 2.5
    cards: none
    vram: 100G
    running: 10
    queued: 1000
    highest_priority: urgent
    gpu_hours: 200/week
    users: [user1, user2]
    projects: {vision: 2, "two words": 0.5, others: 3}
  guest:
  students: {highest_priority: 45}
)";

std::string tenants_fault(const std::string& text) {
  const Result<Config> config = parse_config(text, "file");
  return config ? "accepted" : config.error().message;
}

TEST(TenantsYaml, ReadsRulesAndUsers) {
  const Result<Config> config = parse_config(kFile, "file");
  ASSERT_TRUE(config) << config.error().message;
  const ConfiguredTenants& tenants = config->tenants;
  ASSERT_EQ(tenants.rules.size(), 4U);
  EXPECT_EQ(tenants.rules.at("default").cards, 2U);
  EXPECT_EQ(tenants.rules.at("default").time_limit_s, 86'400U);
  const TenantRule& lab = tenants.rules.at("lab");
  EXPECT_EQ(lab.weight, 2.5);
  EXPECT_EQ(lab.cards, kNoLimit);
  EXPECT_EQ(lab.vram_bytes, 100ULL << 30);
  EXPECT_EQ(lab.running, 10U);
  EXPECT_EQ(lab.queued, 1000U);
  EXPECT_EQ(lab.highest_priority, 100U);
  EXPECT_EQ(tenants.rules.at("students").highest_priority, 45U);
  EXPECT_EQ(gpu_hours_text(*lab.gpu_hours), "200/week");
  EXPECT_EQ(lab.projects, (ProjectWeights{{"", 3}, {"two words", 0.5}, {"vision", 2}}));
  EXPECT_TRUE(tenants.rules.at("guest").empty());
  EXPECT_EQ(tenants.tenant_of_user.at("user2"), "lab");
}

TEST(TenantsYaml, UnixGroupsAreTenantsInTheOrderOfTheFile) {
  const char* file =
      "tenants: {'group:zoo': {weight: 2}, lab: {users: [user1]}, 'group:ape': {}}\n";
  const Result<Config> config = parse_config(file, "file");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->tenants.groups, (std::vector<std::string>{"zoo", "ape"}));
  EXPECT_EQ(config->tenants.rules.at("group:zoo").weight, 2.0);
  const Result<Config> again = parse_config(config_text(*config), "shown");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->tenants.groups, config->tenants.groups);
  const ConfiguredTenants& tenants = config->tenants;
  EXPECT_EQ(tenant_for(tenants, "user1", {"zoo"}), "lab");
  EXPECT_EQ(tenant_for(tenants, "user2", {"ape", "zoo"}), "group:zoo");
  EXPECT_EQ(tenant_for(tenants, "user2", {"ape"}), "group:ape");
  EXPECT_EQ(tenant_for(tenants, "user2", {"other"}), "user2");
}

TEST(TenantsYaml, AGroupHasItsUsersFromTheSystem) {
  EXPECT_NE(tenants_fault("tenants: {'group:a': {users: [b]}}").find("those of the Unix group"),
            std::string::npos);
  EXPECT_NE(tenants_fault("tenants: {'group:': {}}").find("group:lab"), std::string::npos);
}

TEST(TenantsYaml, WhatIsShownReadsBackTheSame) {
  const Result<Config> config = parse_config(kFile, "file");
  ASSERT_TRUE(config);
  const std::string shown = config_text(*config);
  const Result<Config> again = parse_config(shown, "shown");
  ASSERT_TRUE(again) << again.error().message << "\n" << shown;
  EXPECT_EQ(again->tenants.rules, config->tenants.rules);
  EXPECT_EQ(again->tenants.tenant_of_user, config->tenants.tenant_of_user);
}

TEST(TenantsYaml, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(tenants_fault("tenants: many"), "file:1:10: tenants must be a map of tenants");
  EXPECT_EQ(tenants_fault("tenants:\n  a: 3"),
            "file:2:6: tenants.a must be like {weight: 2, cards: 4}");
  EXPECT_EQ(tenants_fault("tenants:\n  a: {wieght: 3}"),
            "file:2:7: unknown setting \"tenants.a.wieght\"; did you mean \"weight\"?");
  EXPECT_EQ(tenants_fault("tenants:\n  a: {weight: 0}"),
            "file:2:15: tenants.a.weight: \"0\" is not a number from 0.001 to 1000000");
  EXPECT_EQ(tenants_fault("tenants:\n  a: {projects: {b: x}}"),
            "file:2:17: tenants.a.projects: \"x\" is not a number from 0.001 to 1000000");
  EXPECT_EQ(tenants_fault("tenants:\n  a: {projects: b}"),
            "file:2:17: tenants.a.projects: \"b\" is not like vision=2,speech=1, or none");
  EXPECT_EQ(tenants_fault("tenants:\n  a: {cards: -1}"),
            "file:2:14: tenants.a.cards: -1 is not from 0 to 1000000");
  EXPECT_EQ(tenants_fault("tenants:\n  a: {highest_priority: top}"),
            "file:2:25: tenants.a.highest_priority: \"top\" is no priority; write 0 to 100, or "
            "idle, low, normal, high, urgent");
  EXPECT_EQ(tenants_fault("tenants:\n  a: {gpu_hours: 5}"),
            "file:2:18: tenants.a.gpu_hours: \"5\" is not like 100/week (per day, week, month, or "
            "1d to 60d), or none");
  EXPECT_EQ(tenants_fault("tenants:\n  a: {users: [x]}\n  b: {users: [x]}"),
            "file:3:15: tenants.b.users: user x belongs to tenant a already");
  EXPECT_EQ(tenants_fault("tenants:\n  a: {}\n  a: {}"), "file:3:3: \"tenants.a\" is set twice");
  EXPECT_NE(tenants_fault("tenants:\n  default: {users: [x]}"), "accepted");
  EXPECT_NE(tenants_fault("tenants:\n  \"a b\": {}"), "accepted");
}

}  // namespace
}  // namespace gpusched
