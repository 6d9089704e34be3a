#include "scheduler/daemon_line.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace gpusched::library {
namespace {

constexpr std::size_t kIdleMost = 16;
constexpr std::size_t kAnswerMost = 64U << 20;

tl::unexpected<Fault> away(const std::string& what) {
  return fault(FaultKind::kUnavailable, "the gpusched daemon " + what);
}

Reply<void> send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return {};  // Refused early, perhaps: what it said before it closed is still there.
    } else if (errno != EINTR) {
      return away(fmt::format("cannot be written to: {}", std::strerror(errno)));
    }
  }
  return {};
}

Reply<void> receive(int fd, std::string& buffer, std::chrono::milliseconds patience) {
  pollfd entry{fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, static_cast<int>(patience.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return away(fmt::format("did not answer for {} s", patience.count() / 1000));
  char piece[16384];
  const ssize_t got = ::recv(fd, piece, sizeof piece, 0);
  if (got < 0 && errno == EINTR) return {};
  if (got <= 0) return away("went away");
  buffer.append(piece, static_cast<std::size_t>(got));
  return {};
}

// The value of a header in a head whose names are in any case.
std::string_view header_in(std::string_view head, std::string_view name) {
  std::size_t at = 0;
  while ((at = head.find("\r\n", at)) != std::string_view::npos) {
    at += 2;
    if (head.size() - at <= name.size() || head[at + name.size()] != ':') continue;
    if (::strncasecmp(head.data() + at, name.data(), name.size()) != 0) continue;
    std::string_view value = head.substr(at + name.size() + 1);
    value = value.substr(0, value.find("\r\n"));
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return {};
}

}  // namespace

std::string url_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || c == '-' || c == '_' || c == '.') {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// One on which nothing has happened since; the daemon closes those that are idle for long.
Fd DaemonLine::kept() {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    Fd line = std::move(idle_.back());
    idle_.pop_back();
    pollfd entry{line.get(), POLLIN, 0};
    if (::poll(&entry, 1, 0) == 0) return line;
  }
  return {};
}

void DaemonLine::keep(Fd line) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kIdleMost) idle_.push_back(std::move(line));
}

Reply<Fd> DaemonLine::connect() const {
  int error = ENOENT;
  for (const std::string& path : sockets_) {
    sockaddr_un address{};
    if (path.size() >= sizeof address.sun_path) continue;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    Fd line(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!line) return away(fmt::format("cannot be reached: {}", std::strerror(errno)));
    if (::connect(line.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return line;
    }
    error = errno;
  }
  return away(fmt::format("does not run ({}: {}); start it with: gpusched serve",
                          sockets_.empty() ? std::string("no socket") : sockets_.back(),
                          std::strerror(error)));
}

bool DaemonLine::answers() {
  Reply<Fd> line = connect();
  if (!line) return false;
  keep(std::move(*line));
  return true;
}

Reply<DaemonAnswer> DaemonLine::call(std::string_view method, std::string_view target,
                                     std::string_view body, std::chrono::milliseconds patience) {
  Fd line = kept();
  if (!line) {
    Reply<Fd> fresh = connect();
    if (!fresh) return tl::unexpected<Fault>(fresh.error());
    line = std::move(*fresh);
  }
  const std::string request = fmt::format(
      "{} {} HTTP/1.1\r\nHost: gpusched\r\nGpusched-Api: 1\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      method, target, body.size(), body);
  if (Reply<void> sent = send_all(line.get(), request); !sent) {
    return tl::unexpected<Fault>(sent.error());
  }
  std::string buffer;
  std::size_t head_end = std::string::npos;
  while ((head_end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (buffer.size() > kAnswerMost) return away("sent a header without an end");
    if (Reply<void> got = receive(line.get(), buffer, patience); !got) {
      return tl::unexpected<Fault>(got.error());
    }
  }
  const std::string head = buffer.substr(0, head_end + 2);
  buffer.erase(0, head_end + 4);
  DaemonAnswer answer;
  std::size_t length = 0;
  const std::string_view length_text = header_in(head, "Content-Length");
  const bool whole =
      head.size() > 12 &&
      std::from_chars(head.data() + 9, head.data() + 12, answer.status).ec == std::errc() &&
      std::from_chars(length_text.data(), length_text.data() + length_text.size(), length).ec ==
          std::errc() &&
      length <= kAnswerMost;
  if (!whole) return away("gave an answer that cannot be read");
  while (buffer.size() < length) {
    if (Reply<void> got = receive(line.get(), buffer, patience); !got) {
      return tl::unexpected<Fault>(got.error());
    }
  }
  answer.body = std::move(buffer);
  if (header_in(head, "Connection") != "close") keep(std::move(line));
  return answer;
}

}  // namespace gpusched::library
