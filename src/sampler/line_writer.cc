#include "sampler/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "wire/sampler_lines.h"

namespace gpusched {
namespace {

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote >= 0) {
      text.remove_prefix(static_cast<std::size_t>(wrote));
      continue;
    }
    if (errno == EAGAIN) {
      // The other end may have made the pipe non-blocking for itself, and so for us.
      pollfd wait{fd, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

void LineWriter::write(const watch::Report& report) {
  if (done_) return;
  std::string line = write_report(report);
  line += '\n';
  const std::lock_guard lock(mutex_);
  if (done_ || write_all(fd_, line)) return;
  done_ = true;
  closed_();
}

}  // namespace gpusched
