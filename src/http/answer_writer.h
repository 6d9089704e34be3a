// Writes the answers of one connection, whole or as a stream that is pulled piece by piece.
// Internal to the server.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "http/byte_stream.h"
#include "http/types.h"

namespace gpusched {

class AnswerWriter {
 public:
  // Whose connection it is. Everything is called on the loop.
  struct Owner {
    std::function<std::shared_ptr<void>()> keep;  // Holds it alive while something is under way.
    std::function<void(std::function<void()>)> give_turn;
    std::function<void()> written;
    std::function<void()> broken;
  };
  // What the client takes.
  struct Framing {
    bool keep_alive = true;
    bool chunked = true;
    bool head_only = false;
  };

  // REQUIRES: socket lives longer.
  AnswerWriter(ByteStream& socket, Owner owner) : socket_(socket), owner_(std::move(owner)) {}

  void write_whole(HttpResponse response, Framing framing);
  void begin_stream(HttpResponse response, Framing framing);
  // Nothing but these bytes.
  void write_bytes(std::string bytes);
  // The stream may have something again.
  void wake();
  // The stream has nothing more to say but this. REQUIRES: streams().
  void end_stream_with(std::string words);
  bool writes() const { return writing_; }
  bool streams() const { return stream_ != nullptr; }
  // Lets go of the answer, and, unless it was broken off, of its memory. What is returned may hold
  // the last reference to things that call back: for the caller to drop when it is done.
  std::shared_ptr<void> end(bool broken);
  void stop() { stopped_ = true; }

 private:
  void pump();
  void pull();
  void write_piece(bool last);
  template <std::size_t N>
  void write(const std::array<boost::asio::const_buffer, N>& parts, void (*then)(AnswerWriter&));
  void done() { owner_.written(); }

  ByteStream& socket_;
  Owner owner_;
  std::string head_, out_;
  std::shared_ptr<PullFn> stream_;
  bool chunked_ = true;
  bool writing_ = false;
  bool stopped_ = false;
};

}  // namespace gpusched
