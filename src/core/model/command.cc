// Filling in the placeholders of a command: {lr} from a sweep's values, {line} from --each-line,
// {index} from an array. What is not a known name stays as it was written, so that shell and JSON
// braces survive.
#include <algorithm>

#include "core/model/job.h"

namespace gpusched {
namespace {

std::size_t longest_name(const ArrayTask& task) {
  std::size_t longest = std::string_view("index").size();
  for (const auto& [name, value] : task.values) longest = std::max(longest, name.size());
  return longest;
}

// Looks no further for the end of a name than names are long: text with many braces costs as much
// as text without.
std::string fill_in(std::string_view text, const ArrayTask& task) {
  const std::size_t longest = longest_name(task);
  std::string filled;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('{', at);
    if (open == std::string_view::npos) break;
    filled.append(text, at, open - at);
    const std::string_view after = text.substr(open + 1, longest + 1);
    const std::size_t length = after.find('}');
    const std::size_t close = open + 1 + length;
    const std::string_view name =
        length == std::string_view::npos ? std::string_view() : after.substr(0, length);
    if (length == std::string_view::npos) {
      filled += '{';
      at = open + 1;
      continue;
    }
    const auto value =
        std::ranges::find(task.values, name, &std::pair<std::string, std::string>::first);
    if (value != task.values.end()) {
      filled += value->second;
      at = close + 1;
    } else if (name == "index") {
      filled += std::to_string(task.index);
      at = close + 1;
    } else {
      filled += '{';
      at = open + 1;
    }
  }
  return filled.append(text.substr(std::min(at, text.size())));
}

bool plain_word(std::string_view word) {
  static constexpr std::string_view kPlain = "_-+=./:,@%";
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  });
}

std::string quoted(std::string_view word) {
  if (plain_word(word)) return std::string(word);
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text += '\'';
}

}  // namespace

std::vector<std::string> command_of(const Job& job) {
  std::vector<std::string> argv = job.spec->argv;
  if (job.task) {
    for (std::string& argument : argv) argument = fill_in(argument, *job.task);
  }
  if (!job.spec->shell) return argv;
  // sh -c LINE sh ARG…: further words are the line's $1, $2, …
  std::vector<std::string> wrapped = {"/bin/sh", "-c", argv.empty() ? "" : argv.front()};
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
    line += job.spec->shell && i == 0 ? word : quoted(word);
  }
  if (line.size() <= kCommandLineMost) return line;
  std::size_t end = kCommandLineMost;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) --end;
  return line.substr(0, end) + "…";
}

std::string program_of(const Job& job) {
  if (job.spec->lease || job.spec->argv.empty()) return job.spec->lease ? "lease" : "";
  std::string_view word = std::string_view(job.spec->argv.front()).substr(0, kCommandLineMost);
  if (job.spec->shell) {
    const std::size_t begin = std::min(word.find_first_not_of(" \t\n"), word.size());
    word = word.substr(begin);
    word = word.substr(0, word.find_first_of(" \t\n;|&<>()$`'\"="));
  }
  return std::string(word.substr(word.rfind('/') + 1));
}

}  // namespace gpusched
