#include "http/answer_writer.h"

#include <fmt/format.h>

#include <boost/asio/write.hpp>
#include <utility>

#include "http/head.h"

namespace gpusched {

namespace asio = boost::asio;

void AnswerWriter::write_whole(HttpResponse response, Framing framing) {
  const std::string length = fmt::format("Content-Length: {}\r\n", response.body.size());
  head_ = head_of(response, response.status == 304 ? "" : length, framing.keep_alive);
  out_ = framing.head_only ? std::string() : std::move(response.body);
  const std::array<asio::const_buffer, 2> parts = {asio::buffer(head_), asio::buffer(out_)};
  write(parts, [](AnswerWriter& writer) { writer.done(); });
}

void AnswerWriter::begin_stream(HttpResponse response, Framing framing) {
  stream_ = std::make_shared<PullFn>(std::move(response.stream));
  chunked_ = framing.chunked;
  head_ = head_of(response, chunked_ ? "Transfer-Encoding: chunked\r\n" : "", framing.keep_alive);
  const std::array<asio::const_buffer, 1> parts = {asio::buffer(head_)};
  write(parts, [](AnswerWriter& writer) { writer.pump(); });
}

void AnswerWriter::write_bytes(std::string bytes) {
  head_ = std::move(bytes);
  const std::array<asio::const_buffer, 1> parts = {asio::buffer(head_)};
  write(parts, [](AnswerWriter& writer) { writer.done(); });
}

void AnswerWriter::wake() {
  if (stream_ && !writing_) pump();
}

void AnswerWriter::end_stream_with(std::string words) {
  stream_ = std::make_shared<PullFn>([words = std::move(words)](std::string& out) {
    out += words;
    return Pull::kEnd;
  });
  wake();
}

void AnswerWriter::pump() {
  writing_ = true;  // Who wakes it meanwhile need not ask twice.
  owner_.give_turn([this, keep = owner_.keep()] {
    writing_ = false;
    if (!stopped_) pull();
  });
}

void AnswerWriter::pull() {
  out_.clear();
  writing_ = true;
  // A copy of the pointer, because what it calls may end this answer.
  const Pull said = (*std::shared_ptr<PullFn>(stream_))(out_);
  writing_ = false;
  if (stopped_) return;
  switch (said) {
    case Pull::kAbort:
      return owner_.broken();
    case Pull::kEnd:
      return write_piece(true);
    case Pull::kWait:
      if (!out_.empty()) write_piece(false);
      return;
    case Pull::kMore:
      if (!out_.empty()) return write_piece(false);
      return pump();  // Nothing yet, but more to look through: others go first.
  }
}

void AnswerWriter::write_piece(bool last) {
  if (chunked_ && !out_.empty()) {
    head_ = fmt::format("{:x}\r\n", out_.size());
    out_ += "\r\n";
  } else {
    head_.clear();
  }
  if (last && chunked_) out_ += "0\r\n\r\n";
  const std::array<asio::const_buffer, 2> parts = {asio::buffer(head_), asio::buffer(out_)};
  if (!last) return write(parts, [](AnswerWriter& writer) { writer.pump(); });
  write(parts, [](AnswerWriter& writer) { writer.done(); });
}

template <std::size_t N>
void AnswerWriter::write(const std::array<asio::const_buffer, N>& parts,
                         void (*then)(AnswerWriter&)) {
  writing_ = true;
  asio::async_write(
      socket_, parts,
      [this, keep = owner_.keep(), then](boost::system::error_code fault, std::size_t) {
        writing_ = false;
        if (stopped_) return;
        if (fault) return owner_.broken();
        then(*this);
      });
}

std::shared_ptr<void> AnswerWriter::end(bool broken) {
  if (!broken) std::string().swap(out_);  // Its memory, too.
  return std::exchange(stream_, nullptr);
}

}  // namespace gpusched
