// The bytes of one connection, whatever carries them: a Unix or TCP socket, with TLS or without.
// Beast and Asio read and write through it as through a socket.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/tls_stream.h"
#include "os/fd.h"

namespace gpusched {

class ByteStream {
 public:
  using Socket = TlsStream::Socket;
  using executor_type = Socket::executor_type;  // What Asio calls it.

  // REQUIRES: a connected stream socket. With `tls`, nothing is read or written before open().
  ByteStream(boost::asio::io_context& loop, Fd socket,
             std::shared_ptr<const TlsContext> tls = nullptr);

  // Shakes hands where TLS is spoken. `opened` is told of a fault; without TLS it is called at
  // once.
  void open(std::function<void(boost::system::error_code)> opened);
  // After a fault of open(): the client speaks HTTP without TLS. From here on so do we, to tell it.
  bool falls_back_to_plain();

  executor_type get_executor() { return socket_.get_executor(); }
  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (!tls_) return socket_.async_read_some(buffers, std::forward<Handler>(handler));
    tls_->read(first_of(buffers), shared(std::forward<Handler>(handler)));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (!tls_) return socket_.async_write_some(buffers, std::forward<Handler>(handler));
    // Head and body in one record.
    std::string bytes(std::min(boost::asio::buffer_size(buffers), TlsStream::kWriteMost), '\0');
    boost::asio::buffer_copy(boost::asio::buffer(bytes), buffers);
    tls_->write(std::move(bytes), shared(std::forward<Handler>(handler)));
  }

  // Once there is something to read, or the end.
  template <class Handler>
  void wait_readable(Handler handler) {
    if (!tls_) return socket_.async_wait(Socket::wait_read, std::move(handler));
    // Whoever reads hears of the end.
    tls_->look(
        [handler = std::move(handler)](boost::system::error_code fault, std::size_t) mutable {
          const bool aborted = fault == boost::asio::error::operation_aborted;
          handler(aborted ? fault : boost::system::error_code());
        });
  }
  // Calls once: with true if the other side goes away or the stream is closed. Over TCP also if
  // the other side says that it sends nothing more; with false if it sends something.
  void watch_hang_up(std::function<void(bool gone)> said);

  // Tells the other side that nothing more comes.
  void end_writing();
  void close();
  int descriptor() { return socket_.native_handle(); }

 private:
  template <class Buffers>
  static boost::asio::mutable_buffer first_of(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto it = boost::asio::buffer_sequence_begin(buffers); it != end; ++it) {
      const boost::asio::mutable_buffer one(*it);
      if (one.size() > 0) return one;
    }
    return {};
  }
  // Asio's handlers can be moved only.
  template <class Handler>
  static TlsStream::Done shared(Handler&& handler) {
    auto kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
    return [kept](boost::system::error_code fault, std::size_t bytes) {
      auto own = std::move(*kept);  // What it frees is free while it runs.
      own(fault, bytes);
    };
  }

  Socket socket_;
  bool local_ = false;              // A Unix socket.
  std::unique_ptr<TlsStream> tls_;  // Goes before the socket.
};

}  // namespace gpusched
