#include "http/session.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <optional>
#include <utility>

#include "http/answer_form.h"
#include "http/answer_writer.h"
#include "http/byte_stream.h"
#include "http/connection_patience.h"
#include "http/head.h"
#include "http/packet_pipe.h"
#include "http/peer_process.h"
#include "http/request_reader.h"
#include "http/restartable_timer.h"
#include "http/target.h"

namespace gpusched {
namespace {

namespace asio = boost::asio;
using ErrorOf = boost::system::error_code;

// How long what follows a refusal is read, so that the client sees it, not a broken pipe.
constexpr std::chrono::milliseconds kLinger{2000};

std::string upgrade_head(const Upgrade& upgrade) {
  return fmt::format("HTTP/1.1 101 Switching Protocols\r\nGpusched-Version: " GPUSCHED_VERSION
                     "\r\nConnection: Upgrade\r\nUpgrade: {}\r\n\r\n",
                     upgrade.protocol);
}

}  // namespace

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(asio::io_context& loop, Connected connected,
              std::shared_ptr<const SessionPorts> ports)
      : loop_(loop),
        socket_(loop, std::move(connected.socket), std::move(connected.tls)),
        deadline_(loop),
        peer_(std::move(connected.peer)),
        account_(connected.account),
        ports_(std::move(ports)),
        patience_(ports_->limits, peer_.network),
        reader_(socket_, deadline_, patience_, *ports_,
                {.keep = keeper(),
                 .take = [this](RequestRead read) { dispatch(std::move(read)); },
                 .refuse = [this](const Error& error, bool silent) { refuse(error, silent); },
                 .gone = [this] { close(); },
                 .proved = [this] { ports_->proved(this); },
                 .reserve = [this](std::uint64_t bytes) { return reserve(bytes); }}),
        writer_(socket_, {.keep = keeper(),
                          .give_turn = turn_giver(),
                          .written = [this] { answer_written(); },
                          .broken = [this] { close(); }}) {}

  void start() {
    set_deadline(patience_.for_request(), [this] { close(); });
    socket_.open([self = shared_from_this()](ErrorOf fault) { self->on_open(fault); });
  }

  void close() {
    if (!open_) return;
    open_ = false;
    reader_.stop();
    writer_.stop();
    deadline_.cancel();
    if (pipe_) pipe_->close();
    socket_.close();
    end_answer(true);
    ports_->closed(this);
  }

  void send(std::uint64_t request, HttpResponse response) {
    if (!open_ || request != request_ || answered_) return;
    answered_ = true;
    if (response.upgrade) return begin_upgrade(std::move(response.upgrade));
    // It is held until it is taken, as a body is until it is read.
    if (response.body.size() > kSmallBody && !reserve(response.body.size())) {
      response = error_response({ErrorCode::kBusy, "read your other answers first"});
    }
    form_.shape(response, Responder(weak_from_this(), request_));
    if (response.stream) return begin_stream(std::move(response));
    write_whole(std::move(response));
  }

  void wake(std::uint64_t request) {
    if (open_ && request == request_) writer_.wake();
  }

  Fd process_of_peer(std::uint64_t request) {
    return open_ && request == request_ ? peer_process(socket_.descriptor(), peer_) : Fd();
  }

  void on_gone(std::uint64_t request, std::function<void()> gone) {
    if (!open_ || request != request_) return gone();
    gone_.push_back(std::move(gone));
  }

  bool is_open(std::uint64_t request) const {
    return open_ && request == request_ && (!answered_ || writer_.streams() || upgrade_);
  }
  void lasts(std::uint64_t request) { lasting_ = lasting_ || is_open(request); }

  void end(std::uint64_t request, const Error& why) {
    if (!is_open(request) || !lasting_ || cut_) return;
    cut_ = true;
    framing_.keep_alive = false;
    if (!answered_) return send(request, error_response(why));
    const std::string words = upgrade_ ? std::string() : last_words(stream_type_, why);
    if (words.empty()) return close();
    set_deadline(ports_->limits.write_time, [this] { close(); });
    writer_.end_stream_with(words);
  }

  void leave(const Error& why) {
    framing_.keep_alive = false;
    if (is_open(request_) && request_ > 0) return end(request_, why);
    if (!writer_.writes()) close();
  }

 private:
  std::function<std::shared_ptr<void>()> keeper() {
    return [this] { return shared_from_this(); };
  }
  std::function<void(std::function<void()>)> turn_giver() {
    return [this](std::function<void()> work) { ports_->give_turn(account_, std::move(work)); };
  }

  void on_open(ErrorOf fault) {
    if (!open_) return;
    if (!fault) return reader_.read(peer_.network);
    if (!socket_.falls_back_to_plain()) return close();
    refuse({ErrorCode::kInvalid, "this port speaks TLS; write https:// instead of http://"}, false);
  }

