#include "cli/client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "cli/views/views.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kHeadMost = 64 * 1024;
constexpr std::size_t kReadSize = 64 * 1024;

std::string why(int error) { return std::strerror(error); }

tl::unexpected<Error> lost(const std::string& what) {
  return failure(ErrorCode::kUnavailable, "the daemon " + what);
}

// Waits until `fd` is ready for `events`.
Result<void> await(int fd, short events, std::chrono::milliseconds patience) {
  pollfd entry{fd, events, 0};
  while (true) {
    const int ready = ::poll(&entry, 1, static_cast<int>(patience.count()));
    if (ready > 0) return {};
    if (ready == 0) {
      return lost(fmt::format("did not answer for {} s", patience.count() / 1000));
    }
    if (errno != EINTR) return failure(ErrorCode::kIo, "wait for the daemon: " + why(errno));
  }
}

Result<void> write_all(int fd, std::string_view data, std::chrono::milliseconds patience) {
  while (!data.empty()) {
    const ssize_t n = ::send(fd, data.data(), data.size(), MSG_NOSIGNAL);
    if (n > 0) {
      data.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (auto ready = await(fd, POLLOUT, patience); !ready) return ready;
    } else if (errno == EPIPE || errno == ECONNRESET) {
      // It may have refused early, and said why before it closed: the answer is read anyway.
      return {};
    } else if (errno != EINTR) {
      return failure(ErrorCode::kIo, "send to the daemon: " + why(errno));
    }
  }
  return {};
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

template <class Number>
bool read_number(std::string_view text, Number& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

struct Attempt {
  Fd fd;
  int error = 0;
};

Attempt connect_to(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) return {Fd(), ENAMETOOLONG};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return {Fd(), errno};
  while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EINTR) return {Fd(), errno};
  }
  return {std::move(fd), 0};
}

}  // namespace

std::string Exchange::header(std::string_view name) const {
  for (const auto& [key, value] : headers_) {
    if (key == name) return value;
  }
  return "";
}

Result<bool> Exchange::fill() {
  if (auto ready = await(fd_.get(), POLLIN, patience_); !ready) return failure(ready.error());
  // Not filled first: of a short answer only one page is touched.
  if (!piece_) piece_.reset(new char[kReadSize]);
  ssize_t n = 0;
  do {
    n = ::recv(fd_.get(), piece_.get(), kReadSize, 0);
  } while (n < 0 && errno == EINTR);
  if (n > 0) buffer_.append(piece_.get(), static_cast<std::size_t>(n));
  if (n < 0 && errno != ECONNRESET) {
    return failure(ErrorCode::kIo, "read from the daemon: " + why(errno));
  }
  return n > 0;
}

Result<std::string> Exchange::line() {
  while (true) {
    if (const std::size_t end = buffer_.find("\r\n"); end != std::string::npos) {
      std::string found = buffer_.substr(0, end);
      buffer_.erase(0, end + 2);
      return found;
    }
    if (buffer_.size() > kHeadMost) return lost("sent a header without an end");
    auto more = fill();
    if (!more) return failure(more.error());
    if (!*more) return lost("closed the connection before it had answered");
  }
}

Result<void> Exchange::send(const Request& request) {
  std::string head =
      fmt::format("{} {} HTTP/1.1\r\nHost: gpusched\r\nGpusched-Api: 1\r\nConnection: close\r\n",
                  request.method, request.target);
  for (const auto& [name, value] : request.headers) head += name + ": " + value + "\r\n";
  if (!request.body.empty() || request.method != "GET") {
    head += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", request.content_type,
                        request.body.size());
  }
  head += "\r\n";
  // A small body in the same packet: one wake-up of the daemon instead of two.
  if (request.body.size() <= 256 * 1024) {
    return write_all(fd_.get(), head + request.body, patience_);
  }
  auto sent = write_all(fd_.get(), head, patience_);
  return sent ? write_all(fd_.get(), request.body, patience_) : sent;
}

Result<void> Exchange::read_head() {
  auto first = line();
  if (!first) return failure(first.error());
  if (!first->starts_with("HTTP/1.") || first->size() < 12 ||
      !read_number(std::string_view(*first).substr(9, 3), status_, 10)) {
    return failure(ErrorCode::kUnsupported, "what answers there is no gpusched daemon");
  }
  while (true) {
    auto next = line();
    if (!next) return failure(next.error());
    if (next->empty()) break;
    const std::size_t colon = next->find(':');
    if (colon == std::string::npos || headers_.size() > 200) return lost("sent a broken header");
    std::string value = next->substr(colon + 1);
    value.erase(0, std::min(value.find_first_not_of(' '), value.size()));
    headers_.emplace_back(lower(next->substr(0, colon)), std::move(value));
  }
  if (lower(header("transfer-encoding")) == "chunked") {
    framing_ = Framing::kChunked;
  } else if (const std::string length = header("content-length"); !length.empty()) {
    framing_ = Framing::kLength;
    if (!read_number(length, left_, 10)) return lost("sent a broken header");
    done_ = left_ == 0;
  } else if (status_ == 204) {
    done_ = true;
  }
  return {};
}

