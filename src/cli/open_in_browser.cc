#include "cli/open_in_browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "cli/write_all.h"
#include "os/fd.h"

namespace gpusched::cli {
namespace {

constexpr const char* kProgram = "xdg-open";

// A place that is ours alone; empty: there is none.
std::string own_place(const EnvironmentLookup& env) {
  if (const auto runtime = env("XDG_RUNTIME_DIR"); runtime && runtime->starts_with('/')) {
    return *runtime + "/gpusched";
  }
  if (const auto home = env("HOME"); home && home->starts_with('/')) {
    ::mkdir((*home + "/.cache").c_str(), 0700);
    return *home + "/.cache/gpusched";
  }
  return {};
}

// A directory that somebody else made, or may write to, leads the browser where they like.
bool is_ours_alone(const std::string& place) {
  struct stat found {};
  return ::lstat(place.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Nothing of it is markup, whoever made it.
std::string as_attribute(const std::string& link) {
  std::string out;
  for (const char c : link) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view(":/#=_-.[]").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("&#{};", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

Result<std::string> write_leading_file(const std::string& link, const EnvironmentLookup& env) {
  const std::string place = own_place(env);
  if (place.empty()) return failure(ErrorCode::kIo, "neither XDG_RUNTIME_DIR nor HOME is set");
  ::mkdir(place.c_str(), 0700);
  if (!is_ours_alone(place)) {
    return failure(ErrorCode::kIo, place + " belongs to somebody else, or others may write to it");
  }
  const std::string path = place + "/page.html";
  ::unlink(path.c_str());
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return failure(ErrorCode::kIo, fmt::format("make {}: {}", path, std::strerror(errno)));
  const std::string text = fmt::format(
      "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n"
      "<meta http-equiv=\"refresh\" content=\"0;url={0}\">\n<a href=\"{0}\">gpusched</a>\n",
      as_attribute(link));
  if (auto written = write_all(file.get(), text); !written) return failure(written.error());
  return path;
}

Result<void> open_in_browser(const std::string& link, const EnvironmentLookup& env) {
  const auto path = write_leading_file(link, env);
  if (!path) return failure(path.error());
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  ::posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  ::posix_spawnattr_init(&attributes);
  // A browser outlives this terminal.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string program = kProgram, file = *path;
  const std::array<char*, 3> words = {program.data(), file.data(), nullptr};
  pid_t pid = 0;
  const int fault = ::posix_spawnp(&pid, kProgram, &actions, &attributes, words.data(), ::environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (fault == 0) return {};
  ::unlink(path->c_str());
  return failure(ErrorCode::kUnavailable, fmt::format("{}: {}", kProgram, std::strerror(fault)));
}

}  // namespace gpusched::cli
