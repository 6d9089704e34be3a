// gpusched-mover out|back DIRECTORY ...
// One process per move, in a session of its own: what ends the daemon or its launcher does not end
// it, because a Checkpoint or Restore that is interrupted leaves the driver and the job at odds. A
// second one for the same attempt waits for the first; one whose order is not the newest goes.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "jobdir/job_directory.h"
#include "jobdir/launch_protocol.h"
#include "jobdir/packet.h"
#include "mover/move.h"
#include "mover/words.h"
#include "os/fd.h"

namespace gpusched::mover {
namespace {

constexpr int kUsageError = 64;
constexpr int kNoDirectory = 74;

bool is_newest(int directory, const std::string& token) {
  if (token.empty()) return true;
  const auto newest = read_file(directory, kMoveOrder);
  return !newest || !newest->has_value() || **newest == token;
}

int exit_status_of(const MoveRecord& record) {
  if (record.moved) return 0;
  return 1 + static_cast<int>(record.left);
}

int move(const MoveWords& words) {
  const Fd directory(
      ::open(words.directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const Fd lock(directory ? ::openat(directory.get(), kMoveLock,
                                     O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)
                          : -1);
  if (!lock) {
    std::fprintf(stderr, "gpusched-mover: use %s: %s\n", words.directory.c_str(),
                 std::strerror(errno));
    return kNoDirectory;
  }
  while (::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  if (!is_newest(directory.get(), words.token)) return 0;
  auto last = read_move(directory.get());
  const bool answered = last && last->done && !words.token.empty() && last->token == words.token;
  const MoveRecord record = answered ? *last : Move(words, directory.get(), last).run();
  die_if_asked(directory.get(), words.out ? "recorded" : "recorded back");
  if (words.report_fd >= 0) {
    send_packet(words.report_fd, encode(MoverEnded{words.attempt, words.token}));
  }
  std::fputs(write_move(record).c_str(), stdout);
  return exit_status_of(record);
}

}  // namespace
}  // namespace gpusched::mover

int main(int count, char** arguments) {
  using namespace gpusched::mover;
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_IGN);
  const auto words = parse_words({arguments + 1, arguments + count});
  if (!words) {
    std::fprintf(stderr, "gpusched-mover: %s\n%s", words.error().message.c_str(), kUsage);
    return kUsageError;
  }
  const int status = move(*words);
  std::fflush(stdout);
  // The driver's library has threads and handlers of its own; nothing of them is needed any more.
  ::_exit(status);
}
