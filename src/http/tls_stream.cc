#include "http/tls_stream.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace gpusched {

namespace asio = boost::asio;
using Said = TlsSession::Said;

TlsStream::TlsStream(Socket& socket, std::shared_ptr<const TlsContext> context)
    : socket_(socket), session_(std::move(context), socket.native_handle()) {}

void TlsStream::handshake(Done done) {
  go([this](std::size_t&) { return session_.handshake(); }, std::move(done), true);
}

void TlsStream::read(asio::mutable_buffer to, Done done) {
  if (to.size() == 0) return finish(done, {}, 0, true);
  go([this, to](
         std::size_t& got) { return session_.read(static_cast<char*>(to.data()), to.size(), got); },
     std::move(done), true);
}

void TlsStream::write(std::string bytes, Done done) {
  if (bytes.empty()) return finish(done, {}, 0, true);
  unsent_ = std::move(bytes);
  go([this](std::size_t& sent) { return session_.write(unsent_.data(), unsent_.size(), sent); },
     std::move(done), true);
}

void TlsStream::look(Done done) {
  go([this](std::size_t&) { return session_.look(); }, std::move(done), true);
}

void TlsStream::go(Step step, Done done, bool later) {
  // The number of a closed socket may be somebody else's by now.
  if (!socket_.is_open()) return finish(done, asio::error::operation_aborted, 0, later);
  std::size_t bytes = 0;
  switch (step(bytes)) {
    case Said::kDone:
      return finish(done, {}, bytes, later);
    case Said::kWantsToRead:
      return go_when(Socket::wait_read, std::move(step), std::move(done));
    case Said::kWantsToWrite:
      return go_when(Socket::wait_write, std::move(step), std::move(done));
    case Said::kEnd:
      return finish(done, asio::error::eof, 0, later);
    case Said::kFault:
      return finish(done, asio::error::connection_reset, 0, later);
  }
}

void TlsStream::go_when(Socket::wait_type ready, Step step, Done done) {
  socket_.async_wait(ready, [this, step = std::move(step),
                             done = std::move(done)](boost::system::error_code fault) mutable {
    if (fault) return done(fault, 0);
    go(std::move(step), std::move(done), false);
  });
}

void TlsStream::finish(const Done& done, boost::system::error_code fault, std::size_t bytes,
                       bool later) {
  if (!later) return done(fault, bytes);
  asio::post(socket_.get_executor(), [done, fault, bytes] { done(fault, bytes); });
}

}  // namespace gpusched
