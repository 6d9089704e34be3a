// Filling in the placeholders of a command: {lr} from a sweep's values, {line} from --each-line,
// {index} from an array. What is not a known name stays as it was written, so that shell and JSON
// braces survive.
#include <algorithm>

#include "core/job.h"

namespace gpusched {
namespace {

std::string fill_in(const std::string& text, const ArrayTask& task) {
  std::string filled;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('{', at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) break;
    filled.append(text, at, open - at);
    const std::string name = text.substr(open + 1, close - open - 1);
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
  return filled.append(text, at);
}

bool plain_word(const std::string& word) {
  static constexpr std::string_view kPlain = "_-+=./:,@%";
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  });
}

std::string quoted(const std::string& word) {
  if (plain_word(word)) return word;
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
  for (std::size_t i = 0; i < job.spec->argv.size(); ++i) {
    const std::string& raw = job.spec->argv[i];
    const std::string word = job.task ? fill_in(raw, *job.task) : raw;
    if (i > 0) line += ' ';
    line += job.spec->shell && i == 0 ? word : quoted(word);
  }
  return line;
}

}  // namespace gpusched
