// The client's side of the API: blocking HTTP/1.1 over a Unix socket, one connection per request.
// The daemon's own error answers come back as the Error that it meant; a daemon that is not there
// is kUnavailable with a sentence that says how to start one.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace gpusched::cli {

struct Request {
  std::string method = "GET";
  std::string target;  // "/v1/jobs?state=active", encoded.
  std::string body = {};
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// An answer whose head has been read and whose body is still to come.
class Exchange {
 public:
  Exchange(Fd fd, std::chrono::milliseconds patience) : fd_(std::move(fd)), patience_(patience) {}

  int status() const { return status_; }
  // Empty if there is none. REQUIRES: `name` in lower case.
  std::string header(std::string_view name) const;
  // The next bytes of the body, at least one; empty: the body is complete.
  Result<std::string> read_some();
  Result<std::string> read_all();
  // For poll(): bytes may also wait in the buffer already.
  int fd() const { return fd_.get(); }
  bool has_buffered() const { return !buffer_.empty(); }

  Result<void> send(const Request& request);
  Result<void> read_head();

 private:
  enum class Framing : unsigned char { kLength, kChunked, kUntilClose };
  Result<bool> fill();  // False: the peer closed.
  Result<std::string> line();
  Result<bool> begin_chunk();
  std::string take(std::size_t most);

  Fd fd_;
  std::chrono::milliseconds patience_;
  int status_ = 0;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::string buffer_;
  Framing framing_ = Framing::kUntilClose;
  std::uint64_t left_ = 0;  // Of the body or of the chunk.
  bool first_chunk_ = true;
  bool done_ = false;
};

class Client {
 public:
  explicit Client(std::vector<std::string> sockets) : sockets_(std::move(sockets)) {}

  // The whole answer. An answer with an error status is that error.
  Result<std::string> call(const Request& request) const;
  // The answer, its body still to be read. `patience` is how long a silence may last.
  Result<Exchange> open(const Request& request,
                        std::chrono::milliseconds patience = kPatience) const;
  const std::vector<std::string>& sockets() const { return sockets_; }

  static constexpr std::chrono::milliseconds kPatience{120'000};

 private:
  Result<Fd> connect() const;
  std::vector<std::string> sockets_;
};

// "a b/c" as part of a path or query.
std::string percent_encoded(std::string_view text);

}  // namespace gpusched::cli
