#include "watch/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "os/clock.h"

extern char** environ;

namespace gpusched::watch {
namespace {

// How long a killed program is waited for: it needs a moment to be torn down.
constexpr int kLaps = 50;
constexpr std::chrono::milliseconds kLap{2};

struct Pipe {
  Fd ours, theirs;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return std::nullopt;
  Pipe made{Fd(ends[0]), Fd(ends[1])};
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return made;
}

// What posix_spawn is told, with the functions that free it.
struct Orders {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
  Orders() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  ~Orders() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  Orders(const Orders&) = delete;
  Orders& operator=(const Orders&) = delete;
};

// Numbers with a point and words in English, whatever the user's language is.
std::vector<char*> plain_environment(std::string& locale) {
  std::vector<char*> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    if (std::strncmp(*each, "LC_ALL=", 7) != 0) variables.push_back(*each);
  }
  variables.push_back(locale.data());
  variables.push_back(nullptr);
  return variables;
}

// The daemon blocks and ignores signals that a child must not inherit that way.
void restore_signals(posix_spawnattr_t& attributes) {
  sigset_t none;
  sigset_t standard;
  ::sigemptyset(&none);
  ::sigemptyset(&standard);
  ::sigaddset(&standard, SIGPIPE);
  ::sigaddset(&standard, SIGTERM);
  ::sigaddset(&standard, SIGINT);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &standard);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

// Programs that were killed and have not ended, and how many of them are too many.
std::atomic<int> stuck = 0;
constexpr int kMostStuck = 3;

// One at a time: between making a pipe and marking it, another start would inherit its ends.
std::mutex starting;

}  // namespace

std::optional<std::string> find_program(const std::string& name, const std::string& path) {
  std::string list = path;
  if (list.empty()) {
    const char* ours = std::getenv("PATH");
    list = ours != nullptr ? ours : "/usr/bin:/bin:/usr/sbin:/sbin";
  }
  for (const std::string_view place : split(list, ':')) {
    // Relative places are passed over: what runs must not depend on where we stand.
    if (!place.starts_with('/')) continue;
    const std::string candidate = std::string(place) + "/" + name;
    struct stat status {};
    if (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

Result<Child> Child::start(const std::vector<std::string>& arguments) {
  if (stuck >= kMostStuck) {
    return failure(ErrorCode::kUnavailable,
                   fmt::format("{} is not started: {} programs that we ended hang in a driver",
                               arguments.front(), kMostStuck));
  }
  const std::lock_guard lock(starting);
  auto output = make_pipe();
  auto errors = make_pipe();
  if (!output || !errors) {
    return failure(ErrorCode::kIo, fmt::format("make a pipe: {}", std::strerror(errno)));
  }
  Orders orders;
  ::posix_spawn_file_actions_addopen(&orders.files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&orders.files, output->theirs.get(), 1);
  ::posix_spawn_file_actions_adddup2(&orders.files, errors->theirs.get(), 2);
  restore_signals(orders.attributes);
  std::vector<std::string> words = arguments;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string locale = "LC_ALL=C";
  std::vector<char*> environment = plain_environment(locale);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, argv[0], &orders.files, &orders.attributes, argv.data(),
                                  environment.data());
  if (error != 0) {
    return failure(ErrorCode::kIo, fmt::format("start {}: {}", argv[0], std::strerror(error)));
  }
  return Child(pid, std::move(output->ours), std::move(errors->ours));
}

std::optional<int> Child::exit_code() {
  if (pid_ > 0 && !status_) {
    int status = 0;
    const pid_t reaped = ::waitpid(pid_, &status, WNOHANG);
    if (reaped == pid_) {
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (reaped < 0 && errno != EINTR) {
      status_ = 255;  // Somebody else reaped it, so it is gone.
    }
  }
  return status_;
}

void Child::end() {
  if (pid_ <= 0) return;
  if (!exit_code()) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    for (int lap = 0; lap < kLaps && !exit_code(); ++lap) pause_for(kLap);
    if (!exit_code()) {
      ++stuck;
      std::thread([pid = pid_] {
        int ignored = 0;
        while (::waitpid(pid, &ignored, 0) < 0 && errno == EINTR) {
        }
        --stuck;
      }).detach();
    }
  }
  pid_ = -1;
}

}  // namespace gpusched::watch
