#include "cli/submit/program_note.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "cli/display.h"

namespace gpusched::cli {
namespace {

constexpr std::string_view kPath = "PATH=";

// What the job will have; later ones win.
std::string_view path_of(const Submission& submission) {
  std::string_view found;
  for (const auto* list : {&submission.environment, &submission.variables}) {
    for (const std::string& variable : *list) {
      if (variable.starts_with(kPath)) found = std::string_view(variable).substr(kPath.size());
    }
  }
  return found;
}

}  // namespace

bool is_program_or_hidden(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

std::optional<std::string> note_on_program(const Submission& submission,
                                           const ProgramLook& is_there) {
  if (submission.elsewhere || submission.shell || submission.command.empty()) return std::nullopt;
  const std::string& program = submission.command.front();
  const std::string& directory = submission.working_directory;
  const bool filled_in_later = (program + directory).find('{') != std::string::npos;
  if (program.empty() || filled_in_later) return std::nullopt;
  constexpr std::string_view kThen = "; the job fails at its start unless it is there by then";
  if (program.find('/') != std::string::npos) {
    const std::string whole = program.starts_with('/') ? program : directory + "/" + program;
    if (is_there(whole)) return std::nullopt;
    return fmt::format("the program {} does not exist{}", escaped(whole), kThen);
  }
  const std::string_view path = path_of(submission);
  if (path.empty() || path.find("{") != path.npos) return std::nullopt;
  const auto in_it = [&](std::string_view one) {
    return !one.starts_with('/') || is_there(std::string(one) + "/" + program);
  };
  if (std::ranges::any_of(split_nonempty(path, ':'), in_it)) return std::nullopt;
  return fmt::format("there is no program {} in PATH{}", escaped(program), kThen);
}

}  // namespace gpusched::cli
