#include "cli/submit/defaults.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "cli/submit/job_file.h"
#include "config/config_file.h"
#include "os/fd.h"

namespace gpusched::cli {
namespace {

constexpr std::string_view kProjectFile = "gpusched.yaml";
constexpr std::size_t kFileMost = 1U << 20;

// Why a file or its directory must not count; empty: it may.
std::string distrust(const struct stat& file, unsigned uid, const char* what = "it") {
  if (file.st_uid != uid && file.st_uid != 0)
    return fmt::format("{} belongs to another user", what);
  if (S_ISLNK(file.st_mode)) return {};
  if ((file.st_mode & S_IWOTH) != 0) return fmt::format("everybody may write to {}", what);
  // Where every user has a group of one's own, it has the user's number.
  if ((file.st_mode & S_IWGRP) != 0 && file.st_gid != file.st_uid) {
    return fmt::format("a group may write to {}", what);
  }
  return {};
}

// Who may put files there decides which file is found. Only asked where there is one.
std::string distrust_directory(const std::string& path, unsigned uid) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == 0 ? "/" : path.substr(0, slash);
  struct stat about {};
  if (::stat(directory.c_str(), &about) != 0) return "its directory cannot be looked at";
  return distrust(about, uid, "its directory");
}

struct Found {
  std::optional<std::string> text;  // None: there is no such file.
  std::string distrust;
};

// Not waiting: it may be a pipe.
Result<Found> read_trusted(const std::string& path, unsigned uid) {
  struct stat link {};
  if (::lstat(path.c_str(), &link) != 0) return Found{};
  if (std::string why = distrust(link, uid); !why.empty()) return Found{{}, std::move(why)};
  if (std::string why = distrust_directory(path, uid); !why.empty()) {
    return Found{{}, std::move(why)};
  }
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat target {};
  if (!file && errno == EACCES) return Found{{}, "you may not read it"};
  if (!file && (errno == ENOENT || errno == ELOOP)) return Found{{}, "the link leads nowhere"};
  if (!file || ::fstat(file.get(), &target) != 0) {
    return failure(ErrorCode::kIo, fmt::format("read {}: {}", path, std::strerror(errno)));
  }
  if (!S_ISREG(target.st_mode)) return Found{{}, "it is not a file"};
  if (std::string why = distrust(target, uid); !why.empty()) return Found{{}, std::move(why)};
  std::string text;
  std::array<char, 16384> piece{};
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return failure(ErrorCode::kIo, fmt::format("read {}: {}", path, std::strerror(errno)));
    }
    if (got == 0) return Found{std::move(text), {}};
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kFileMost) {
      return failure(ErrorCode::kInvalid, path + ": a file with defaults has at most 1 MiB");
    }
  }
}

std::string_view top_key_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos || line[0] == '#' || line[0] == ' ') return {};
  return line.substr(0, colon);
}

// The daemon's configuration has the same name: it has sections that no flag is called by.
bool is_configuration(std::string_view text, std::span<const FlagSection> sections) {
  std::vector<std::string> ours;
  const std::string sample = default_config_text();
  for (const std::string_view line : split(sample, '\n')) {
    const std::string key(top_key_of(line));
    if (!key.empty() && find_flag(sections, "--" + key) == nullptr) ours.push_back(key);
  }
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view key = top_key_of(line);
    for (const std::string& section : ours) {
      if (key == section) return true;
    }
  }
  return false;
}

// True: the search is over.
Result<bool> take(const std::string& path, const DefaultsAsked& asked,
                  std::span<const FlagSection> sections, Defaults& out) {
  auto found = read_trusted(path, asked.uid);
  if (!found) return failure(found.error());
  if (!found->distrust.empty()) {
    out.passed_over.push_back(fmt::format("{} is not read: {}", path, found->distrust));
    return false;
  }
  if (!found->text || is_configuration(*found->text, sections)) return false;
  auto values = parse_defaults_file(*found->text, path, sections);
  if (!values) return failure(values.error());
  out.files.push_back({path, std::move(*values)});
  return true;
}

}  // namespace

DefaultsAsked defaults_asked(std::string working_directory, const EnvironmentLookup& env) {
  DefaultsAsked asked{.working_directory = std::move(working_directory), .uid = ::geteuid()};
  const auto config = env("XDG_CONFIG_HOME");
  const auto home = env("HOME");
  if (config && config->starts_with('/')) {
    asked.own_file = *config + "/gpusched/submit.yaml";
  } else if (home && home->starts_with('/')) {
    asked.own_file = *home + "/.config/gpusched/submit.yaml";
  }
  return asked;
}

Result<Defaults> find_defaults(const DefaultsAsked& asked, std::span<const FlagSection> sections) {
  Defaults out;
  std::string directory = asked.working_directory;
  while (!directory.empty()) {
    const std::string path = directory + (directory == "/" ? "" : "/") + std::string(kProjectFile);
    auto last = take(path, asked, sections, out);
    if (!last) return failure(last.error());
    if (*last || directory == "/") break;
    const std::size_t slash = directory.rfind('/');
    directory.resize(slash == 0 || slash == std::string::npos ? 1 : slash);
  }
  if (!asked.own_file.empty()) {
    if (auto taken = take(asked.own_file, asked, sections, out); !taken) {
      return failure(taken.error());
    }
  }
  return out;
}

std::vector<FlagValue> fill_from_defaults(Arguments& arguments, const Defaults& defaults) {
  constexpr std::array<std::string_view, 1> kAddUp = {"--env"};
  constexpr std::array<std::string_view, 7> kOfCards = {
      "--vram", "--share", "--exclusive", "--gpu", "--not-gpu", "--gpu-type", "--vram-limit"};
  std::vector<FlagValue> taken;
  for (const DefaultsFile& file : defaults.files) {
    Arguments values = file.values;
    if (const FlagValue* gpus = arguments.find("--gpus"); gpus != nullptr && gpus->text == "0") {
      for (const std::string_view flag : kOfCards) values.remove(flag);
    }
    for (const FlagValue& value : values.values()) {
      const bool adds = std::ranges::find(kAddUp, value.flag->name) != kAddUp.end();
      if (adds || !arguments.has(value.flag->name)) taken.push_back(value);
    }
    arguments.fill_from(values, kAddUp);
  }
  return taken;
}

}  // namespace gpusched::cli
