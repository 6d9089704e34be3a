// `audit`: who changed what.
#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "cli/views/view_reader.h"

namespace gpusched::cli {
namespace {

constexpr int kAuditShown = 50;
constexpr int kAuditShownMost = 1000;

constexpr std::array kAuditFlags = {
    Flag{"--since", 0, FlagKind::kValue, "TIME",
         "since when: 1d, 12h, or \"2026-01-01 08:00\" (as far back as it goes)"},
    Flag{"--until", 0, FlagKind::kValue, "TIME", "until when; the same forms (now)"},
    Flag{"--user", 0, FlagKind::kValue, "NAME", "only what this user did"},
    Flag{"--what", 0, FlagKind::kValue, "WORD",
         "only such operations: cancel, submit, token, drain_gpu", Offer::kWords,
         "adopt alarms authenticate cancel config disown drain group hold pause release requeue "
         "reservation resume set silence start_daemon submit tenant token undrain"},
    Flag{"--refused", 0, FlagKind::kSwitch, "", "only what was refused"},
    Flag{"--leases", 0, FlagKind::kSwitch, "", "also leases, of which there may be very many"},
    Flag{"--last", 'n', FlagKind::kValue, "N", "at most so many, the newest (50; at most 1000)"},
    Flag{"--csv", 0, FlagKind::kSwitch, "", "comma-separated values"},
};
constexpr std::array<FlagSection, 2> kAuditSections = {FlagSection{"What", kAuditFlags},
                                                       FlagSection{"General", kCommonFlags}};

// As the API takes it: a number of seconds back, or a moment.
Result<std::string> audit_moment(const FlagValue& flag) {
  if (const auto range = parse_duration(flag.text)) return std::to_string(range->count());
  const Page page = stdout_page();
  const Seconds offset = page.offset_at == nullptr ? Seconds{0} : page.offset_at(page.now);
  const auto moment = parse_time(flag.text, page.now, offset);
  if (!moment) return bad_value(flag, moment.error().message);
  return format_time(*moment);
}

Result<std::string> audit_query(const Arguments& arguments) {
  int shown = kAuditShown;
  if (const FlagValue* last = arguments.find("--last")) {
    if (!whole_number(last->text, shown) || shown < 1 || shown > kAuditShownMost) {
      return bad_value(*last, fmt::format("write a number from 1 to {}", kAuditShownMost));
    }
  }
  std::string target = fmt::format("/v1/audit?limit={}", shown);
  for (const char* name : {"since", "until"}) {
    const FlagValue* flag = arguments.find(std::string("--") + name);
    if (flag == nullptr) continue;
    const auto moment = audit_moment(*flag);
    if (!moment) return failure(moment.error());
    target += fmt::format("&{}={}", name, percent_encoded(*moment));
  }
  if (arguments.has("--user")) target += "&user=" + percent_encoded(arguments.text("--user"));
  if (arguments.has("--what")) target += "&operation=" + percent_encoded(arguments.text("--what"));
  if (arguments.has("--refused")) target += "&result=refused";
  if (arguments.has("--leases")) target += "&leases=1";
  return target;
}

int run_audit(const Arguments& arguments) {
  const auto target = audit_query(arguments);
  if (!target) return fail(target.error());
  const Client client = client_of(arguments);
  const Request request{.target = *target};
  if (arguments.has("--json")) return pass_through(client, request);
  const bool csv = arguments.has("--csv");
  return call_and_print(client, request, [csv](const std::string& body) -> Result<std::string> {
    auto audit = parse_message<wire::Audit>(body);
    if (!audit) return failure(audit.error());
    // The newest last, where one looks first.
    std::ranges::reverse(audit->entries);
    if (csv) return audit_csv(audit->entries);
    if (audit->entries.empty()) {
      note("there is nothing of that kind in the audit");
      return std::string();
    }
    if (!audit->next.empty()) note("there are older ones; --last 1000 or --until shows more");
    return render_audit(audit->entries, stdout_page());
  });
}

}  // namespace

constinit const Verb kAuditVerb = {
    .name = "audit",
    .summary = "who changed what, when, from where, and what was refused",
    .usage = "audit [FLAGS]",
    .about =
        "Every change that came through the API, reloads of the configuration and starts of the "
        "daemon,\n"
        "the newest last. Administrators see everybody's, the others what they did themselves. "
        "What "
        "is\n"
        "refused again and again is counted (\"12 times\"). \"interrupted\": the daemon was ended "
        "in "
        "the\n"
        "middle of it. How much is kept: audit.keep and audit.most of the configuration.",
    .examples =
        "gpusched audit --since 1d\n"
        "gpusched audit --user ml1 --what cancel\n"
        "gpusched audit --refused\n"
        "gpusched audit --since \"2026-01-01 08:00\" --last 1000 --csv",
    .sections = kAuditSections,
    .run = run_audit,
};

}  // namespace gpusched::cli
