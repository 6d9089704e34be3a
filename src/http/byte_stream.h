// The bytes of one connection, whatever carries them: a Unix or TCP socket. Beast and Asio read
// and write through it as through a socket. TLS will be a second way behind the same calls.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <utility>

#include "os/fd.h"

namespace gpusched {

class ByteStream {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  using executor_type = Socket::executor_type;  // What Asio calls it.

  // REQUIRES: a connected stream socket.
  ByteStream(boost::asio::io_context& loop, Fd socket);

  executor_type get_executor() { return socket_.get_executor(); }
  template <class Buffers, class Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return socket_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return socket_.async_write_some(buffers, std::forward<Handler>(handler));
  }

  // Once there is something to read, or the end.
  template <class Handler>
  void wait_readable(Handler handler) {
    socket_.async_wait(Socket::wait_read, std::move(handler));
  }
  // Calls once: with true if the other side goes away or the stream is closed. Over TCP also if
  // the other side says that it sends nothing more; with false if it sends something.
  void watch_hang_up(std::function<void(bool gone)> said);

  // Tells the other side that nothing more comes.
  void end_writing();
  void close();
  int descriptor() { return socket_.native_handle(); }

 private:
  Socket socket_;
  bool local_ = false;  // A Unix socket.
};

}  // namespace gpusched
