#include "wire/tenant.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(TenantJson, ReadsWhatItWrites) {
  TenantRule rule;
  rule.weight = 0.5;
  rule.cards = 2;
  rule.vram_bytes = 40ULL << 30;
  rule.running = kNoLimit;
  rule.queued = 0;
  rule.gpu_hours = GpuHours{360'000, GpuHours::Period::kDays, 10};
  rule.time_limit_s = 86'400;
  rule.highest_priority = 69;
  rule.projects = ProjectWeights{{"", 0.5}, {"vision", 2}};
  EXPECT_EQ(tenant_rule_to_json(rule),
            R"({"weight":0.5,"cards":2,"vram_bytes":42949672960,"running":"none","queued":0,)"
            R"("time_limit_s":86400,"highest_priority":69,"gpu_hours":"100/10d",)"
            R"("projects":{"":0.5,"vision":2}})");
  EXPECT_EQ(tenant_rule_from_json(tenant_rule_to_json(rule)), rule);
  EXPECT_EQ(tenant_rule_from_json("{}"), TenantRule{});
}

TEST(TenantJson, UsageOfProjectsIsKept) {
  TenantUsage usage;
  usage.gpu_seconds = 12.5;
  usage.projects = {{"", 2.5}, {"vision", 10}};
  const auto read = tenant_usage_from_json(tenant_usage_to_json(usage));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, usage);
}

TEST(TenantJson, SaysWhatIsWrong) {
  const auto fault = [](std::string_view text) {
    const Result<TenantRule> read = tenant_rule_from_json(text);
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_EQ(fault(R"({"weight":0})"), "weight must be a number from 0.001 to 1000000");
  EXPECT_EQ(fault(R"({"cards":-1})"),
            "cards must be a whole number from 0 to 1000000, or \"none\"");
  EXPECT_EQ(fault(R"({"cards":"many"})"),
            "cards must be a whole number from 0 to 1000000, or \"none\"");
  EXPECT_EQ(fault(R"({"gpu_hours":"100"})"),
            "gpu_hours must be like \"100/week\" (day, week, month, or 1d to 60d), or \"none\"");
  EXPECT_EQ(fault(R"({"highest_priority":101})"),
            "highest_priority must be a whole number from 0 to 100, or \"none\"");
  EXPECT_NE(fault(R"({"cardz":1})"), "accepted");
  EXPECT_NE(fault("[]"), "accepted");
  EXPECT_EQ(fault(R"({"projects":3})"),
            "projects must be an object of at most 1000 names and weights");
  EXPECT_EQ(fault(R"({"projects":{"a":0}})"), "projects must have weights from 0.001 to 1000000");
  EXPECT_FALSE(tenant_usage_from_json(R"({"gpu_seconds":1})"));
  EXPECT_FALSE(tenant_usage_from_json(
      R"({"gpu_seconds":1,"counted_at_us":1,"counted_boot_us":1,"days":[[1]]})"));
}

}  // namespace
}  // namespace gpusched
