#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands/verbs.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/submit/notes.h"
#include "cli/submit/prepare.h"
#include "cli/submit/program_note.h"
#include "cli/submit/submit_flags.h"
#include "cli/terminal.h"
#include "cli/views/views.h"

namespace gpusched::cli {
namespace {

// A line on a terminal that is gone when the work is done.
class ProgressLine {
 public:
  ProgressLine(const std::string& words, bool wanted)
      : shown_(wanted && is_terminal(STDERR_FILENO)) {
    if (shown_) (void)!::write(STDERR_FILENO, words.data(), words.size());
  }
  ~ProgressLine() {
    static constexpr std::string_view kClear = "\r\x1b[K";
    if (shown_) (void)!::write(STDERR_FILENO, kClear.data(), kClear.size());
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  bool shown_;
};

std::string id_text(const SubmittedView& submitted) {
  return submitted.count > 1 ? fmt::format("{}-{}", submitted.first, submitted.last)
                             : std::to_string(submitted.first);
}

int report(const Arguments& arguments, const std::string& body) {
  if (arguments.has("--json")) {
    auto done = print(body.ends_with('\n') ? body : body + "\n");
    return done ? kExitOk : fail(done.error());
  }
  const bool dry_run = arguments.has("--dry-run");
  auto submitted = dry_run ? parse_previewed(body) : parse_submitted(body);
  if (!submitted) return fail(submitted.error());
  if (dry_run) {
    note(fmt::format("would submit {}; nothing was changed",
                     counted(submitted->count, "job", "jobs")));
    if (!submitted->warning.empty()) note(submitted->warning);
    auto shown = print(render_preview(*submitted, stdout_page()));
    return shown ? kExitOk : fail(shown.error());
  }
  if (!submitted->warning.empty()) note(submitted->warning);
  if (submitted->repeated) note("this key was submitted before; these are its jobs");
  auto done = print(id_text(*submitted) + "\n");
  return done ? kExitOk : fail(done.error());
}

int run_submit(const Arguments& arguments) {
  auto submission = prepare_submission(arguments, kSubmitSections);
  if (!submission) return fail(submission.error());
  const Client client = client_of(arguments);
  if (auto resolved = resolve_after(client, *submission); !resolved) return fail(resolved.error());
  auto tasks = tasks_of(*submission);
  if (!tasks) return fail(tasks.error());
  for (const std::string& words : notes_on(*submission, *tasks)) note(words);
  if (const auto words = note_on_program(*submission)) note(*words);
  Body body = write_body(*submission, *tasks);
  Request request{.method = "POST",
                  .target = arguments.has("--dry-run") ? "/v1/preview" : "/v1/jobs",
                  .body = std::move(body.text),
                  .has_key = arguments.has("--dry-run") || submission->has_key};
  if (body.lines) request.content_type = "application/x-ndjson";
  Result<std::string> answer;
  {
    const ProgressLine progress(fmt::format("submitting {} jobs …", tasks->size()), body.lines);
    answer = client.call(request);
  }
  return answer ? report(arguments, *answer)
                : fail(refused(*submission, std::move(answer.error())));
}

}  // namespace

constinit const Verb kSubmitVerb = {
    .name = "submit",
    .summary = "queue a command, print its id",
    .usage =
        "submit [FLAGS] -- COMMAND…\n"
        "       gpusched submit [FLAGS] SCRIPT [ARGUMENTS…]\n"
        "       gpusched submit [FLAGS] --cmd 'LINE' | --file job.yaml | --each-line FILE",
    .about =
        "The id is printed alone on standard output: 7, or 7-106 for an array or sweep. The job\n"
        "runs with this environment, directory, umask and limits. A script may carry flags in\n"
        "lines that begin with #GPUSCHED; what the command line says wins.",
    .examples =
        "gpusched submit --vram 8G -- python train.py\n"
        "gpusched submit --gpus 2 --time 4h --after 7 -- ./evaluate.sh\n"
        "gpusched submit --param lr=0.1,0.01 --param seed=1:5 -- python train.py {lr} {seed}\n"
        "gpusched submit --gpus 0 --array 0-99%4 --cmd 'convert {index}.png {index}.jpg'\n"
        "ls *.wav | gpusched submit --each-line - -- transcribe {line}\n"
        "gpusched wait $(gpusched submit -- make test)",
    .sections = kSubmitSections,
    .operands = Operands::kCommand,
    .run = run_submit,
};

}  // namespace gpusched::cli
