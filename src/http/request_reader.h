// Reads the requests of one connection, one after the other, and refuses what goes beyond the
// limits. Internal to the server.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "http/byte_stream.h"
#include "http/connection_patience.h"
#include "http/restartable_timer.h"
#include "http/session_ports.h"

namespace gpusched {

// A request that was read to its end. Its target is not taken apart yet.
struct RequestRead {
  HttpRequest request;
  std::string target;
  bool keep_alive = false;
  bool chunked = false;    // Its client takes an answer in chunks.
  bool head_only = false;  // HEAD: the answer has no body.
};

class RequestReader {
 public:
  // Whose connection it is. Everything is called on the loop.
  struct Owner {
    std::function<std::shared_ptr<void>()> keep;  // Holds it alive while something is under way.
    std::function<void(RequestRead)> take;
    // `silent`: nothing more is expected of the client.
    std::function<void(const Error&, bool silent)> refuse;
    std::function<void()> gone;
    std::function<void()> proved;  // Somebody we know has come over the network.
    std::function<bool(std::uint64_t bytes)> reserve;  // Memory for a body.
  };

  // REQUIRES: socket, deadline, patience and ports live longer.
  RequestReader(ByteStream& socket, RestartableTimer& deadline, ConnectionPatience& patience,
                const SessionPorts& ports, Owner owner);
  ~RequestReader();

  // `network`: by whom no more than a small body is sent before we know them.
  void read(bool network);
  // The same once something comes: a connection that was served may rest.
  void read_when_it_comes(bool network);
  // What comes from now on is not for this reader.
  void stop() { stopped_ = true; }
  // What has been read beyond the last request.
  std::string take_rest();

 private:
  using ErrorOf = boost::system::error_code;
  void on_header(ErrorOf fault);
  std::optional<Error> refuses_body();
  void read_body();
  void write_continue();
  void on_fault(ErrorOf fault);
  void too_slow();
  void refuse(const Error& error, bool silent = false);
  void finish();
  std::string header(const char* name) const;

  ByteStream& socket_;
  RestartableTimer& deadline_;
  ConnectionPatience& patience_;
  const SessionPorts& ports_;
  Owner owner_;
  struct Parts;  // Of the parser's library.
  std::unique_ptr<Parts> parts_;
  std::map<std::string, std::string> headers_;
  std::uint64_t body_most_ = 0;
  bool network_ = false;
  bool stopped_ = false;
};

}  // namespace gpusched
