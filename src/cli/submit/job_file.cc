#include "cli/submit/job_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace gpusched::cli {
namespace {

// Flags that make no sense inside a job file.
constexpr std::array<std::string_view, 7> kNotInJob = {
    "--file", "--json", "--dry-run", "--help", "--socket", "--server", "--no-defaults"};
// What belongs to one submission.
constexpr std::array<std::string_view, 14> kNotInDefaults = {
    "--file", "--json", "--dry-run", "--help",      "--socket", "--server", "--no-defaults",
    "--cmd",  "--key",  "--after",   "--each-line", "--array",  "--param",  "--hold"};

std::string place(const std::string& file, const YAML::Mark& mark) {
  return mark.is_null() ? file : fmt::format("{}:{}:{}", file, mark.line + 1, mark.column + 1);
}

tl::unexpected<Error> wrong(const std::string& where, const std::string& why) {
  return failure(ErrorCode::kInvalid, where + ": " + why);
}

std::string called(bool defaults) { return defaults ? "a file with defaults" : "a job file"; }

// REQUIRES: a scalar. A value may hold the list marks of its flag: they are escaped.
std::string sweep_value(const YAML::Node& node) {
  std::string out;
  for (const char c : node.Scalar()) {
    if (c == ',' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

class JobFile {
 public:
  JobFile(const std::string& file, std::span<const FlagSection> sections, bool defaults)
      : file_(file), sections_(sections), defaults_(defaults) {}

  Result<Arguments> read(const YAML::Node& root) {
    if (!root.IsMap()) {
      return wrong(place(file_, root.Mark()),
                   fmt::format("{} is a list of keys such as 'gpus: 2'", called(defaults_)));
    }
    std::vector<std::string> seen;
    for (const auto& entry : root) {
      const std::string where = place(file_, entry.first.Mark());
      if (!entry.first.IsScalar()) return wrong(where, "a key must be a word");
      const std::string& key = entry.first.Scalar();
      if (std::ranges::find(seen, key) != seen.end()) {
        return wrong(where, fmt::format("the key '{}' is given twice", key));
      }
      seen.push_back(key);
      const bool is_command = key == "command" && !defaults_;
      auto taken = is_command ? command(entry.second) : flag(key, where, entry.second);
      if (!taken) return failure(taken.error());
    }
    return std::move(arguments_);
  }

 private:
  Result<void> command(const YAML::Node& node) {
    const std::string where = place(file_, node.Mark());
    if (node.IsScalar()) {  // A line for the shell.
      const Flag* cmd = find_flag(sections_, "--cmd");
      if (cmd == nullptr) return wrong(where, "a shell line is not possible here");
      arguments_.add(*cmd, node.Scalar(), where);
      return {};
    }
    if (!node.IsSequence() || node.size() == 0) {
      return wrong(where, "command is a list of words, or a line for the shell");
    }
    for (const auto& word : node) {
      if (!word.IsScalar()) return wrong(place(file_, word.Mark()), "a word of command is a text");
      arguments_.command.push_back(word.Scalar());
    }
    arguments_.after_dashes = true;
    return {};
  }

  Result<void> flag(const std::string& key, const std::string& where, const YAML::Node& node) {
    const std::string name = "--" + key;
    const Flag* found = find_flag(sections_, name);
    if (defaults_ && (key == "command" || (found != nullptr && !is_here(name)))) {
      return wrong(where, fmt::format("{} belongs to one job; it cannot be a default", key));
    }
    if (found == nullptr || !is_here(name)) return unknown(key, where);
    const std::string at = place(file_, node.Mark());
    if (node.IsNull()) return wrong(where, fmt::format("{} has no value", key));
    if (found->kind == FlagKind::kSwitch) return fact(*found, key, at, node);
    if (node.IsScalar()) {
      if (found->kind == FlagKind::kOptionalValue && is_fact(node))
        return fact(*found, key, at, node);
      arguments_.add(*found, node.Scalar(), at);
      return {};
    }
    if (key == "param") return parameters(*found, at, node);
    if (key == "env") return environment(*found, at, node);
    return list(*found, key, at, node);
  }

  Result<void> unknown(const std::string& key, const std::string& where) const {
    std::vector<std::string_view> keys;
    if (!defaults_) keys.push_back("command");
    for (const FlagSection& section : sections_) {
      for (const Flag& flag : section.flags) {
        if (is_here(flag.name)) keys.push_back(flag.name.substr(2));
      }
    }
    const std::string near = nearest_word(key, keys.data(), keys.size());
    return wrong(where, fmt::format("there is no key '{}'{}", key,
                                    near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }

  bool is_here(std::string_view flag) const {
    return defaults_ ? std::ranges::find(kNotInDefaults, flag) == kNotInDefaults.end()
                     : std::ranges::find(kNotInJob, flag) == kNotInJob.end();
  }

  static bool is_fact(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    return text == "true" || text == "false" || text == "yes" || text == "no";
  }

  Result<void> fact(const Flag& flag, const std::string& key, const std::string& at,
                    const YAML::Node& node) {
    if (!node.IsScalar() || !is_fact(node)) {
      return wrong(at, fmt::format("{} is true or false", key));
    }
    if (node.Scalar() == "true" || node.Scalar() == "yes") arguments_.add(flag, "", at);
    return {};
  }

  // A list of plain values joins them as the flag's own commas do.
  Result<void> list(const Flag& flag, const std::string& key, const std::string& at,
                    const YAML::Node& node) {
    if (!node.IsSequence() || node.size() == 0) {
      return wrong(at, fmt::format("{} is one value or a list of values", key));
    }
    std::string joined;
    for (const auto& entry : node) {
      if (!entry.IsScalar()) {
        return wrong(place(file_, entry.Mark()), fmt::format("an entry of {} is a text", key));
      }
      joined += joined.empty() ? entry.Scalar() : "," + entry.Scalar();
    }
    arguments_.add(flag, joined, at);
    return {};
  }

  Result<void> parameters(const Flag& flag, const std::string& at, const YAML::Node& node) {
    if (!node.IsMap()) return wrong(at, "param is a list of names with their values");
    for (const auto& entry : node) {
      const std::string where = place(file_, entry.second.Mark());
      if (!entry.first.IsScalar()) return wrong(where, "the name of a parameter is a word");
      std::string text = entry.first.Scalar() + "=";
      if (entry.second.IsScalar()) {
        text += entry.second.Scalar();  // May be "1:5" or "a,b".
      } else if (entry.second.IsSequence()) {
        for (std::size_t i = 0; i < entry.second.size(); ++i) {
          if (!entry.second[i].IsScalar()) return wrong(where, "a parameter's value is a text");
          if (i > 0) text += ',';
          text += sweep_value(entry.second[i]);
        }
      } else {
        return wrong(where, "a parameter has one value or a list of values");
      }
      arguments_.add(flag, text, where);
    }
    return {};
  }

  Result<void> environment(const Flag& flag, const std::string& at, const YAML::Node& node) {
    for (const auto& entry : node) {
      if (node.IsMap() && entry.first.IsScalar() && entry.second.IsScalar()) {
        arguments_.add(flag, entry.first.Scalar() + "=" + entry.second.Scalar(),
                       place(file_, entry.first.Mark()));
      } else if (node.IsSequence() && entry.IsScalar()) {
        arguments_.add(flag, entry.Scalar(), place(file_, entry.Mark()));
      } else {
        return wrong(at, "env is a list of NAME: value");
      }
    }
    return {};
  }

  const std::string& file_;
  std::span<const FlagSection> sections_;
  bool defaults_;
  Arguments arguments_;
};

// The line of a second document, 0 if there is none. A "---" at the start of a line is never
// anything else in YAML.
int second_document(std::string_view text) {
  bool content = false;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view words = text.substr(0, end);
    if (words.starts_with("---") && content) return line;
    const std::size_t first = words.find_first_not_of(" \t\r");
    content = content || (first != std::string_view::npos && words[first] != '#');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return 0;
}

Result<Arguments> read_file(const std::string& text, const std::string& file,
                            std::span<const FlagSection> sections, bool defaults) {
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root || root.IsNull()) {
      if (defaults) return Arguments{};
      return wrong(file, "the job file is empty");
    }
    if (const int line = second_document(text); line > 0) {
      return wrong(fmt::format("{}:{}:1", file, line), called(defaults) + " has one document");
    }
    return JobFile(file, sections, defaults).read(root);
  } catch (const YAML::Exception& error) {
    return wrong(place(file, error.mark), error.msg);
  }
}

}  // namespace

Result<Arguments> parse_job_file(const std::string& text, const std::string& file,
                                 std::span<const FlagSection> sections) {
  return read_file(text, file, sections, false);
}

Result<Arguments> parse_defaults_file(const std::string& text, const std::string& file,
                                      std::span<const FlagSection> sections) {
  return read_file(text, file, sections, true);
}

}  // namespace gpusched::cli
