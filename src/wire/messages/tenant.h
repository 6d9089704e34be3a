// Tenants as answers have them. What may be set of one is TenantRule (wire/tenant.h).
#pragma once

#include "core/model/tenant.h"
#include "wire/message.h"

namespace gpusched::wire {

// What holds; absent: no limit.
struct Quota {
  std::optional<std::uint64_t> cards, vram_bytes, running, queued;
  std::string gpu_hours;  // "100/week"
  std::optional<std::uint64_t> time_limit_s;
  std::optional<std::uint64_t> highest_priority;

  static constexpr std::string_view kName = "Quota";
  static constexpr auto fields() {
    return std::make_tuple(field("cards", &Quota::cards), field("vram_bytes", &Quota::vram_bytes),
                           field("running", &Quota::running), field("queued", &Quota::queued),
                           field("gpu_hours", &Quota::gpu_hours, kOrNull),
                           field("time_limit_s", &Quota::time_limit_s),
                           field("highest_priority", &Quota::highest_priority, kAlways));
  }
};

struct Project {
  std::string name;  // Empty: those that are not named.
  double weight = 1;
  double usage_gpu_seconds = 0;
  double share_due = 0, share_got = 0;

  static constexpr std::string_view kName = "Project";
  static constexpr auto fields() {
    return std::make_tuple(field("name", &Project::name), field("weight", &Project::weight),
                           field("usage_gpu_seconds", &Project::usage_gpu_seconds),
                           field("share_due", &Project::share_due),
                           field("share_got", &Project::share_got));
  }
};

struct Tenant {
  std::string name;
  double weight = 1;
  Quota quota;
  TenantRule set;
  std::vector<std::string> users;
  double usage_gpu_seconds = 0;
  std::optional<double> share_due, share_got;
  std::optional<bool> below_share;
  std::optional<double> gpu_hours_used;
  std::uint64_t running = 0, cards = 0, vram_bytes = 0, waiting = 0;
  std::vector<Project> projects;

  static constexpr std::string_view kName = "Tenant";
  static constexpr auto fields() {
    return std::make_tuple(
        field("name", &Tenant::name), field("weight", &Tenant::weight),
        field("quota", &Tenant::quota), field("set", &Tenant::set), field("users", &Tenant::users),
        field("usage_gpu_seconds", &Tenant::usage_gpu_seconds),
        field("share_due", &Tenant::share_due), field("share_got", &Tenant::share_got),
        field("below_share", &Tenant::below_share),
        field("gpu_hours_used", &Tenant::gpu_hours_used), field("running", &Tenant::running),
        field("cards", &Tenant::cards), field("vram_bytes", &Tenant::vram_bytes),
        field("waiting", &Tenant::waiting), field("projects", &Tenant::projects));
  }
};

struct Tenants {
  int schema = 1;
  std::vector<Tenant> tenants;
  bool dry_run = false;

  static constexpr std::string_view kName = "Tenants";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Tenants::schema), field("tenants", &Tenants::tenants),
                           field("dry_run", &Tenants::dry_run, kMaybe));
  }
};

}  // namespace gpusched::wire
