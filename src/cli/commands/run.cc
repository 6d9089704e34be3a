#include <unistd.h>

#include "cli/commands/verbs.h"
#include "cli/foreground.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/submit/notes.h"
#include "cli/submit/prepare.h"
#include "cli/submit/submit_flags.h"
#include "cli/terminal.h"
#include "cli/views/views.h"

namespace gpusched::cli {
namespace {

int run_run(const Arguments& arguments) {
  if (arguments.has("--json")) {
    return fail({ErrorCode::kInvalid,
                 "run gives its output to the job and has no --json form; use submit --json"});
  }
  auto submission = prepare_submission(arguments, kRunSections);
  if (!submission) return fail(submission.error());
  const bool terminal = is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO);
  submission->attach = terminal ? Attach::kPty : Attach::kPipes;
  const TerminalSize size = terminal_size(STDIN_FILENO).value_or(TerminalSize{});
  submission->rows = size.rows;
  submission->columns = size.columns;
  const Client client = client_of(arguments);
  if (auto resolved = resolve_after(client, *submission); !resolved) return fail(resolved.error());
  for (const std::string& words : notes_on(*submission, {})) note(words);
  const bool dry_run = arguments.has("--dry-run");
  auto answer = client.call({.method = "POST",
                             .target = dry_run ? "/v1/jobs?dry_run=1" : "/v1/jobs",
                             .body = write_body(*submission, {}).text});
  if (!answer) return fail(refused(*submission, std::move(answer.error())));
  auto submitted = parse_submitted(*answer);
  if (!submitted) return fail(submitted.error());
  if (dry_run) note("would run this job; nothing was changed");
  if (!submitted->warning.empty()) note(submitted->warning);
  if (dry_run) {
    if (!submitted->preview) return kExitOk;  // Of an older daemon.
    auto shown = print(render_preview(*submitted, stdout_page()));
    return shown ? kExitOk : fail(shown.error());
  }
  return stay_with(client, submitted->first, Staying::kAsItsClient);
}

}  // namespace

constinit const Verb kRunVerb = {
    .name = "run",
    .summary = "the same in the foreground: this terminal is the job's",
    .usage =
        "run [FLAGS] -- COMMAND…\n"
        "       gpusched run [FLAGS] SCRIPT [ARGUMENTS…]",
    .about =
        "Waits until the job may start and says why it waits. Then input, output, window size and\n"
        "Ctrl-C are the job's, and its exit code is this program's. Ctrl-C before that cancels "
        "it.\n"
        "Ctrl-] d detaches, also while it waits: the job goes on by itself, and `gpusched attach "
        "7` "
        "comes\n"
        "back to it.",
    .examples =
        "gpusched run --vram 8G -- python -i\n"
        "gpusched run --gpus 0 -- make -j4",
    .sections = kRunSections,
    .operands = Operands::kCommand,
    .run = run_run,
    .whole_there = true,
    .over_network = true,
};

}  // namespace gpusched::cli
