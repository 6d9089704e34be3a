#include "notifier/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace gpusched::notifier {

Journal Journal::take(int descriptor) {
  Journal journal;
  const int flags = ::fcntl(descriptor, F_GETFD);
  if (flags < 0) return journal;
  ::fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
  journal.file_.reset(descriptor);
  while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) continue;
  return journal;
}

bool Journal::write(const DeliveryOutcome& outcome) const {
  if (!file_) return true;
  const std::string line =
      fmt::format("{} {} {}\n", outcome.id, outcome.mark.empty() ? "-" : outcome.mark,
                  result_word(outcome.result));
  // One call for the line: a reader never sees half of it before a crash tears it.
  const ssize_t done = ::write(file_.get(), line.data(), line.size());
  return done == static_cast<ssize_t>(line.size()) && ::fsync(file_.get()) == 0;
}

}  // namespace gpusched::notifier
