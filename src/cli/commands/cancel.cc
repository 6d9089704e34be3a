#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/jobs/change_jobs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

constexpr std::array kCancelFlags = {
    Flag{"--grace", 0, FlagKind::kValue, "DURATION",
         "between TERM and KILL, instead of the job's own"},
};
constexpr std::array<FlagSection, 4> kCancelSections = {
    FlagSection{"How", kCancelFlags}, FlagSection{"Which jobs", kSelectorFlags},
    FlagSection{"Trying out", kDryRunFlags}, FlagSection{"General", kCommonFlags}};

int run_cancel(const Arguments& arguments) {
  Change change{
      .verb = "cancel", .past = "cancelled", .action = "cancel", .unchanged_is_fine = true};
  if (const FlagValue* grace = arguments.find("--grace"); grace != nullptr) {
    auto seconds = parse_duration(grace->text);
    if (!seconds) return fail(bad_value(*grace, seconds.error().message).value());
    change.body = fmt::format("{{\"grace_s\":{}}}", seconds->count());
  }
  return change_jobs(arguments, change);
}

}  // namespace

constinit const Verb kCancelVerb = {
    .name = "cancel",
    .summary = "end jobs, whatever state they are in",
    .usage = "cancel IDS… [FLAGS]",
    .about =
        "A waiting job is taken out of the queue; a running one gets TERM, then KILL after its "
        "grace\n"
        "time, with everything it has started. A job that has ended already is no failure.",
    .examples =
        "gpusched cancel 7\n"
        "gpusched cancel 7-12,20 --grace 0\n"
        "gpusched cancel --all --state waiting --dry-run\n"
        "gpusched cancel --array 7",
    .sections = kCancelSections,
    .operands = Operands::kJobs,
    .offer = Offer::kOpenJobs,
    .run = run_cancel,
};

}  // namespace gpusched::cli
