#include "http/session.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "http/answer_form.h"
#include "http/byte_stream.h"
#include "http/head.h"
#include "http/peer_process.h"
#include "http/restartable_timer.h"
#include "http/target.h"

namespace gpusched {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using ErrorOf = boost::system::error_code;

// Up to this size they are not counted against the memory for all bodies.
constexpr std::uint64_t kSmallBody = 64U << 10;
// What is read at once: a submit with an ordinary environment; much of a large body.
constexpr std::size_t kFirstRead = 8 * 1024;
constexpr std::size_t kLargeRead = 64 * 1024;
// How long what follows a refusal is read, so that the client sees it, not a broken pipe.
constexpr std::chrono::milliseconds kLinger{2000};

}  // namespace

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(asio::io_context& loop, Connected connected,
              std::shared_ptr<const SessionPorts> ports)
      : socket_(loop, std::move(connected.socket), std::move(connected.tls)),
        deadline_(loop),
        peer_(std::move(connected.peer)),
        account_(connected.account),
        ports_(std::move(ports)) {}

  void start() {
    set_deadline(ports_->limits.request_time, [this] { close(); });
    socket_.open([self = shared_from_this()](ErrorOf fault) { self->on_open(fault); });
  }

  void close() {
    if (!open_) return;
    open_ = false;
    deadline_.cancel();
    socket_.close();
    end_answer(true);
    ports_->closed(this);
  }

  void send(std::uint64_t request, HttpResponse response) {
    if (!open_ || request != request_ || answered_) return;
    answered_ = true;
    // It is held until it is taken, as a body is until it is read.
    if (response.body.size() > kSmallBody && !reserve(response.body.size())) {
      response = error_response({ErrorCode::kBusy, "read your other answers first"});
    }
    form_.shape(response, Responder(weak_from_this(), request_));
    if (response.stream) return begin_stream(std::move(response));
    write_whole(std::move(response));
  }

  void wake(std::uint64_t request) {
    if (open_ && request == request_ && stream_ && !writing_) pump();
  }

  Fd process_of_peer(std::uint64_t request) {
    return open_ && request == request_ ? peer_process(socket_.descriptor(), peer_) : Fd();
  }

  void on_gone(std::uint64_t request, std::function<void()> gone) {
    if (!open_ || request != request_) return gone();
    gone_.push_back(std::move(gone));
  }

 private:
  void on_open(ErrorOf fault) {
    if (!open_) return;
    if (!fault) return read_request();
    if (!socket_.falls_back_to_plain()) return close();
    refuse({ErrorCode::kInvalid, "this port speaks TLS; write https:// instead of http://"});
  }

  void read_request() {
    parser_.emplace();
    parser_->header_limit(ports_->limits.header_bytes);
    body_most_ = ports_->limits.body_bytes;
    parser_->body_limit(body_most_);
    buffer_.reserve(kFirstRead);
    set_deadline(ports_->limits.request_time, [this] { request_too_slow(); });
    http::async_read_header(
        socket_, buffer_, *parser_,
        [self = shared_from_this()](ErrorOf fault, std::size_t) { self->on_header(fault); });
  }

  // A connection that was served may rest; the clock for a request starts with its first byte.
  void wait_for_request() {
    if (buffer_.size() > 0) return read_request();
    set_deadline(ports_->limits.idle_time, [this] { close(); });
    socket_.wait_readable([self = shared_from_this()](ErrorOf fault) {
      if (fault) return self->close();
      self->read_request();
    });
  }

  void on_header(ErrorOf fault) {
    if (!open_ || refused_) return;
    if (fault) return on_read_fault(fault);
    headers_.clear();  // Read here: what comes behind the body is no head.
    for (const auto& field : parser_->get()) {
      headers_.emplace(lower_case(to_std(field.name_string())), to_std(field.value()));
    }
    const auto codings = parser_->get().count(http::field::transfer_encoding);
    const bool chunks_alone = codings == 1 && lower_case(header("transfer-encoding")) == "chunked";
    const auto length = parser_->content_length();
    // Such a body would end with the connection, if ever.
    const bool endless = !parser_->is_done() && !length && !parser_->chunked();
    if (endless || (codings > 0 && !chunks_alone)) {
      return refuse({ErrorCode::kInvalid, "a body needs a Content-Length, or chunks"});
    }
    if (!parser_->is_done()) {
      const std::string target = to_std(parser_->get().target());
      body_most_ = ports_->body_most(to_std(parser_->get().method_string()), target);
      parser_->body_limit(body_most_);
      const std::uint64_t wanted = length ? *length : body_most_;
      if (wanted > body_most_) return on_read_fault(http::error::body_limit);
      if (wanted > kSmallBody && peer_.network && !ports_->limits.knows(headers_)) {
        return refuse({ErrorCode::kUnauthenticated, "a body of this size needs a token"});
      }
      if (wanted > kSmallBody && !reserve(wanted)) {
        return refuse(
            {ErrorCode::kBusy,
             "the daemon is reading other large requests, or others of yours; try again"});
      }
      if (wanted > kSmallBody) buffer_.reserve(kLargeRead);
      if (lower_case(header("expect")) == "100-continue") return write_continue();
    }
    read_body();
  }

  void read_body() {
    if (parser_->is_done()) return dispatch();
    http::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](ErrorOf fault, std::size_t) {
                       if (!self->open_ || self->refused_) return;
                       if (fault) return self->on_read_fault(fault);
                       self->dispatch();
                     });
  }

  void write_continue() {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                      [self = shared_from_this()](ErrorOf fault, std::size_t) {
                        if (fault) return self->close();
                        self->read_body();
                      });
  }

  void on_read_fault(ErrorOf fault) {
    const auto error = fault_of_request(fault, body_most_, ports_->limits.header_bytes);
    if (error) return refuse(*error);
    close();
  }

  void request_too_slow() {
    const auto seconds = ports_->limits.request_time / std::chrono::seconds{1};
    refuse({ErrorCode::kInvalid, fmt::format("the request was not complete after {} s", seconds)});
    lingering_ = false;  // It sends nothing anyway.
  }

  // Answers a request that was not read to its end, then lets go of the connection.
  void refuse(const Error& error) {
    if (refused_) return close();
    refused_ = true;
    ++request_;
    keep_alive_ = false;
    lingering_ = true;
    answered_ = true;
    write_whole(error_response(error));
  }

  void dispatch() {
    deadline_.cancel();
    auto message = parser_->release();
    ++request_;
    answered_ = false;
    keep_alive_ = message.keep_alive() && message.version() >= 11;
    if (message.method() == http::verb::head) keep_alive_ = false;  // Our answer has a body.
    chunked_ = message.version() >= 11;
    HttpRequest request;
    request.method = to_std(message.method_string());
    request.peer = peer_;
    request.headers = std::exchange(headers_, {});
    form_ = AnswerForm(request, account_, ports_->coders);
    request.body = std::move(message.body());
    Responder responder(weak_from_this(), request_);
    Result<HttpTarget> target = parse_target(to_std(message.target()));
    if (!target) return responder.fail(target.error());
    request.segments = std::move(target->segments);
    request.query = std::move(target->query);
    ports_->give_turn(account_, [self = shared_from_this(), responder,
                                 asked = std::make_shared<HttpRequest>(std::move(request))] {
      if (!self->open_) return;
      self->ports_->handler(std::move(*asked), responder);
      if (self->open_ && !self->answered_) self->watch_for_hang_up();
    });
  }

  void watch_for_hang_up() {
    if (watching_) return;
    watching_ = true;
    socket_.watch_hang_up([self = shared_from_this()](bool gone) {
      self->watching_ = false;
      // Over the network who sends on before the end of the answer is not heard leaving.
      const bool early = self->peer_.network && (!self->answered_ || self->stream_);
      if (gone || early) self->close();
    });
  }

  void write_whole(HttpResponse response) {
    const std::string length = fmt::format("Content-Length: {}\r\n", response.body.size());
    head_ = head_of(response, response.status == 304 ? "" : length, keep_alive_);
    out_ = std::move(response.body);
    set_deadline(ports_->limits.write_time, [this] { close(); });
    const std::array<asio::const_buffer, 2> parts = {asio::buffer(head_), asio::buffer(out_)};
    write(parts, [](HttpSession& session) { session.answer_written(); });
  }

  void begin_stream(HttpResponse response) {
    stream_ = std::make_shared<PullFn>(std::move(response.stream));
    if (!chunked_) keep_alive_ = false;
    // Memory that is kept for a client is not kept for ever.
    if (reserved_ > 0) set_deadline(ports_->limits.write_time, [this] { close(); });
    head_ = head_of(response, chunked_ ? "Transfer-Encoding: chunked\r\n" : "", keep_alive_);
    watch_for_hang_up();
    const std::array<asio::const_buffer, 1> parts = {asio::buffer(head_)};
    write(parts, [](HttpSession& session) { session.pump(); });
  }

  void pump() {
    writing_ = true;  // Who wakes it meanwhile need not ask twice.
    ports_->give_turn(account_, [self = shared_from_this()] {
      self->writing_ = false;
      if (self->open_) self->pull();
    });
  }

  void pull() {
    out_.clear();
    writing_ = true;
    // A copy of the pointer, because what it calls may end this answer.
    const Pull said = (*std::shared_ptr<PullFn>(stream_))(out_);
    writing_ = false;
    if (!open_) return;
    switch (said) {
      case Pull::kAbort:
        return close();
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

  void write_piece(bool last) {
    if (chunked_ && !out_.empty()) {
      head_ = fmt::format("{:x}\r\n", out_.size());
      out_ += "\r\n";
    } else {
      head_.clear();
    }
    if (last && chunked_) out_ += "0\r\n\r\n";
    const std::array<asio::const_buffer, 2> parts = {asio::buffer(head_), asio::buffer(out_)};
    if (!last) return write(parts, [](HttpSession& session) { session.pump(); });
    write(parts, [](HttpSession& session) { session.answer_written(); });
  }

  template <std::size_t N>
  void write(const std::array<asio::const_buffer, N>& parts, void (*then)(HttpSession&)) {
    writing_ = true;
    asio::async_write(socket_, parts,
                      [self = shared_from_this(), then](ErrorOf fault, std::size_t) {
                        self->writing_ = false;
                        if (!self->open_) return;
                        if (fault) return self->close();
                        then(*self);
                      });
  }

  void answer_written() {
    deadline_.cancel();
    end_answer(false);
    if (keep_alive_) return wait_for_request();
    if (lingering_) return linger();
    close();
  }

  // Reads and throws away what the client still sends, for a short while.
  void linger() {
    socket_.end_writing();
    set_deadline(kLinger, [this] { close(); });
    out_.resize(256U << 10);
    discard();
  }
  void discard() {
    socket_.async_read_some(asio::buffer(out_),
                            [self = shared_from_this()](ErrorOf fault, std::size_t) {
                              if (fault) return self->close();
                              self->discard();
                            });
  }

  void end_answer(bool broken) {
    // Moved out first: these may hold the last reference to things that call back here.
    const std::shared_ptr<PullFn> stream = std::exchange(stream_, nullptr);
    const auto gone = std::exchange(gone_, {});
    if (!broken) std::string().swap(out_);  // Its memory, too.
    if (reserved_ > 0) {
      ports_->reserve_body(account_, -static_cast<std::int64_t>(std::exchange(reserved_, 0)));
    }
    if (!broken) return;
    for (const auto& tell : gone) tell();
  }

  bool reserve(std::uint64_t bytes) {
    if (!ports_->reserve_body(account_, static_cast<std::int64_t>(bytes))) return false;
    reserved_ += bytes;
    return true;
  }

  template <class Late>
  void set_deadline(std::chrono::milliseconds after, Late late) {
    deadline_.set(after, shared_from_this(), late);
  }

  // REQUIRES: a name in lower case.
  std::string header(const char* name) const {
    const auto found = headers_.find(name);
    return found == headers_.end() ? std::string() : found->second;
  }
  static std::string to_std(beast::string_view text) { return {text.data(), text.size()}; }

  ByteStream socket_;
  RestartableTimer deadline_;
  Peer peer_;
  std::uint32_t account_;
  std::shared_ptr<const SessionPorts> ports_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;

  std::map<std::string, std::string> headers_;  // Of the request that is being read.
  std::uint64_t request_ = 0;  // Which request of this connection is being answered.
  std::uint64_t reserved_ = 0;
  std::uint64_t body_most_ = 0;  // Of the request that is being read.
  bool open_ = true;
  bool answered_ = false;
  bool keep_alive_ = true;
  bool chunked_ = true;
  bool writing_ = false;
  bool watching_ = false;
  bool refused_ = false;
  bool lingering_ = false;
  AnswerForm form_;  // Of the answer to this request.
  std::string head_, out_;
  std::shared_ptr<PullFn> stream_;
  std::vector<std::function<void()>> gone_;
};

void Responder::send(HttpResponse response) const {
  if (seen_) (*seen_)(response);
  if (auto session = session_.lock()) session->send(request_, std::move(response));
}
Fd Responder::peer_process() const {
  const auto session = session_.lock();
  return session ? session->process_of_peer(request_) : Fd();
}
void Responder::wake() const {
  if (auto session = session_.lock()) session->wake(request_);
}
void Responder::on_gone(std::function<void()> gone) const {
  const auto session = session_.lock();
  session ? session->on_gone(request_, std::move(gone)) : gone();
}

std::shared_ptr<HttpSession> start_http_session(asio::io_context& loop, Connected connected,
                                                std::shared_ptr<const SessionPorts> ports) {
  auto session = std::make_shared<HttpSession>(loop, std::move(connected), std::move(ports));
  session->start();
  return session;
}

void close_http_session(HttpSession& session) { session.close(); }

}  // namespace gpusched
