#include "cli/submit/notes.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "core/model/placeholders.h"
#include "wire/submit.h"

namespace gpusched::cli {
namespace {

// As many as a preview shows.
constexpr std::size_t kLookedAt = 3;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

std::vector<std::string_view> names_of(const Submission& of) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : of.parameters) names.push_back(parameter.name);
  if (of.array || !of.parameters.empty()) names.push_back("index");
  return names;
}

void add_unused(const Submission& of, std::vector<std::string>& notes) {
  for (const Parameter& parameter : of.parameters) {
    const std::string placeholder = "{" + parameter.name + "}";
    if (std::ranges::any_of(of.written, [&](const Written& one) {
          return one.text.find(placeholder) != std::string::npos;
        })) {
      continue;
    }
    notes.push_back(fmt::format("nothing in the job uses {}; only the variable {} tells its value",
                                placeholder, parameter_variable(parameter.name)));
  }
}

// Braces in a command, or in a variable of a single job, are the program's own.
void add_unknown(const Submission& of, std::vector<std::string>& notes) {
  const std::vector<std::string_view> names = names_of(of);
  for (const Written& one : of.written) {
    if (one.flag.empty() || (one.flag == "--env" && names.empty())) continue;
    for (std::string& note : notes_on_placeholders(one, names)) notes.push_back(std::move(note));
  }
}

std::vector<ArrayTask> first_tasks(const Submission& of, const std::vector<SweepTask>& tasks) {
  std::vector<ArrayTask> first;
  if (of.array) {
    const auto indices = parse_indices(of.array->indices, kSweepTasksMost);
    for (std::size_t i = 0; indices && i < std::min(indices->size(), kLookedAt); ++i) {
      first.push_back({JobId{1}, (*indices)[i], {}});
    }
  }
  for (std::size_t i = 0; i < std::min(tasks.size(), kLookedAt); ++i) {
    first.push_back({JobId{1}, static_cast<std::uint32_t>(i), tasks[i]});
  }
  return first;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Another job may make them before, so they are no reason to refuse this one.
void add_missing(const std::vector<std::pair<std::string_view, std::string>>& directories,
                 const DirectoryLook& is_there, std::vector<std::string>& notes) {
  std::vector<std::string> seen;
  for (const auto& [what, path] : directories) {
    if (std::ranges::find(seen, path) != seen.end()) continue;
    seen.push_back(path);
    if (is_there(path)) continue;
    notes.push_back(fmt::format(
        "{} {} does not exist; the job fails at its start unless it is made before", what, path));
  }
}

void add_missing(const Submission& of, const std::vector<SweepTask>& tasks,
                 const DirectoryLook& is_there, std::vector<std::string>& notes) {
  std::vector<ArrayTask> jobs = first_tasks(of, tasks);
  const bool single = jobs.empty();
  if (single) jobs.emplace_back();
  std::vector<std::pair<std::string_view, std::string>> directories;
  for (const ArrayTask& task : jobs) {
    const auto filled = [&](const std::string& text) {
      return single ? text : fill_in(text, task);
    };
    const std::string directory = filled(of.working_directory);
    directories.emplace_back("the working directory", directory);
    for (const auto& [what, path] : {std::pair("the directory of --output", &of.output),
                                     std::pair("the directory of --error", &of.error)}) {
      if (path->empty()) continue;
      const std::string file = filled(*path);
      const bool absolute = file.starts_with('/');
      directories.emplace_back(what, parent_of(absolute ? file : directory + "/" + file));
    }
  }
  add_missing(directories, is_there, notes);
}

}  // namespace

bool is_directory_or_hidden(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) return S_ISDIR(found.st_mode);
  return errno != ENOENT && errno != ENOTDIR;
}

std::vector<std::string> unknown_placeholders(std::string_view text,
                                              std::span<const std::string_view> names) {
  std::vector<std::string> unknown;
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    std::size_t end = open + 1;
    while (end < text.size() && in_name(text[end])) ++end;
    const std::string_view name = text.substr(open + 1, end - open - 1);
    const bool closed = end < text.size() && text[end] == '}';
    const bool of_shell = open > 0 && text[open - 1] == '$';
    if (name.empty() || !begins_name(name[0]) || !closed || of_shell) continue;
    if (std::ranges::find(names, name) == names.end())
      unknown.push_back(fmt::format("{{{}}}", name));
  }
  return unknown;
}

std::vector<std::string> notes_on_placeholders(const Written& written,
                                               std::span<const std::string_view> names) {
  std::vector<std::string> notes;
  for (const std::string& placeholder : unknown_placeholders(written.text, names)) {
    const std::string_view name = std::string_view(placeholder).substr(1, placeholder.size() - 2);
    const std::string near = nearest_word(name, names.data(), names.size());
    notes.push_back(fmt::format(
        "{}: nothing fills in {}; {}", written.flag, placeholder,
        near.empty() ? "it stays as it is" : fmt::format("did you mean {{{}}}?", near)));
  }
  return notes;
}

std::vector<std::string> notes_on(const Submission& submission, const std::vector<SweepTask>& tasks,
                                  const DirectoryLook& is_there) {
  std::vector<std::string> notes;
  add_unused(submission, notes);
  add_unknown(submission, notes);
  if (!submission.elsewhere) add_missing(submission, tasks, is_there, notes);
  return notes;
}

}  // namespace gpusched::cli
