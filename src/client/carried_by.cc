#include "client/carried_by.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace gpusched {
namespace {

Result<pid_t> spawn(const std::vector<std::string>& command, int end) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, end, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, end, STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, words[0], &files, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (error == 0) return pid;
  // Trying again would not find it either.
  return failure(ErrorCode::kUnsupported,
                 fmt::format("start {}: {}", words[0], std::strerror(error)));
}

}  // namespace

Result<Carrier> carried_by(const std::vector<std::string>& command) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return failure(ErrorCode::kIo, std::string("make a socket pair: ") + std::strerror(errno));
  }
  Fd ours(ends[0]);
  const Fd theirs(ends[1]);
  auto pid = spawn(command, theirs.get());
  if (!pid) return failure(pid.error());
  return Carrier(std::move(ours), ChildProcess(*pid));
}

}  // namespace gpusched
