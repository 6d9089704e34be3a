#include "core/model/program.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/text.h"
#include "core/model/varying_parts.h"

namespace gpusched {
namespace {

using Words = std::span<const std::string>;
// Nobody wraps more; whoever does is recognised by the beginning alone.
constexpr std::size_t kWordsMost = 256;
constexpr std::size_t kLineMost = 8192;
constexpr int kDeepest = 8;

struct Where {
  std::string_view directory;
  int depth = 0;
  Where deeper() const { return {directory, depth + 1}; }
};
template <std::size_t N>
using Names = std::array<std::string_view, N>;

// Run code, a module or a script.
constexpr Names<10> kInterpreters = {"python", "pypy",  "ipython", "perl", "ruby",
                                     "node",   "julia", "Rscript", "lua",  "java"};
constexpr Names<6> kShells = {"bash", "sh", "dash", "zsh", "ksh", "fish"};
// Run another program as if it had been called itself; not part of its name.
constexpr Names<17> kWrappers = {"env",      "nice", "ionice",  "nohup",    "setsid",  "stdbuf",
                                 "timeout",  "time", "numactl", "taskset",  "chrt",    "sudo",
                                 "unbuffer", "exec", "command", "gpusched", "xvfb-run"};
// Run another program in a way of their own.
constexpr Names<23> kLaunchers = {
    "torchrun", "mpirun", "mpiexec", "srun",  "accelerate", "deepspeed",  "horovodrun", "ray",
    "uv",       "poetry", "pipenv",  "conda", "mamba",      "micromamba", "nsys",       "ncu",
    "make",     "just",   "npm",     "dvc",   "jupyter",    "papermill",  "streamlit"};
// Run a program inside an image; both say what it is.
constexpr Names<5> kContainers = {"docker", "podman", "singularity", "apptainer", "enroot"};
// What such a program does with the one that follows.
constexpr Names<8> kVerbs = {"run", "exec", "launch", "profile", "start", "submit", "job", "lease"};
constexpr Names<4> kModuleLaunchers = {"torchrun", "accelerate", "deepspeed", "uv"};
constexpr Names<10> kEndings = {".py", ".sh", ".pl",    ".rb",  ".jl",
                                ".R",  ".js", ".ipynb", ".lua", ".jar"};
// Options of interpreters and shells that a value follows.
constexpr Names<14> kWithValue = {"-W",        "-X",       "-I",          "-r",  "-t",
                                  "-p",        "-o",       "-O",          "-cp", "-classpath",
                                  "--require", "--rcfile", "--init-file", "+O"};
// What a line for a shell does besides its work.
constexpr Names<52> kPreparations = {
    "cd",   "export", "source", ".",          "set",      "ulimit", "umask", "mkdir",  "echo",
    ":",    "sleep",  "true",   "trap",       "test",     "[",      "[[",    "unset",  "module",
    "eval", "wait",   "exit",   "nvidia-smi", "hostname", "date",   "pwd",   "whoami", "ls",
    "cat",  "rm",     "cp",     "mv",         "ln",       "touch",  "which", "printf", "tee",
    "grep", "tail",   "head",   "awk",        "sed",      "sort",   "git",   "pip",    "rsync",
    "tar",  "wget",   "curl",   "shift",      "local",    "read",   "return"};
constexpr Names<9> kBeforeCommand = {"if",    "then", "elif", "else", "while",
                                     "until", "do",   "{",    "!"};
constexpr Names<8> kNoCommand = {"for", "case", "select", "function", "done", "fi", "esac", "}"};

template <std::size_t N>
bool is_one_of(const Names<N>& names, std::string_view word) {
  return std::ranges::find(names, word) != names.end();
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

std::string program_of(Words words, Where where);
std::string of_line(std::string_view line, Where where);

std::string_view name_of(std::string_view word) { return without_version(last_part(word)); }

bool runs_another(std::string_view name) {
  return is_one_of(kInterpreters, name) || is_one_of(kShells, name) || is_one_of(kWrappers, name) ||
         is_one_of(kLaunchers, name) || is_one_of(kContainers, name);
}

std::string joined(std::string_view first, std::string_view second) {
  return std::string(first) + (first.empty() || second.empty() ? "" : " ") + std::string(second);
}

// "10m", "0-3": no program is called so.
bool is_number(std::string_view word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

// A name in PATH, or a file.
std::string word_of(std::string_view word, std::string_view directory) {
  return word.find('/') == std::string_view::npos ? std::string(word) : placed(word, directory);
}

// What a wrapper or launcher runs. Whether a word behind an option is its value or the program
// nobody knows: it becomes part of the name, and the next one counts. So one program may be taken
// for two, which only costs learning; never two for one, which costs memory that is not there.
std::string launched_by(std::string_view launcher, Words words, Where where) {
  const bool container = is_one_of(kContainers, launcher);
  std::string name;
  bool after_option = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool more = i + 1 < words.size();
    if (word == "--" && more) return joined(name, program_of(words.subspan(i + 1), where.deeper()));
    const bool module = word == "-m" || word == "--module";
    if (module && more && is_one_of(kModuleLaunchers, launcher)) {
      return joined(name, "-m " + words[i + 1]);
    }
    if (is_script(word)) return joined(name, placed(word, where.directory));
    if (runs_another(name_of(word)))
      return joined(name, program_of(words.subspan(i), where.deeper()));
    const bool value = after_option;
    after_option = word.starts_with('-') && word.find('=') == std::string::npos;
    if (word.empty() || word.starts_with('-') || is_assignment(word) || is_number(word)) continue;
    if (!value && !container && !is_one_of(kVerbs, word)) {
      return joined(name, program_of(words.subspan(i), where.deeper()));
    }
    name = joined(name, without_varying_parts(word_of(word, where.directory)));
  }
  return name;
}

// "-c", also among others: "-lc".
bool tells_a_line(std::string_view option) {
  return option.starts_with('-') && !option.starts_with("--") && option.ends_with('c');
}

std::string run_by_shell(Words words, Where where) {
  bool line = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (is_one_of(kWithValue, word)) {
      ++i;
    } else if (tells_a_line(word)) {
      line = true;
    } else if (!word.starts_with('-') && !word.starts_with('+')) {
      return line ? of_line(word, where.deeper()) : placed(word, where.directory);
    }
  }
  return {};
}

std::string run_by_interpreter(Words words, Where where) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool more = i + 1 < words.size();
    if ((word == "-c" || word == "-e" || word == "-E") && more) {
      return "-c " + name_of_code(words[i + 1]);
    }
    if (word == "-m" && more) {
      const std::string& module = words[i + 1];
      if (!launches(module)) return "-m " + module;
      return joined("-m " + module, launched_by(kModuleLaunchers[0], words.subspan(i + 2), where));
    }
    if (is_one_of(kWithValue, word)) {
      ++i;
    } else if (!word.empty() && !word.starts_with('-')) {
      return placed(word, where.directory);
    }
  }
  return {};
}

