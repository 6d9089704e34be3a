#include "core/program.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/signature.h"

namespace gpusched {
namespace {

using Words = std::span<const std::string>;

// Programs that run another one, or a script; what they are called with says which.
constexpr std::array<std::string_view, 49> kRunners = {
    "python",    "pypy",       "ipython",  "bash",     "sh",         "dash",    "zsh",
    "ksh",       "fish",       "perl",     "ruby",     "node",       "julia",   "Rscript",
    "lua",       "java",       "torchrun", "mpirun",   "mpiexec",    "srun",    "accelerate",
    "deepspeed", "horovodrun", "ray",      "env",      "nice",       "ionice",  "nohup",
    "setsid",    "stdbuf",     "timeout",  "time",     "numactl",    "taskset", "chrt",
    "uv",        "poetry",     "pipenv",   "conda",    "mamba",      "sudo",    "exec",
    "nsys",      "ncu",        "unbuffer", "xvfb-run", "micromamba", "command", "gpusched"};
constexpr std::array<std::string_view, 6> kShells = {"bash", "sh", "dash", "zsh", "ksh", "fish"};
constexpr std::array<std::string_view, 10> kEndings = {".py", ".sh", ".pl",    ".rb",  ".jl",
                                                       ".R",  ".js", ".ipynb", ".lua", ".jar"};
// What a line for a shell does before its work.
constexpr std::array<std::string_view, 17> kPreparations = {
    "cd", "export", "source", ".",    "set",  "ulimit", "umask", "mkdir", "echo",
    ":",  "sleep",  "true",   "trap", "test", "[",      "unset", "module"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// "python" of "/usr/bin/python3.11".
std::string_view without_version(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789.");
  return end == std::string_view::npos ? name : name.substr(0, end + 1);
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && word.front() != '-' &&
         word.substr(0, equals).find('/') == std::string_view::npos;
}

bool is_script(std::string_view word) {
  return !word.starts_with('-') && std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return word.size() > ending.size() && word.ends_with(ending);
  });
}

// Modules that run the script that follows.
bool launches(std::string_view module) {
  return module.starts_with("torch.distributed") || module.starts_with("accelerate") ||
         module.starts_with("deepspeed");
}

std::string placed(std::string_view path, std::string_view directory) {
  while (path.starts_with("./")) path.remove_prefix(2);
  if (path.starts_with('/')) return without_varying_parts(path);
  return without_varying_parts(std::string(directory) + "/" + std::string(path));
}

// FNV-1a of the code without what varies, in hexadecimal digits.
std::string name_of_code(std::string_view code) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : without_varying_parts(code)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[(hash >> shift) & 15];
  return name;
}

std::string program_of(Words words, std::string_view directory);

// What a runner runs; empty: none of its words says so.
std::string run_by(std::string_view runner, Words words, std::string_view directory) {
  std::string modules;
  Words other;  // From the first word on that may be a program itself.
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool more = i + 1 < words.size();
    if (word == "--" && more) return program_of(words.subspan(i + 1), directory);
    if (word == "-c" && more && is_one_of(kShells, runner)) {
      return program_of_line(words[i + 1], directory);
    }
    if (word == "-c" && more) return "-c " + name_of_code(words[i + 1]);
    if (word == "-m" && more) {
      modules += (modules.empty() ? "-m " : " -m ") + words[i + 1];
      if (!launches(words[++i])) return modules;
      continue;
    }
    if (is_script(word)) return modules + (modules.empty() ? "" : " ") + placed(word, directory);
    const bool plain = !word.empty() && !word.starts_with('-') && !is_assignment(word);
    // A number is some option's value.
    if (plain && other.empty() && without_varying_parts(word) != "#") other = words.subspan(i);
  }
  return other.empty() ? modules : program_of(other, directory);
}

std::string program_of(Words words, std::string_view directory) {
  while (!words.empty() && is_assignment(words.front())) words = words.subspan(1);
  if (words.empty()) return {};
  const std::string& program = words.front();
  const std::string_view name = without_version(last_part(program));
  if (is_one_of(kRunners, name)) {
    const std::string what = run_by(name, words.subspan(1), directory);
    return std::string(name) + (what.empty() ? "" : " ") + what;
  }
  // One without a slash is looked for in PATH, wherever it is called.
  return program.find('/') == std::string::npos ? program : placed(program, directory);
}

// The commands of a line, word by word. Quotes only keep words together: nothing is expanded.
std::vector<std::vector<std::string>> commands_of(std::string_view line) {
  std::vector<std::vector<std::string>> commands(1);
  std::string word;
  char quote = 0;
  const auto end_word = [&] {
    if (!word.empty()) commands.back().push_back(std::move(word));
    word.clear();
  };
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else if (std::string_view(";&|\n()").find(c) != std::string_view::npos) {
      end_word();
      if (!commands.back().empty()) commands.emplace_back();
    } else {
      word += c;
    }
  }
  end_word();
  return commands;
}

}  // namespace

std::string program_of_command(const std::vector<std::string>& words, std::string_view directory) {
  return program_of(words, directory);
}

std::string program_of_line(std::string_view line, std::string_view directory) {
  std::string where(directory);
  for (const std::vector<std::string>& command : commands_of(line)) {
    Words words = command;
    while (!words.empty() && is_assignment(words.front())) words = words.subspan(1);
    if (words.empty()) continue;
    if (words.front() == "cd" && words.size() > 1) {
      where = words[1].starts_with('/') ? words[1] : where + "/" + words[1];
    }
    if (is_one_of(kPreparations, std::string_view(words.front()))) continue;
    return program_of(words, where);
  }
  return {};
}

}  // namespace gpusched