  // Answers a request that was not read to its end, then lets go of the connection.
  void refuse(const Error& error, bool silent) {
    if (refused_) return close();
    refused_ = true;
    ++request_;
    framing_.keep_alive = false;
    lingering_ = !silent;
    answered_ = true;
    write_whole(error_response(error));
  }

  void dispatch(RequestRead read) {
    ++request_;
    answered_ = false;
    lasting_ = false;
    framing_ = {read.keep_alive, read.chunked, read.head_only};
    HttpRequest& request = read.request;
    request.peer = peer_;
    form_ = AnswerForm(request, account_, ports_->coders);
    Responder responder(weak_from_this(), request_);
    Result<HttpTarget> target = parse_target(read.target);
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
      if (self->upgrade_) return;  // Who reads it by now hears of its end.
      // Over the network who sends on before the end of the answer is not heard leaving.
      const bool early = self->peer_.network && (!self->answered_ || self->writer_.streams());
      if (gone || early) self->close();
    });
  }

  void write_whole(HttpResponse response) {
    if (peer_.network) add_browser_headers(response);
    set_deadline(ports_->limits.write_time, [this] { close(); });
    writer_.write_whole(std::move(response), framing_);
  }

  void begin_stream(HttpResponse response) {
    stream_type_ = response.content_type;
    if (peer_.network) add_browser_headers(response);
    if (!framing_.chunked) framing_.keep_alive = false;
    // Memory that is kept for a client is not kept for ever.
    if (reserved_ > 0) set_deadline(ports_->limits.write_time, [this] { close(); });
    writer_.begin_stream(std::move(response), framing_);
    watch_for_hang_up();
  }

  void begin_upgrade(std::shared_ptr<Upgrade> upgrade) {
    if (!framing_.chunked) {
      return write_whole(error_response({ErrorCode::kInvalid, "an upgrade needs HTTP/1.1"}));
    }
    upgrade_ = std::move(upgrade);
    reader_.stop();
    set_deadline(ports_->limits.write_time, [this] { close(); });
    writer_.write_bytes(upgrade_head(*upgrade_));
  }

  void start_pipe() {
    const auto ending = [this] { set_deadline(kLinger, [this] { close(); }); };
    pipe_.emplace(loop_, socket_, upgrade_,
                  PacketPipe::Owner{.keep = keeper(),
                                    .give_turn = turn_giver(),
                                    .ending = ending,
                                    .over = [this] { close(); }});
    pipe_->start(reader_.take_rest());
  }

  void answer_written() {
    deadline_.cancel();
    if (upgrade_) return start_pipe();
    end_answer(cut_);
    if (framing_.keep_alive) return reader_.read_when_it_comes(peer_.network);
    if (lingering_) return linger();
    close();
  }

  // Reads and throws away what the client still sends, for a short while.
  void linger() {
    socket_.end_writing();
    set_deadline(kLinger, [this] { close(); });
    thrown_away_.resize(256U << 10);
    discard();
  }
  void discard() {
    socket_.async_read_some(asio::buffer(thrown_away_),
                            [self = shared_from_this()](ErrorOf fault, std::size_t) {
                              if (fault) return self->close();
                              self->discard();
                            });
  }

  void end_answer(bool broken) {
    // Moved out first: these may hold the last reference to things that call back here.
    const auto stream = writer_.end(broken);
    const auto gone = std::exchange(gone_, {});
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

  asio::io_context& loop_;
  ByteStream socket_;
  RestartableTimer deadline_;
  Peer peer_;
  std::uint32_t account_;
  std::shared_ptr<const SessionPorts> ports_;
  ConnectionPatience patience_;
  RequestReader reader_;
  AnswerWriter writer_;
  std::shared_ptr<Upgrade> upgrade_;  // This connection speaks HTTP no more.
  std::optional<PacketPipe> pipe_;

  std::uint64_t request_ = 0;  // Which request of this connection is being answered.
  std::uint64_t reserved_ = 0;
  AnswerWriter::Framing framing_;  // Of the answer to this request.
  bool open_ = true;
  bool answered_ = false;
  bool watching_ = false;
  bool refused_ = false;
  bool lingering_ = false;
  bool lasting_ = false;  // This answer may be cut off,
  bool cut_ = false;      // and was.
  AnswerForm form_;       // Of the answer to this request.
  std::string thrown_away_;
  std::string stream_type_;
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

void Responder::lasts() const {
  if (auto session = session_.lock()) session->lasts(request_);
}
void Responder::end(const Error& why) const {
  if (auto session = session_.lock()) session->end(request_, why);
}
bool Responder::is_open() const {
  const auto session = session_.lock();
  return session && session->is_open(request_);
}

std::shared_ptr<HttpSession> start_http_session(asio::io_context& loop, Connected connected,
                                                std::shared_ptr<const SessionPorts> ports) {
  auto session = std::make_shared<HttpSession>(loop, std::move(connected), std::move(ports));
  session->start();
  return session;
}

void close_http_session(HttpSession& session) { session.close(); }
void end_http_session(HttpSession& session, const Error& why) { session.leave(why); }

}  // namespace gpusched
