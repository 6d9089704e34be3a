#include "cli/submit/prepare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "cli/elsewhere.h"
#include "cli/files.h"
#include "cli/jobs/job_ids.h"
#include "cli/jobs/selectors.h"
#include "cli/servers.h"
#include "cli/session.h"
#include "cli/submit/defaults.h"
#include "cli/submit/directives.h"
#include "cli/submit/job_file.h"
#include "cli/submit/origin.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kScriptHead = 64 * 1024;
constexpr std::uint64_t kAfterMost = 10'000;
// Variables add up; everything else that is given again replaces what was there.
constexpr std::array<std::string_view, 1> kAccumulating = {"--env"};

// The command goes with its stronger source, whichever of its two forms it has there.
void merge(Arguments& stronger, Arguments weaker) {
  if (!stronger.command.empty()) weaker.remove("--cmd");
  if (stronger.command.empty() && !stronger.has("--cmd")) {
    stronger.command = weaker.command;
    stronger.after_dashes = weaker.after_dashes;
  }
  stronger.fill_from(weaker, kAccumulating);
}

std::string absolute(const std::string& path, const Surroundings& around) {
  return path.front() == '/' ? path : around.working_directory + "/" + path;
}

// False also for a name with a slash: it is a file.
bool in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty() && name.find('/') == std::string::npos) {
    const std::size_t colon = rest.find(':');
    const std::string file = std::string(rest.substr(0, colon)) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return true;
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return false;
}

// A file that cannot be executed itself is run by its interpreter.
void run_script(std::vector<std::string>& command, const std::string& head,
                const Surroundings& around) {
  command[0] = absolute(command[0], around);
  if (::access(command[0].c_str(), X_OK) == 0) return;
  std::vector<std::string> interpreter = interpreter_of(head);
  if (interpreter.empty()) interpreter = {"/bin/sh"};
  command.insert(command.begin(), interpreter.begin(), interpreter.end());
}

Result<void> take_script(Arguments& arguments, std::span<const FlagSection> sections,
                         const Surroundings& around) {
  if (arguments.command.empty() || arguments.after_dashes) return {};
  const std::string file = arguments.command[0];
  auto head = read_head(file, kScriptHead);
  if (!head) return {};  // Not a file here: a program in PATH.
  auto lines = parse_directives(*head);
  if (!lines) return failure(lines.error().code, file + ":" + lines.error().message);
  if (const int line = directive_too_late(*head); line > 0) {
    note(fmt::format("{}:{}: this #GPUSCHED line is not read: they stand before the first command",
                     file, line));
  }
  if (lines->empty()) {
    if (const int line = slurm_line(*head); line > 0) {
      note(
          fmt::format("{}:{}: #SBATCH lines are not read here; write '#GPUSCHED --gpus 1 --time "
                      "4h' with the flags of 'gpusched submit --help'",
                      file, line));
    }
    // A name alone means a program in PATH if there is one, else the file that lies here.
    const bool script = head->starts_with("#!") || ::access(file.c_str(), X_OK) == 0;
    if (script && !in_path(file)) run_script(arguments.command, *head, around);
    return {};
  }
  for (auto line = lines->rbegin(); line != lines->rend(); ++line) {
    auto words = parse_arguments("#GPUSCHED", sections, Operands::kNone, line->words,
                                 fmt::format("{}:{}", file, line->line));
    if (!words) return failure(words.error());
    words->remove("--json");
    words->remove("--dry-run");
    // From the last line to the first, so that later lines win.
    arguments.fill_from(*words, kAccumulating);
  }
  run_script(arguments.command, *head, around);
  return {};
}

// The daemon's machine runs a file of its own; what the one that lies here asks for would be lost.
Result<void> refuse_script(const Arguments& arguments) {
  if (arguments.command.empty() || arguments.after_dashes) return {};
  const std::string& file = arguments.command[0];
  auto head = read_head(file, kScriptHead);
  if (!head) return {};
  auto lines = parse_directives(*head);
  if (lines && lines->empty()) return {};
  return failure(ErrorCode::kInvalid,
                 fmt::format("{} has #GPUSCHED lines, but the daemon's machine runs its own file; "
                             "give the flags here, and the command after --",
                             file));
}

Result<void> take_file(Arguments& arguments, std::span<const FlagSection> sections) {
  const FlagValue* file = arguments.find("--file");
  if (file == nullptr) return {};
  const std::string path = file->text;
  auto text = read_input(path);
  if (!text) return failure(text.error());
  auto read = parse_job_file(*text, path == "-" ? "standard input" : path, sections);
  if (!read) return failure(read.error());
  merge(arguments, std::move(*read));
  return {};
}

}  // namespace

Result<Submission> prepare_submission(const Arguments& given,
                                      std::span<const FlagSection> sections) {
  auto server = server_of(given);
  if (!server) return failure(server.error());
  const bool here_is_there = !server->elsewhere() && !server->on_network();
  auto around = here_is_there ? surroundings() : surroundings_of(*server);
  if (!around) return failure(around.error());
  Arguments arguments = given;
  auto taken_script =
      around->elsewhere ? refuse_script(arguments) : take_script(arguments, sections, *around);
  if (!taken_script) return failure(taken_script.error());
  if (auto taken = take_file(arguments, sections); !taken) return failure(taken.error());
  std::vector<FlagValue> defaulted;
  if (!arguments.has("--no-defaults")) {
    auto here = here_is_there ? around : surroundings();
    if (!here) return failure(here.error());
    auto defaults =
        find_defaults(defaults_asked(here->working_directory, process_environment()), sections);
    if (!defaults) return failure(defaults.error());
    for (const std::string& words : defaults->passed_over) note(words);
    defaulted = fill_from_defaults(arguments, *defaults);
  }
  std::vector<std::string> lines;
  if (const FlagValue* each = arguments.find("--each-line"); each != nullptr) {
    auto text = read_input(each->text);
    if (!text) return failure(text.error());
    lines = lines_of(*text);
  }
  auto submission = read_submission(arguments, *around, std::move(lines));
  if (!submission) return failure(with_origin(submission.error(), defaulted));
  if (submission->working_directory.empty()) {
    return failure(
        ErrorCode::kInvalid,
        fmt::format("say where the job runs: --cwd /DIR, a directory of {}", server->host));
  }
  submission->defaults = std::move(defaulted);
  return submission;
}

Result<std::vector<AfterEntry>> resolved_after(const Client& client,
                                               const std::vector<AfterEntry>& after) {
  std::vector<AfterEntry> resolved;
  for (const AfterEntry& entry : after) {
    if (is_moving(entry.selector)) {
      auto ids = resolve_ids(client, {entry.selector, ""});
      if (!ids) return failure(ids.error());
      for (const std::uint64_t id : *ids) resolved.push_back({std::to_string(id), entry.kind});
      continue;
    }
    auto range = parse_id_range(entry.selector);
    if (!range) return failure(range.error());
    if (range->second - range->first >= kAfterMost) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("--after: a job cannot wait for more than {} others", kAfterMost));
    }
    for (std::uint64_t id = range->first; id <= range->second; ++id) {
      resolved.push_back({std::to_string(id), entry.kind});
    }
  }
  return resolved;
}

Result<void> resolve_after(const Client& client, Submission& submission) {
  auto resolved = resolved_after(client, submission.after);
  if (!resolved) return failure(resolved.error());
  submission.after = std::move(*resolved);
  return {};
}

}  // namespace gpusched::cli
