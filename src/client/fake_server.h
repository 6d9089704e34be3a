// A daemon of a few lines for tests: answers each connection with the next prepared bytes, and
// keeps what it was asked.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "os/fd.h"
#include "tests/support/temporary_directory.h"

namespace gpusched {

class FakeServer {
 public:
  // One answer per connection, in order; each is a list of pieces that are sent one by one.
  enum class Manner : unsigned char { kCloses, kStaysOpen };
  explicit FakeServer(std::vector<std::vector<std::string>> answers,
                      Manner manner = Manner::kCloses)
      : answers_(std::move(answers)), manner_(manner), path_(directory_ / "sock") {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(listener_.get(), 16);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  const std::string& path() const { return path_; }
  // REQUIRES: all answers have been given.
  std::vector<std::string> requests() {
    while (given_ < answers_.size()) std::this_thread::yield();
    return requests_;
  }

 private:
  static std::size_t body_length(const std::string& request) {
    const std::size_t at = request.find("Content-Length: ");
    return at == std::string::npos ? 0 : std::stoul(request.substr(at + 16));
  }
  void serve() {
    for (const auto& answer : answers_) {
      Fd peer(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!peer) return;
      std::string request;
      char buffer[65536];
      std::size_t head = std::string::npos;
      while (head == std::string::npos ||
             request.size() < head + 4 + body_length(request.substr(0, head))) {
        const ssize_t n = ::recv(peer.get(), buffer, sizeof buffer, 0);
        if (n <= 0) break;
        request.append(buffer, static_cast<std::size_t>(n));
        head = request.find("\r\n\r\n");
      }
      requests_.push_back(request);
      for (const std::string& piece : answer) {
        (void)::send(peer.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
      }
      if (manner_ == Manner::kStaysOpen) open_.push_back(std::move(peer));
      ++given_;
    }
  }

  testing::TemporaryDirectory directory_;
  std::vector<std::vector<std::string>> answers_;
  Manner manner_;
  std::string path_;
  Fd listener_;
  std::vector<Fd> open_;
  std::vector<std::string> requests_;
  std::atomic<std::size_t> given_ = 0;
  std::thread thread_;
};

}  // namespace gpusched
