// `tenant`: weights, quotas and use of tenants.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/verbs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "cli/views/tenant_view.h"
#include "config/tenant_fields.h"
#include "wire/tenant.h"

namespace gpusched::cli {
namespace {

constexpr std::array kTenantFlags = {
    Flag{"--weight", 0, FlagKind::kValue, "N", "its share against others; 1 unless said"},
    Flag{"--cards", 0, FlagKind::kValue, "N|none", "cards that its jobs may hold at one time"},
    Flag{"--vram", 0, FlagKind::kValue, "SIZE|none", "VRAM that they may hold at one time"},
    Flag{"--running", 0, FlagKind::kValue, "N|none", "jobs that may run at one time"},
    Flag{"--queued", 0, FlagKind::kValue, "N|none", "jobs that may wait; more are refused"},
    Flag{"--gpu-hours", 0, FlagKind::kValue, "N/PERIOD|none",
         "GPU-hours per day, week, month, or so many days: 100/week, 40/10d"},
    Flag{"--time-limit", 0, FlagKind::kValue, "T|none",
         "the longest time limit; jobs without one get it"},
    Flag{"--highest-priority", 0, FlagKind::kValue, "0-100|WORD|none",
         "what its users may ask for; high unless said. Administrators may ask for any",
         Offer::kWords, "idle low normal high urgent none"},
    Flag{"--projects", 0, FlagKind::kValue, "NAME=N,…|none",
         "shares of its projects among themselves; others=N: of those not named"},
};
constexpr std::array<FlagSection, 3> kTenantSections = {FlagSection{"What to set", kTenantFlags},
                                                        FlagSection{"Trying out", kDryRunFlags},
                                                        FlagSection{"General", kCommonFlags}};

int tenant_usage(const std::string& why) { return fail({ErrorCode::kInvalid, why}); }

// "--gpu-hours" is gpu_hours in the file and in this table.
const TenantField& field_of(std::string_view flag) {
  std::string key(flag.substr(2));
  std::ranges::replace(key, '-', '_');
  return *std::ranges::find(tenant_fields(), std::string_view(key), &TenantField::key);
}

Result<TenantRule> rule_from(const Arguments& arguments) {
  TenantRule rule;
  for (const Flag& flag : kTenantFlags) {
    const FlagValue* value = arguments.find(flag.name);
    if (value == nullptr) continue;
    if (auto read = field_of(flag.name).read(rule, value->text); !read) {
      return bad_value(*value, read.error().message);
    }
  }
  return rule;
}

std::string target_of(const std::string& name) { return "/v1/tenants/" + percent_encoded(name); }

int show_tenants(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() > 2) return tenant_usage("tenant show takes one name, or none for all");
  const bool one = words.size() == 2;
  const Client client = client_of(arguments);
  const Request request{.target = one ? target_of(words[1]) : "/v1/tenants"};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [one](const std::string& body) -> Result<std::string> {
    auto tenants = parse_tenants(body);
    if (!tenants) return failure(tenants.error());
    if (one && tenants->size() == 1) return render_tenant(tenants->front());
    if (tenants->empty()) {
      note("no tenant has used anything yet, and none is configured");
      return std::string();
    }
    return render_tenants(*tenants, stdout_page());
  });
}

int set_tenant(const Arguments& arguments) {
  const auto& words = arguments.operands;
  if (words.size() != 2) {
    return tenant_usage(
        "write the tenant and what holds for it: gpusched tenant set lab --cards 4");
  }
  auto rule = rule_from(arguments);
  if (!rule) return fail(rule.error());
  if (rule->empty()) {
    return tenant_usage("say what is to be set: gpusched tenant set " + words[1] + " --cards 4");
  }
  return change_and_say(arguments,
                        {.method = "PATCH",
                         .target = target_of(words[1]) + dry_run_query(arguments),
                         .body = tenant_rule_to_json(*rule)},
                        fmt::format("tenant {} is changed from the next decision on", words[1]));
}

int run_tenant(const Arguments& arguments) {
  const auto& words = arguments.operands;
  const bool sets = !words.empty() && words[0] == "set";
  if (!sets) {
    for (const Flag& flag : kTenantFlags) {
      if (arguments.has(flag.name)) {
        return tenant_usage(fmt::format("{} belongs to gpusched tenant set NAME", flag.name));
      }
    }
  }
  if (words.empty() || words[0] == "show" || words[0] == "list" || words[0] == "ls") {
    return show_tenants(arguments);
  }
  if (sets) return set_tenant(arguments);
  if (words[0] == "unset") {
    if (words.size() != 2) return tenant_usage("write the tenant: gpusched tenant unset lab");
    return change_and_say(
        arguments, {.method = "DELETE", .target = target_of(words[1]) + dry_run_query(arguments)},
        fmt::format("for tenant {} only the configuration holds now", words[1]));
  }
  return tenant_usage(fmt::format("tenant has no '{}'; it has show, set and unset", words[0]));
}

}  // namespace

constinit const Verb kTenantVerb = {
    .name = "tenant",
    .summary = "weights, quotas and use of tenants",
    .usage = "tenant [show [NAME] | set NAME FLAGS | unset NAME] [FLAGS]",
    .about =
        "A tenant is a Unix user, or a group of users that the configuration names. Tenants that "
        "have had less than their share come first in their band. What is set here overrides the "
        "configuration and stays until it is unset; 'default' stands for all who have no rule of "
        "their own. Only administrators may change it.",
    .examples =
        "gpusched tenant\n"
        "gpusched tenant set lab --weight 2 --cards 4 --gpu-hours 200/week\n"
        "gpusched tenant set lab --projects vision=2,speech=1\n"
        "gpusched tenant set default --running 8\n"
        "gpusched tenant unset lab",
    .sections = kTenantSections,
    .operands = Operands::kWords,
    .words = "show set unset",
    .run = run_tenant,
};

}  // namespace gpusched::cli
