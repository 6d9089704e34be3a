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
  if (tenant.vram_bytes == 0 && !tenant.vram_most) return "";
  const std::string held = format_size(tenant.vram_bytes);
  return tenant.vram_most ? held + "/" + format_size(*tenant.vram_most) : held;
}

std::string hours_quota(const TenantView& tenant) {
  if (tenant.gpu_hours.empty()) return "";
  return fmt::format("{:.1f} of {}", tenant.gpu_hours_used.value_or(0), tenant.gpu_hours);
}

std::string longest(const TenantView& tenant) {
  if (!tenant.time_limit_s) return "";
  return format_duration(Seconds{static_cast<std::int64_t>(*tenant.time_limit_s)});
}

}  // namespace

Result<std::vector<TenantView>> parse_tenants(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  std::vector<TenantView> tenants;
  Reader(&*value).each("tenants", [&](const JsonValue& entry) {
    const Reader from(&entry);
    TenantView& tenant = tenants.emplace_back();
    from.text("name", tenant.name);
    from.number("weight", tenant.weight);
    const Reader quota = from.inner("quota");
    quota.number("cards", tenant.cards_most);
    quota.number("vram_bytes", tenant.vram_most);
    quota.number("running", tenant.running_most);
    quota.number("queued", tenant.queued_most);
    quota.number("time_limit_s", tenant.time_limit_s);
    quota.number("highest_priority", tenant.highest_priority);
    quota.text("gpu_hours", tenant.gpu_hours);
    from.number("gpu_hours_used", tenant.gpu_hours_used);
    from.each("users", [&](const JsonValue& user) {
      if (const auto* name = user.as<std::string>()) tenant.users.push_back(*name);
    });
    from.number("usage_gpu_seconds", tenant.usage_gpu_seconds);
    from.number("share_due", tenant.share_due);
    from.number("share_got", tenant.share_got);
    from.number("running", tenant.running);
    from.number("cards", tenant.cards);
    from.number("vram_bytes", tenant.vram_bytes);
    from.number("waiting", tenant.waiting);
    from.each("projects", [&](const JsonValue& one) {
      const Reader project(&one);
      ProjectView& view = tenant.projects.emplace_back();
      project.text("name", view.name);
      project.number("weight", view.weight);
      project.number("usage_gpu_seconds", view.usage_gpu_seconds);
      project.number("share_due", view.share_due);
      project.number("share_got", view.share_got);
    });
  });
  return tenants;
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
               {of_limit(tenant.running, tenant.running_most)},
               {of_limit(tenant.cards, tenant.cards_most)},
               {vram_text(tenant)},
               {of_limit(tenant.waiting, tenant.queued_most)},
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
  line("Running", counted(tenant.running, "job", "jobs") + quota(tenant.running_most));
  line("Cards", std::to_string(tenant.cards) + quota(tenant.cards_most));
  line("VRAM",
       format_size(tenant.vram_bytes) +
           (tenant.vram_most ? ", at most " + format_size(*tenant.vram_most) : std::string()));
  line("Waiting", counted(tenant.waiting, "job", "jobs") + quota(tenant.queued_most));
  line("GPU-hours", hours_quota(tenant));
  line("Time limit", tenant.time_limit_s ? "at most " + longest(tenant) : "");
  if (tenant.highest_priority) {
    const auto highest = static_cast<int>(*tenant.highest_priority);
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
