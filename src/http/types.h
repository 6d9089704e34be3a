// What the HTTP server hands to the API and takes back: requests and responses as plain values,
// and the Responder through which an answer may come at any later time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/error_json.h"
#include "os/fd.h"

namespace gpusched {

// From the socket, by the kernel; nothing in a request can change it.
struct Peer {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  int pid = 0;
  std::uint64_t pid_started = 0;  // Only where the kernel does not remember who connected.
  bool network = false;           // Came over TCP: the numbers above say nothing, a token must.
  std::string address = {};       // Of the other end, where it came over TCP.
  std::string reached = {};       // Our address at which it arrived, likewise.
  bool tls = false;
};

struct HttpRequest {
  std::string method;
  std::vector<std::string> segments;           // Of the path, decoded.
  std::map<std::string, std::string> query;    // Decoded.
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;
  Peer peer;
};

// What a stream has to say when the socket can take more.
enum class Pull {
  kMore,   // `out` was filled; ask again.
  kWait,   // Nothing further for now; wake() will follow.
  kEnd,    // That was all.
  kAbort,  // It cannot go on; the client sees the connection break, never a short answer as whole.
};
// Appends at most some 256 KiB and about 1 ms of work to `out`.
using PullFn = std::function<Pull(std::string& out)>;

// What a connection becomes after the answer 101: packets to and from a socket of this machine,
// each with its length before it (http/packet_pipe.h).
struct Upgrade {
  std::string protocol;
  Fd socket;                    // SOCK_SEQPACKET, connected.
  std::size_t packet_most = 0;  // Bytes; who sends a longer one is let go.
  // What the client gets for a packet instead of its being passed on. Nullopt: it is passed on.
  std::function<std::optional<std::string>(std::string_view packet)> answer_to;
  // False: nothing is passed on any more, and the connection ends.
  std::function<bool()> may_go_on;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::optional<ErrorCode> error = {};  // What the body says, if that is an error.
  PullFn stream;                        // If set, the body is streamed from here instead.
  std::shared_ptr<Upgrade> upgrade;     // If set, the answer is 101, and this is what follows.
};

inline HttpResponse json_response(std::string body, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}
// Who is refused for the moment only is told when to come back.
inline HttpResponse error_response(const Error& error) {
  HttpResponse response = json_response(error_json(error), http_status_of(error.code));
  response.error = error.code;
  if (error.code == ErrorCode::kBusy) response.headers.emplace_back("Retry-After", "1");
  return response;
}

class HttpSession;

// The way back to one request. Copyable; belongs to the loop's thread. Once the client is gone or
// the answer is complete, every call does nothing.
class Responder {
 public:
  Responder() = default;
  Responder(std::weak_ptr<HttpSession> session, std::uint64_t request)
      : session_(std::move(session)), request_(request) {}

  // The same way, on which `seen` is told of the answer first, also when the client has gone. It is
  // let go of with the last copy.
  // May add headers.
  Responder watched(std::function<void(HttpResponse&)> seen) const {
    Responder copy = *this;
    copy.seen_ = std::make_shared<std::function<void(HttpResponse&)>>(
        [before = seen_, seen = std::move(seen)](HttpResponse& response) {
          if (before) (*before)(response);
          seen(response);
        });
    return copy;
  }
  void send(HttpResponse response) const;  // Once.
  void fail(const Error& error) const { send(error_response(error)); }
  // The stream has something again.
  void wake() const;
  // A descriptor of the process that connected (peer_process.h). Empty: it cannot be had.
  Fd peer_process() const;
  // Called if the client leaves before the answer is complete, or is told to.
  void on_gone(std::function<void()> gone) const;
  // The answer may take as long as the client likes: end() may cut it short.
  void lasts() const;
  // Cuts off what lasts: with this error where nothing was answered yet, else with a last word
  // where the answer's form has one. Then the connection is closed.
  void end(const Error& why) const;
  // Somebody still waits for this answer, or for the rest of it.
  bool is_open() const;

 private:
  std::weak_ptr<HttpSession> session_;
  std::uint64_t request_ = 0;
  std::shared_ptr<const std::function<void(HttpResponse&)>> seen_;
};

using HttpHandler = std::function<void(HttpRequest, Responder)>;

}  // namespace gpusched
