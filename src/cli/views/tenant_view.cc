#include "cli/views/tenant_view.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/display.h"
#include "cli/table.h"
#include "cli/views/view_reader.h"
#include "core/state/pending.h"

namespace gpusched::cli {
namespace {

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f}%", *share * 100) : "";
}

std::string of_limit(std::uint64_t now, const std::optional<std::uint64_t>& most) {
  return most ? fmt::format("{}/{}", now, *most) : std::to_string(now);
}

std::string hours(double gpu_seconds) { return fmt::format("{:.1f}", gpu_seconds / 3600); }

std::string vram_text(const TenantView& tenant) {
  if (tenant.vram_bytes == 0 && !tenant.quota.vram_bytes) return "";
  const std::string held = format_size(tenant.vram_bytes);
  return tenant.quota.vram_bytes ? held + "/" + format_size(*tenant.quota.vram_bytes) : held;
}

std::string hours_quota(const TenantView& tenant) {
  if (tenant.quota.gpu_hours.empty()) return "";
  return fmt::format("{:.1f} of {}", tenant.gpu_hours_used.value_or(0), tenant.quota.gpu_hours);
}

std::string longest(const TenantView& tenant) {
  if (!tenant.quota.time_limit_s) return "";
  return format_duration(Seconds{static_cast<std::int64_t>(*tenant.quota.time_limit_s)});
}

}  // namespace

Result<std::vector<TenantView>> parse_tenants(std::string_view body) {
  auto answer = parse_message<wire::Tenants>(body);
  if (!answer) return failure(answer.error());
  return std::move(answer->tenants);
}

std::string render_tenants(const std::vector<TenantView>& tenants, const Page& page) {
  Table table({{"TENANT", false, 8},
               {"WEIGHT", true, 0, 2},
               {"DUE", true},
               {"GOT", true},
               {"USED H", true, 0, 1},
               {"JOBS", true},
               {"CARDS", true},
               {"VRAM", true, 0, 3},
               {"WAITING", true},
               {"GPU-HOURS", false, 0, 4},
               {"LONGEST", true, 0, 5}});
  for (const TenantView& tenant : tenants) {
    table.add({{tenant.name},
               {fmt::format("{}", tenant.weight)},
               {share_text(tenant.share_due)},
               {share_text(tenant.share_got)},
               {hours(tenant.usage_gpu_seconds)},
               {of_limit(tenant.running, tenant.quota.running)},
               {of_limit(tenant.cards, tenant.quota.cards)},
               {vram_text(tenant)},
               {of_limit(tenant.waiting, tenant.quota.queued)},
               {hours_quota(tenant)},
               {longest(tenant)}});
  }
  return table.text(page.width, page.colour);
}

std::string render_tenant(const TenantView& tenant) {
  std::string out;
  const auto line = [&out](std::string_view title, const std::string& text) {
    if (!text.empty()) out += fmt::format("{:<12} {}\n", title, escaped(text));
  };
  const auto quota = [](const std::optional<std::uint64_t>& most) {
    return most ? fmt::format(", at most {}", *most) : std::string();
  };
  line("Tenant", tenant.name);
  line("Users", fmt::format("{}", fmt::join(tenant.users, ", ")));
  line("Weight", fmt::format("{}", tenant.weight));
  if (tenant.share_due) {
    line("Share",
         fmt::format("due {}, got {}", share_text(tenant.share_due), share_text(tenant.share_got)));
  }
  line("Used", fmt::format("{} GPU-hours that still count", hours(tenant.usage_gpu_seconds)));
  line("Running", counted(tenant.running, "job", "jobs") + quota(tenant.quota.running));
  line("Cards", std::to_string(tenant.cards) + quota(tenant.quota.cards));
  line("VRAM", format_size(tenant.vram_bytes) +
                   (tenant.quota.vram_bytes ? ", at most " + format_size(*tenant.quota.vram_bytes)
                                            : std::string()));
  line("Waiting", counted(tenant.waiting, "job", "jobs") + quota(tenant.quota.queued));
  line("GPU-hours", hours_quota(tenant));
  line("Time limit", tenant.quota.time_limit_s ? "at most " + longest(tenant) : "");
  if (tenant.quota.highest_priority) {
    const auto highest = static_cast<int>(*tenant.quota.highest_priority);
    line("Priority", fmt::format("at most {} ({})", highest, band_name(highest)));
  }
  for (const ProjectView& project : tenant.projects) {
    const std::string name = project.name.empty() ? "(others)" : project.name;
    line("Project", fmt::format("{}: weight {}, due {}, got {}, used {} GPU-hours", name,
                                project.weight, share_text(project.share_due),
                                share_text(project.share_got), hours(project.usage_gpu_seconds)));
  }
  return out;
}

}  // namespace gpusched::cli
