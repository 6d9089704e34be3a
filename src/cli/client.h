// The client's side of the API: blocking HTTP/1.1 over a Unix socket, one connection per request.
// The daemon's own error answers come back as the Error that it meant; a daemon that is not there
// is kUnavailable with a sentence that says how to start one.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

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
  // For who waits by poll() on fd(): takes what is there now. May be empty; ended() says whether
  // more can come. REQUIRES: fd() is readable.
  Result<std::string> read_ready();
  // What has come already, perhaps with the head; never waits. poll() would not tell of it.
  Result<std::string> read_buffered() { return decode(); }
  bool ended() const { return done_; }
  int fd() const { return fd_.get(); }

  Result<void> send(const Request& request);
  Result<void> read_head();

 private:
  enum class Framing : unsigned char { kLength, kChunked, kUntilClose };
  enum class ChunkPart : unsigned char { kSize, kData, kDataEnd, kTrailer };
  Result<bool> fill();  // False: the peer closed.
  Result<std::string> line();
  Result<void> closed();
  // Takes from the buffer what it holds of the body; never waits.
  Result<std::string> decode();
  Result<bool> decode_chunk_line();
  void take(std::string& out);

  Fd fd_;
  std::chrono::milliseconds patience_;
  int status_ = 0;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::string buffer_;
  std::unique_ptr<char[]> piece_;  // What was received last, before it joins the buffer.
  Framing framing_ = Framing::kUntilClose;
  std::uint64_t left_ = 0;  // Of the body or of the chunk.
  ChunkPart part_ = ChunkPart::kSize;
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