std::string program_of(Words words, Where where) {
  while (!words.empty() && is_assignment(words.front())) words = words.subspan(1);
  if (words.empty() || where.depth > kDeepest) return {};
  const std::string& program = words.front();
  const std::string_view name = name_of(program);
  const Words told = words.subspan(1);
  if (is_one_of(kInterpreters, name)) return joined(name, run_by_interpreter(told, where));
  if (is_one_of(kShells, name)) {
    const std::string what = run_by_shell(told, where);
    return what.empty() ? std::string(name) : what;
  }
  if (is_one_of(kWrappers, name)) {
    const std::string what = launched_by(name, told, where);
    return what.empty() ? std::string(name) : what;
  }
  if (runs_another(name)) return joined(name, launched_by(name, told, where));
  // One without a slash is looked for in PATH, wherever it is called.
  return word_of(program, where.directory);
}

// Takes a line apart into commands of words. Quotes only keep words together, and nothing is
// expanded; where a redirection goes is no word.
class LineWords {
 public:
  explicit LineWords(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) i = take(line, i);
    end_word();
  }
  const std::vector<std::vector<std::string>>& commands() const { return commands_; }

 private:
  void end_word() {
    if (!word_.empty() && !target_) commands_.back().push_back(word_);
    if (!word_.empty()) target_ = false;
    word_.clear();
  }
  void end_command() {
    end_word();
    target_ = false;
    if (!commands_.back().empty()) commands_.emplace_back();
  }
  void redirect() {
    // The number before it is that of a stream.
    if (word_.find_first_not_of("0123456789") == std::string::npos) word_.clear();
    end_word();
    target_ = true;
  }
  // Returns where what was taken ends.
  std::size_t take(std::string_view line, std::size_t i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : '\n';
    if (quote_ != 0) {
      if (c == quote_) {
        quote_ = 0;
      } else {
        word_ += c;
      }
      return i;
    }
    switch (c) {
      case '\'':
      case '"':
        quote_ = c;
        return i;
      case '\\':
        if (next != '\n') word_ += next;
        return i + 1;
      case '#':
        if (!word_.empty()) break;
        return std::min(line.find('\n', i), line.size()) - 1;
      case ' ':
      case '\t':
        end_word();
        return i;
      case '<':
      case '>':
        redirect();
        return next == '&' ? i + 1 : i;
      case '&':
        if (next == '>') return i;
        end_command();
        return i;
      case ';':
      case '|':
      case '\n':
      case '(':
      case ')':
        end_command();
        return i;
      default:
        break;
    }
    word_ += c;
    return i;
  }

  std::vector<std::vector<std::string>> commands_{1};
  std::string word_;
  char quote_ = 0;
  bool target_ = false;  // Of a redirection.
};

