// The client's side of the API: blocking HTTP/1.1 over a byte stream. The daemon's own error
// answers come back as the Error that it meant; a daemon that is not there is kUnavailable with a
// sentence that says how to start one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/answer.h"
#include "client/away.h"
#include "client/carrier.h"
#include "client/repeats.h"
#include "client/server.h"

namespace gpusched {

struct Request {
  std::string method = "GET";
  std::string target;  // "/v1/jobs?state=active", encoded.
  std::string body = {};
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool more_follow = false;  // The connection stays open for the next question.
  bool has_key = false;      // Of a change: its body says which one it is.
  bool makes = false;        // Of a change: done twice it makes two. A server that was restarted
                             // meanwhile knows no keys but those of submissions.

  bool changes() const { return method != "GET"; }
};

// How long may be waited for the head of an answer, and then for each next piece. Negative: for
// ever.
struct Waits {
  std::chrono::milliseconds head;
  std::chrono::milliseconds silence;
};

// What a request says of whom it is for, and who asks, where the socket does not say it.
struct Caller {
  std::string host = "gpusched";
  std::string token = {};
};

// A question, and its answer while it arrives.
class Exchange {
 public:
  // `patience` is how long a silence may last.
  Exchange(Carrier carrier, std::chrono::milliseconds patience, Caller caller = {})
      : Exchange(std::move(carrier), Waits{patience, patience}, std::move(caller)) {}
  Exchange(Carrier carrier, Waits waits, Caller caller = {})
      : carrier_(std::move(carrier)), waits_(waits), caller_(std::move(caller)) {}

  // Sends it, and reads the head of the answer. REQUIRES: the first one, or may_ask_again().
  Result<void> ask(const Request& request);
  // The answer has been read, and nothing has happened on the connection since.
  bool may_ask_again() const { return answer_.followed() && carrier_.quiet(); }

  int status() const { return answer_.status(); }
  // Empty if there is none. REQUIRES: `name` in lower case.
  std::string header(std::string_view name) const { return answer_.header(name); }
  // The next bytes of the body, at least one; empty: the body is complete.
  Result<std::string> read_some();
  // A body of more than `most` bytes is an error.
  Result<std::string> read_all(std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  // What comes within so long. May be empty; ended() says whether more can come.
  Result<std::string> read_within(std::chrono::milliseconds most);
  // What has come already, perhaps with the head; never waits. poll() would not tell of it.
  Result<std::string> read_buffered() { return answer_.take_body(); }
  bool ended() const { return answer_.ended(); }
  // After the answer 101, when bytes go both ways: as much as is taken without waiting.
  Result<std::size_t> send_some(std::string_view bytes) { return carrier_.send_some(bytes); }
  // The last error was that nothing came for too long.
  bool was_silent() const { return silent_; }
  int fd() const { return carrier_.fd(); }

 private:
  Result<bool> receive(std::chrono::milliseconds patience);  // False: the daemon has closed.

  Carrier carrier_;
  Waits waits_;
  Caller caller_;
  HttpAnswer answer_;
  bool silent_ = false;
};

class Client {
 public:
  // `notice` is told when a daemon that is away is waited for.
  explicit Client(std::vector<std::string> sockets, Remark notice = nullptr)
      : Client(Server{.sockets = std::move(sockets)}, notice) {}
  // An error becomes that of every call.
  explicit Client(Result<Server> server, Remark notice = nullptr)
      : server_(std::move(server)), notice_(notice) {}

  // The whole answer. An answer with an error status is that error. Over a network it is asked
  // again when something gets lost; a change carries a key, so that it is done once.
  Result<std::string> call(const Request& request,
                           std::chrono::milliseconds patience = kPatience) const;
  // Calls again while the daemon is away, also one of this machine.
  Result<std::string> call_patiently(const Request& request) const;
  // The answer, its body still to be read. `patience` is how long a silence may last. Over a
  // network it is tried again until there is a head.
  Result<Exchange> open(const Request& request,
                        std::chrono::milliseconds patience = kPatience) const;
  // The same, once: for who has a patience of its own.
  Result<std::string> call_once(const Request& request,
                                std::chrono::milliseconds patience = kPatience) const;
  Result<Exchange> open_once(const Request& request, Waits waits, Stage* stage = nullptr) const;
  Patience patience(Seconds most = Seconds::max()) const {
    return Patience(notice_, far(), std::min(server_ ? server_->patience : kAwayMost, most));
  }
  // True: what is said can get lost although the daemon is well.
  bool far() const { return server_ && server_->far(); }
  // True: somebody in between may keep a stream back, or let a connection die unseen.
  bool on_network() const { return server_ && server_->on_network(); }
  // How long the head of a stream may take where somebody may keep it back.
  std::chrono::milliseconds head_of_stream() const;

  static constexpr std::chrono::milliseconds kPatience{120'000};

 private:
  template <class Once>
  auto repeated(const Request& request, const Once& once) const
      -> decltype(once(request, std::declval<Stage&>()));
  Result<std::string> instance(bool patiently) const;
  Waits waits_of(std::chrono::milliseconds patience) const;

  Result<Server> server_;
  Remark notice_;
  mutable bool reached_ = false;  // It has answered, so that it is worth waiting for.
};

// "a b/c" as part of a path or query.
std::string percent_encoded(std::string_view text);

}  // namespace gpusched
