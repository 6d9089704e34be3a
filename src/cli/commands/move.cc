#include <fmt/format.h>

#include "cli/commands/verbs.h"
#include "cli/jobs/change_jobs.h"
#include "cli/jobs/job_ids.h"
#include "cli/session.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {
namespace {

constexpr std::array kMoveFlags = {
    Flag{"--before", 0, FlagKind::kValue, "JOB", "the waiting job that comes right behind them",
         Offer::kOpenJobs},
};
constexpr std::array<FlagSection, 3> kMoveSections = {FlagSection{"Where", kMoveFlags},
                                                      FlagSection{"Trying out", kDryRunFlags},
                                                      FlagSection{"General", kCommonFlags}};

int run_move(const Arguments& arguments) {
  const FlagValue* before = arguments.find("--before");
  if (before == nullptr) {
    return fail({ErrorCode::kInvalid, "say where to: gpusched move 7 --before 5"});
  }
  auto selector = parse_selector(before->text);
  if (!selector) return fail(bad_value(*before, selector.error().message).value());
  auto ids = resolve_ids(client_of(arguments), {*selector, ""});
  if (!ids) return fail(ids.error());
  if (ids->size() != 1) return fail(bad_value(*before, "name one job").value());
  Arguments which = arguments;
  which.remove("--before");
  return change_jobs(which, {.verb = "move",
                             .past = "moved",
                             .method = "PATCH",
                             .action = "",
                             .body = fmt::format(R"({{"before":{}}})", ids->front())});
}

}  // namespace

constinit const Verb kMoveVerb = {
    .name = "move",
    .summary = "put waiting jobs before another of one's own",
    .usage = "move IDS… --before JOB",
    .about =
        "Among waiting jobs with the same owner, project and priority. They change places with\n"
        "each other, so nobody else's job comes later.",
    .examples =
        "gpusched move 7 --before 5\n"
        "gpusched move 20-24 --before last",
    .sections = kMoveSections,
    .operands = Operands::kJobs,
    .offer = Offer::kOpenJobs,
    .run = run_move,
};

}  // namespace gpusched::cli
