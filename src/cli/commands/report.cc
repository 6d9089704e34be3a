#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"
#include "cli/views/report_view.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

constexpr std::array kReportFlags = {
    Flag{"--since", 0, FlagKind::kValue, "TIME",
         "since when: 7d, 12h, or \"2026-01-01 08:00\" (default: 7d)"},
    Flag{"--by", 0, FlagKind::kValue, "WHAT", "a row for each user or for each card"},
};
constexpr std::array<FlagSection, 2> kReportSections = {FlagSection{"What", kReportFlags},
                                                        FlagSection{"General", kCommonFlags}};

Result<std::string> target_of(const Arguments& arguments) {
  std::string by = "user";
  if (const FlagValue* flag = arguments.find("--by"); flag != nullptr) {
    by = flag->text;
    if (by != "user" && by != "card") return bad_value(*flag, "user or card");
  }
  std::string target = "/v1/report?by=" + by;
  const FlagValue* since = arguments.find("--since");
  if (since == nullptr) return target;
  if (const auto range = parse_duration(since->text)) {
    return fmt::format("{}&since={}", target, range->count());
  }
  const Page page = stdout_page();
  const Seconds offset = page.offset_at == nullptr ? Seconds{0} : page.offset_at(page.now);
  const auto moment = parse_time(since->text, page.now, offset);
  if (!moment) return bad_value(*since, moment.error().message);
  return fmt::format("{}&since={}", target, percent_encoded(format_time(*moment)));
}

int run_report(const Arguments& arguments) {
  const auto target = target_of(arguments);
  if (!target) return fail(target.error());
  const Client client = client_of(arguments);
  const Request request{.target = *target};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [](const std::string& body) -> Result<std::string> {
    auto view = parse_report(body);
    if (!view) return failure(view.error());
    return render_report(*view, stdout_page());
  });
}

}  // namespace

constinit const Verb kReportVerb = {
    .name = "report",
    .summary = "what was used of the cards, by user or by card",
    .usage = "report [FLAGS]",
    .about =
        "From what is kept with jobs: ended ones until retention removes them, and those that "
        "run now.\n"
        "A job counts with its last attempt, and of that with what lies after --since. ASKED and "
        "PEAK\n"
        "are per card; means are weighted by time. \"-\" is what was never seen.",
    .examples =
        "gpusched report\n"
        "gpusched report --since 24h --by card\n"
        "gpusched report --since \"2026-01-01 08:00\" --json",
    .sections = kReportSections,
    .run = run_report,
};

}  // namespace gpusched::cli
