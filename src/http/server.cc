#include "http/server.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <unordered_map>
#include <utility>

#include "http/head.h"
#include "http/listener.h"
#include "http/loop_turns.h"
#include "http/session.h"

namespace gpusched {

namespace asio = boost::asio;

class HttpServer::Impl {
 public:
  Impl(asio::io_context& loop, LoopTurns& turns, HttpLimits limits, HttpHandler handler,
       BodyMost body_most)
      : loop_(loop),
        turns_(turns),
        limits_(limits),
        handler_(std::move(handler)),
        body_most_(std::move(body_most)),
        listener_(loop, [this](Fd socket) { admit(std::move(socket)); }) {}

  void serve(Fd listener, WhoConnected who) {
    who_ = std::move(who);
    auto ports = std::make_shared<SessionPorts>();
    ports->limits = limits_;
    ports->handler = std::move(handler_);
    ports->reserve_body = [this](std::uint32_t uid, std::int64_t bytes) {
      return reserve_body(uid, bytes);
    };
    ports->body_most = [most = limits_.body_bytes, own = std::move(body_most_)](
                           std::string_view method, std::string_view target) {
      return own ? std::min(most, own(method, target)) : most;
    };
    ports->closed = [this](const HttpSession* session) { forget(session); };
    ports->give_turn = [this](std::uint32_t uid, std::function<void()> work) {
      turns_.give(uid, std::move(work));
    };
    ports_ = std::move(ports);
    listener_.listen(std::move(listener));
  }

  void replace_listener(Fd listener) { listener_.listen(std::move(listener)); }

  void stop() {
    listener_.stop();
    auto sessions = sessions_;  // Closing changes the map.
    for (auto& [key, client] : sessions) close_http_session(*client.session);
  }

  int clients() const { return static_cast<int>(sessions_.size()); }

 private:
  struct Client {
    std::shared_ptr<HttpSession> session;
    std::uint32_t uid = 0;
  };

  void admit(Fd socket) {
    const std::optional<Peer> peer = who_(socket.get());
    if (!peer) return;
    int& of_user = per_user_[peer->uid];
    const bool extra_place = limits_.has_extra_place && limits_.has_extra_place(*peer);
    const int extra = extra_place ? limits_.extra_places : 0;
    if (clients() >= limits_.clients + extra || of_user >= limits_.clients_per_user + extra) {
      return turn_away(socket.get(), clients() >= limits_.clients + extra);
    }
    ++of_user;
    auto session = start_http_session(loop_, std::move(socket), *peer, ports_);
    sessions_[session.get()] = {session, peer->uid};
  }

  void turn_away(int socket, bool all_full) {
    const std::string bytes = refusal_bytes(
        {ErrorCode::kBusy,
         all_full ? fmt::format("the daemon serves {} clients already; try again", limits_.clients)
                  : fmt::format("you have {} connections already; close some",
                                limits_.clients_per_user)});
    // A fresh socket takes this at once; if not, the client is simply disconnected.
    (void)::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void forget(const HttpSession* session) {
    const auto it = sessions_.find(session);
    if (it == sessions_.end()) return;
    const auto of_user = per_user_.find(it->second.uid);
    if (of_user != per_user_.end() && --of_user->second == 0) per_user_.erase(of_user);
    sessions_.erase(it);
  }

  // Nobody can keep all others from sending something large.
  bool reserve_body(std::uint32_t uid, std::int64_t bytes) {
    const auto most = static_cast<std::int64_t>(limits_.bodies_bytes);
    std::int64_t& of_user = bodies_of_[uid];
    const bool full = bodies_ + bytes > most || of_user + bytes > most / 2;
    if (bytes <= 0 || !full) {
      bodies_ += bytes;
      of_user += bytes;
    }
    if (of_user == 0) bodies_of_.erase(uid);
    return bytes <= 0 || !full;
  }

  asio::io_context& loop_;
  LoopTurns& turns_;
  HttpLimits limits_;
  HttpHandler handler_;
  BodyMost body_most_;
  std::shared_ptr<const SessionPorts> ports_;
  WhoConnected who_;
  Listener listener_;
  std::unordered_map<const HttpSession*, Client> sessions_;
  std::unordered_map<std::uint32_t, int> per_user_;
  std::int64_t bodies_ = 0;
  std::unordered_map<std::uint32_t, std::int64_t> bodies_of_;  // By user.
};

HttpServer::HttpServer(asio::io_context& loop, LoopTurns& turns, HttpLimits limits,
                       HttpHandler handler, BodyMost body_most)
    : impl_(std::make_shared<Impl>(loop, turns, limits, std::move(handler), std::move(body_most))) {
}
HttpServer::~HttpServer() { stop(); }
void HttpServer::serve(Fd listener, WhoConnected who) {
  impl_->serve(std::move(listener), std::move(who));
}
void HttpServer::replace_listener(Fd listener) { impl_->replace_listener(std::move(listener)); }
void HttpServer::stop() { impl_->stop(); }
int HttpServer::clients() const { return impl_->clients(); }

}  // namespace gpusched