// "conda activate x".
bool only_prepares(Words words) {
  if (is_one_of(kPreparations, words.front())) return true;
  return words.size() > 1 && (words[1] == "activate" || words[1] == "deactivate");
}

// What all commands of the line run that do work: which of them needs the card nobody knows.
std::string of_line(std::string_view line, Where where) {
  const LineWords taken(line.substr(0, kLineMost));
  std::string directory(where.directory);
  std::string all;
  std::string last;
  for (const std::vector<std::string>& command : taken.commands()) {
    Words words = command;
    const auto before = [&] {
      return is_one_of(kBeforeCommand, words.front()) || is_assignment(words.front());
    };
    while (!words.empty() && before()) words = words.subspan(1);
    if (words.empty() || is_one_of(kNoCommand, words.front())) continue;
    if (words.front() == "cd" && words.size() > 1) {
      directory = words[1].starts_with('/') ? words[1] : directory + "/" + words[1];
    }
    if (only_prepares(words)) continue;
    std::string one =
        program_of(words.first(std::min(words.size(), kWordsMost)), {directory, where.depth});
    if (one.empty() || one == last) continue;
    all += (all.empty() ? "" : "; ") + one;
    last = std::move(one);
  }
  return all;
}

}  // namespace

std::string program_of_command(const std::vector<std::string>& words, std::string_view directory) {
  return program_of(Words(words).first(std::min(words.size(), kWordsMost)), {directory});
}

std::string program_of_line(std::string_view line, std::string_view directory) {
  return of_line(line, {directory});
}

std::string program_without_places(std::string_view program) {
  std::string out;
  for (const std::string_view word : split_nonempty(program, ' ')) {
    const std::size_t slash = word.rfind('/');
    if (!out.empty()) out += ' ';
    out += slash == std::string_view::npos ? word : word.substr(slash + 1);
  }
  return out;
}

}  // namespace gpusched
