#include "cli/doctor/doctor.h"

#include <algorithm>

#include "cli/commands/verbs.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

int run_doctor(const Arguments& arguments) {
  const std::vector<Finding> findings = examine(client_of(arguments));
  auto done = print(arguments.has("--json") ? findings_json(findings)
                                            : render_findings(findings, stdout_page()));
  if (!done) return fail(done.error());
  const bool bad = std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.health == Health::kBad; });
  return bad ? exit_code_of(ErrorCode::kUnavailable) : kExitOk;
}

}  // namespace

constinit const Verb kDoctorVerb = {
    .name = "doctor",
    .summary = "what this machine can do, and how to fix what it can't",
    .usage = "doctor [FLAGS]",
    .about =
        "Works without a daemon. Each line: what is, what it costs, how to fix it. The exit code "
        "is 69\n"
        "if something is bad.",
    .examples =
        "gpusched doctor\n"
        "gpusched doctor --json",
    .sections = kPlainSections,
    .run = run_doctor,
    .whole_there = true,
};

}  // namespace gpusched::cli
