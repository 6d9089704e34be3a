// TLS on the loop: tries what tls/session.h can do, and waits for the socket where it must. One
// read and one write may be under way at the same time. Internal to ByteStream.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>
#include <functional>
#include <memory>
#include <string>

#include "tls/session.h"

namespace gpusched {

class TlsStream {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  // Keeps alive whoever owns the stream; called later, never from within the call.
  using Done = std::function<void(boost::system::error_code, std::size_t bytes)>;

  // REQUIRES: `socket` lives longer.
  TlsStream(Socket& socket, std::shared_ptr<const TlsContext> context);

  void handshake(Done done);
  void read(boost::asio::mutable_buffer to, Done done);
  void write(std::string bytes, Done done);
  // Once there is something to read, or the end.
  void look(Done done);
  void end() { session_.end(); }
  bool heard_plain_http() const { return session_.heard_plain_http(); }

  static constexpr std::size_t kWriteMost = 16U << 10;  // What one record holds.

 private:
  using Step = std::function<TlsSession::Said(std::size_t& bytes)>;
  // `later`: we are still inside the call that began it.
  void go(Step step, Done done, bool later);
  void go_when(Socket::wait_type ready, Step step, Done done);
  void finish(const Done& done, boost::system::error_code fault, std::size_t bytes, bool later);

  Socket& socket_;
  TlsSession session_;
  std::string unsent_;  // A record that the socket did not take must be offered again as it is.
};

}  // namespace gpusched