void Exchange::take(std::string& out) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
  out.append(buffer_, 0, size);
  buffer_.erase(0, size);
  left_ -= size;
}

// False: the line is not complete yet.
Result<bool> Exchange::decode_chunk_line() {
  const std::size_t end = buffer_.find("\r\n");
  if (end == std::string::npos) {
    if (buffer_.size() > kHeadMost) return lost("sent a broken chunk");
    return false;
  }
  const std::string text = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  if (part_ == ChunkPart::kDataEnd) {
    part_ = ChunkPart::kSize;
  } else if (part_ == ChunkPart::kTrailer) {
    done_ = text.empty();
  } else {
    if (!read_number(std::string_view(text).substr(0, text.find(';')), left_, 16)) {
      return lost("sent a broken chunk");
    }
    part_ = left_ > 0 ? ChunkPart::kData : ChunkPart::kTrailer;
  }
  return true;
}

Result<std::string> Exchange::decode() {
  std::string out;
  if (framing_ == Framing::kUntilClose) return std::exchange(buffer_, {});
  if (framing_ == Framing::kLength) {
    take(out);
    done_ = left_ == 0;
    return out;
  }
  while (!done_) {
    if (part_ == ChunkPart::kData) {
      take(out);
      if (left_ > 0) break;
      part_ = ChunkPart::kDataEnd;
    }
    auto complete = decode_chunk_line();
    if (!complete) return failure(complete.error());
    if (!*complete) break;
  }
  return out;
}

Result<void> Exchange::closed() {
  if (framing_ != Framing::kUntilClose) return lost("closed the connection while it answered");
  done_ = true;
  return {};
}

Result<std::string> Exchange::read_ready() {
  auto more = fill();
  if (!more) return failure(more.error());
  if (!*more) {
    if (auto over = closed(); !over) return failure(over.error());
  }
  return decode();
}

Result<std::string> Exchange::read_some() {
  while (true) {
    auto part = decode();
    if (!part || !part->empty() || done_) return part;
    auto more = fill();
    if (!more) return failure(more.error());
    if (*more) continue;
    if (auto over = closed(); !over) return failure(over.error());
    return std::string();
  }
}

Result<std::string> Exchange::read_all() {
  std::string body;
  while (true) {
    auto part = read_some();
    if (!part) return part;
    if (part->empty()) return body;
    body += *part;
  }
}

Result<Fd> Client::connect() const {
  std::string refused;
  for (const std::string& path : sockets_) {
    Attempt attempt = connect_to(path);
    if (attempt.fd) return std::move(attempt.fd);
    if (attempt.error == ENOENT || attempt.error == ECONNREFUSED || attempt.error == ENOTDIR) {
      continue;
    }
    if (attempt.error == ENAMETOOLONG) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("the socket path {} is longer than the {} bytes a Unix socket "
                                 "may have; choose a shorter one",
                                 path, sizeof(sockaddr_un{}.sun_path) - 1));
    }
    const ErrorCode code =
        attempt.error == EACCES ? ErrorCode::kForbidden : ErrorCode::kUnavailable;
    if (refused.empty()) refused = fmt::format("connect to {}: {}", path, why(attempt.error));
    if (sockets_.size() == 1) return failure(code, refused);
  }
  if (!refused.empty()) return failure(ErrorCode::kUnavailable, refused);
  return failure(
      ErrorCode::kUnavailable,
      fmt::format("no gpusched daemon answers at {}; start one with 'gpusched serve', or "
                  "'{}systemctl {}start gpuschedd' where it is installed as a service",
                  fmt::join(sockets_, " or "), ::geteuid() == 0 ? "" : "sudo ",
                  ::geteuid() == 0 ? "" : "start gpuschedd' or 'systemctl --user "));
}

Result<Exchange> Client::open(const Request& request, std::chrono::milliseconds patience) const {
  auto fd = connect();
  if (!fd) return failure(fd.error());
  Exchange exchange(std::move(*fd), patience);
  if (auto sent = exchange.send(request); !sent) return failure(sent.error());
  if (auto head = exchange.read_head(); !head) return failure(head.error());
  if (exchange.status() >= 400) {
    auto body = exchange.read_all();
    if (!body) return failure(body.error());
    return failure(parse_error(*body, exchange.status()));
  }
  return exchange;
}

Result<std::string> Client::call(const Request& request) const {
  auto exchange = open(request);
  if (!exchange) return failure(exchange.error());
  return exchange->read_all();
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~,@").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace gpusched::cli
