#include "scheduler/daemon_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace gpusched::library {
namespace {

constexpr std::size_t kHeadMost = 64U << 10;
constexpr std::uint64_t kBodyMost = 64U << 20;
constexpr std::chrono::milliseconds kLongestPoll{3'600'000};

tl::unexpected<Error> away(const std::string& what) {
  return failure(ErrorCode::kUnavailable, "the gpusched daemon " + what);
}

tl::unexpected<Error> silent_for(std::chrono::milliseconds patience) {
  return away(fmt::format("did not answer for {} s", patience.count() / 1000));
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

template <class Number>
bool read_number(std::string_view text, Number& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
}

// 0: nothing is open under this number, or it is no socket.
std::uint64_t inode_of_socket(int fd) {
  struct stat about {};
  if (fd < 0 || ::fstat(fd, &about) != 0 || !S_ISSOCK(about.st_mode)) return 0;
  return about.st_ino;
}

}  // namespace

Result<Fd> connect_to_daemon(const std::vector<std::string>& sockets) {
  int error = ENOENT;
  for (const std::string& path : sockets) {
    sockaddr_un address{};
    if (path.size() >= sizeof address.sun_path) {
      error = ENAMETOOLONG;
      continue;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) return away(fmt::format("cannot be reached: {}", std::strerror(errno)));
    int done = 0;
    do {
      done = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    } while (done != 0 && errno == EINTR);
    if (done == 0) return fd;
    error = errno;
  }
  return away(fmt::format("does not run ({}: {}); start it with: gpusched serve",
                          sockets.empty() ? std::string("no socket") : sockets.back(),
                          std::strerror(error)));
}

Result<void> send_question(int fd, const DaemonQuestion& question) {
  const std::string text = fmt::format(
      "{} {} HTTP/1.1\r\nHost: gpusched\r\nGpusched-Api: 1\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      question.method, question.target, question.body.size(), question.body);
  std::string_view bytes = text;
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

Result<bool> receive_some(int fd, std::string& buffer, std::chrono::milliseconds patience) {
  pollfd entry{fd, POLLIN, 0};
  const auto most = std::clamp(patience, std::chrono::milliseconds{0}, kLongestPoll);
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, static_cast<int>(most.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return false;
  char piece[16384];
  ssize_t got = 0;
  do {
    got = ::recv(fd, piece, sizeof piece, 0);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return away("went away");
  buffer.append(piece, static_cast<std::size_t>(got));
  return true;
}

Result<AnswerHead> read_head(int fd, std::string& buffer, std::chrono::milliseconds patience) {
  std::size_t end = std::string::npos;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (buffer.size() > kHeadMost) return away("sent a header without an end");
    Result<bool> got = receive_some(fd, buffer, patience);
    if (!got) return failure(got.error());
    if (!*got) return silent_for(patience);
  }
  const std::string text = buffer.substr(0, end + 2);
  buffer.erase(0, end + 4);
  AnswerHead head;
  head.chunked = header_in(text, "Transfer-Encoding") == "chunked";
  head.closes = header_in(text, "Connection") == "close";
  const bool whole =
      text.size() > 12 && read_number(std::string_view(text).substr(9, 3), head.status) &&
      (head.chunked || read_number(header_in(text, "Content-Length"), head.length)) &&
      head.length <= kBodyMost;
  if (!whole) return away("gave an answer that cannot be read");
  return head;
}

Result<void> read_body(int fd, std::string& buffer, std::uint64_t length,
                       std::chrono::milliseconds patience) {
  while (buffer.size() < length) {
    Result<bool> got = receive_some(fd, buffer, patience);
    if (!got) return failure(got.error());
    if (!*got) return silent_for(patience);
  }
  return {};
}

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

void OpenSocket::set(int fd) {
  inode_ = inode_of_socket(fd);
  fd_ = fd;
}

void OpenSocket::close_copy() const {
  const int fd = fd_;
  const std::uint64_t inode = inode_of_socket(fd);
  if (inode != 0 && inode == inode_) ::close(fd);
}

}  // namespace gpusched::library
