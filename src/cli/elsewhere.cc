#include "cli/elsewhere.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/terminal.h"
#include "client/through_ssh.h"
#include "json/json_fields.h"
#include "os/clock.h"

extern char** environ;

namespace gpusched::cli {
namespace {

// The last `own` words are the user's own command.
std::vector<std::string> without_server(std::span<const std::string> words, std::size_t own) {
  std::vector<std::string> kept;
  const std::size_t flags = words.size() - std::min(own, words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i < flags && words[i].starts_with("--server=")) continue;
    if (i < flags && words[i] == "--server") {
      ++i;
    } else {
      kept.push_back(words[i]);
    }
  }
  return kept;
}

}  // namespace

Result<Surroundings> parse_greeting(const std::string& greeting) {
  auto value = parse_json(greeting);
  if (!value) return failure(value.error());
  Fields fields(*value);
  Surroundings around;
  std::uint64_t version = 0;
  std::uint64_t mask = 022;
  fields.number("gpusched_relay", version, 1, 1);
  fields.text("directory", around.working_directory);
  fields.texts("environment", around.environment);
  fields.number("umask", mask, 0, 0777);
  if (auto read = fields.finish(); !read) return failure(read.error());
  around.umask = static_cast<unsigned>(mask);
  around.now = read_clock().wall;
  around.offset_at = utc_offset_at;
  // Their values are sent by name only.
  for (char** entry = environ; *entry != nullptr; ++entry) around.named.emplace_back(*entry);
  around.elsewhere = true;
  return around;
}

namespace {

// Nobody says what is there, and nothing of here belongs there.
Surroundings unknown_surroundings() {
  Surroundings around;
  around.now = read_clock().wall;
  around.offset_at = utc_offset_at;
  for (char** entry = environ; *entry != nullptr; ++entry) around.named.emplace_back(*entry);
  around.elsewhere = true;
  return around;
}

}  // namespace

Error not_over_the_network(const Server& server, std::string_view verb) {
  return {ErrorCode::kUnsupported,
          fmt::format("{} needs a process on the daemon's machine, and {} is reached over the "
                      "network; go there with --server ssh://HOST",
                      verb, server.name())};
}

Result<Surroundings> surroundings_of(const Server& server) {
  if (server.on_network()) return unknown_surroundings();
  auto relayed = connect_through_ssh(server);
  if (!relayed) return failure(relayed.error());
  return parse_greeting(relayed->greeting);
}

namespace {

constexpr int kSshFailed = 255;

volatile pid_t ssh_process = -1;
void pass_to_ssh(int number) { ::kill(ssh_process, number); }

// As a shell does with what it runs: keys are ssh's, and when ssh is stopped, so are we.
int wait_for_it(pid_t pid) {
  ssh_process = pid;
  for (const int key : {SIGINT, SIGQUIT}) std::signal(key, SIG_IGN);
  for (const int end : {SIGTERM, SIGHUP}) std::signal(end, pass_to_ssh);
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WUNTRACED);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) return kSshFailed;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    ::raise(SIGSTOP);
    ::kill(pid, SIGCONT);
  }
}

}  // namespace

Result<int> run_there(const Server& server, std::string_view verb,
                      std::span<const std::string> words, std::size_t own) {
  const bool terminal = is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO);
  std::vector<std::string> there = without_server(words, own);
  there.insert(there.begin(), std::string(verb));
  const auto command = ssh_command(server, there, terminal);
  std::vector<char*> pointers;
  for (const std::string& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  pid_t pid = -1;
  const int fault = ::posix_spawnp(&pid, pointers[0], nullptr, nullptr, pointers.data(), environ);
  if (fault != 0) {
    return failure(ErrorCode::kUnavailable, fmt::format("start ssh: {}", std::strerror(fault)));
  }
  const int code = wait_for_it(pid);
  if (code != kSshFailed) return code;
  // A command may end so, too. If the machine can be reached, it was the command.
  auto reached = connect_through_ssh(server);
  if (reached) return code;
  return failure(reached.error());
}

}  // namespace gpusched::cli
