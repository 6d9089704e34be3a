// The command of a job, for the kernel and for people.
#include <algorithm>

#include "base/words.h"
#include "core/model/job.h"
#include "core/model/kind.h"
#include "core/model/placeholders.h"

namespace gpusched {
std::vector<std::string> command_of(const Job& job) {
  std::vector<std::string> argv = job.spec->argv;
  if (job.task) {
    for (std::string& argument : argv) argument = fill_in(argument, *job.task);
  }
  if (!job.spec->shell) return argv;
  // sh -c LINE sh ARG…: further words are the line's $1, $2, …
  const std::string& shell = job.spec->extras->shell_program;
  std::vector<std::string> wrapped = {shell.empty() ? "/bin/sh" : shell, "-c",
                                      argv.empty() ? "" : argv.front()};
  if (argv.size() > 1) {
    wrapped.emplace_back("sh");
    wrapped.insert(wrapped.end(), argv.begin() + 1, argv.end());
  }
  return wrapped;
}

std::string command_line_of(const Job& job) {
  if (const auto& lease = job.spec->lease) {
    if (!lease->application.empty()) return "lease of " + lease->application;
    return lease->by_connection ? "lease of a connection"
                                : "lease of process " + std::to_string(lease->pid);
  }
  std::string line;
  for (std::size_t i = 0; i < job.spec->argv.size() && line.size() <= kCommandLineMost; ++i) {
    // No more of a word than can be shown is looked at: rows are written by the thousand.
    const std::string_view raw =
        std::string_view(job.spec->argv[i]).substr(0, kCommandLineMost + 1);
    const std::string word = job.task ? fill_in(raw, *job.task) : std::string(raw);
    if (i > 0) line += ' ';
    line += job.spec->shell && i == 0 ? word : shell_word(word);
  }
  if (line.size() <= kCommandLineMost) return line;
  std::size_t end = kCommandLineMost;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) --end;
  return line.substr(0, end) + "…";
}

std::string program_of(const Job& job) {
  if (kind_of(job).no_command != nullptr) return kind_of(job).name;
  if (job.spec->argv.empty()) return "";
  std::string_view word = std::string_view(job.spec->argv.front()).substr(0, kCommandLineMost);
  if (job.spec->shell) {
    const std::size_t begin = std::min(word.find_first_not_of(" \t\n"), word.size());
    word = word.substr(begin);
    word = word.substr(0, word.find_first_of(" \t\n;|&<>()$`'\"="));
  }
  return std::string(word.substr(word.rfind('/') + 1));
}

}  // namespace gpusched
