#include "http/server.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "http/crowd.h"
#include "http/head.h"
#include "http/listener.h"
#include "http/loop_turns.h"
#include "http/session.h"
#include "http/tcp_listener.h"

namespace gpusched {

namespace asio = boost::asio;

namespace {
constexpr std::size_t kCoders = 2;  // Threads that compress.
}

class HttpServer::Impl {
 public:
  Impl(asio::io_context& loop, LoopTurns& turns, HttpLimits limits, HttpHandler handler,
       BodyMost body_most)
      : loop_(loop),
        turns_(turns),
        limits_(limits),
        handler_(std::move(handler)),
        body_most_(std::move(body_most)),
        crowd_(limits_),
        listener_(loop, [this](Fd socket) { admit(std::move(socket)); }) {}

  void serve(Fd listener, WhoConnected who) {
    who_ = std::move(who);
    auto ports = std::make_shared<SessionPorts>();
    ports->limits = limits_;
    ports->handler = std::move(handler_);
    ports->reserve_body = [this](std::uint32_t account, std::int64_t bytes) {
      return reserve_body(account, bytes);
    };
    ports->body_most = [most = limits_.body_bytes, own = std::move(body_most_)](
                           std::string_view method, std::string_view target) {
      return own ? std::min(most, own(method, target)) : most;
    };
    ports->proved = [this](const HttpSession* session) {
      const auto found = sessions_.find(session);
      if (found != sessions_.end()) crowd_.proved(found->second.place);
    };
    ports->closed = [this](const HttpSession* session) { forget(session); };
    ports->give_turn = [this](std::uint32_t account, std::function<void()> work) {
      turns_.give(account, std::move(work));
    };
    ports->coders = std::make_shared<Background>(loop_, kCoders);
    ports_ = std::move(ports);
    listener_.listen(std::move(listener));
  }

  void replace_listener(Fd listener) { listener_.listen(std::move(listener)); }

  Result<std::vector<TcpAddress>> serve_network(const std::vector<TcpAddress>& addresses,
                                                std::shared_ptr<const TlsContext> tls) {
    // All of them, or none: what is there goes on until the new ones are.
    auto opened = open_new(addresses, listen_on_tcp);
    if (!opened) return failure(opened.error());
    tls_ = std::move(tls);
    for (const TcpAddress& address : addresses) {
      const auto held = held_unwanted(address, addresses);
      if (held == network_.end()) continue;
      auto node = network_.extract(held);
      node.key() = address.text();
      network_.insert(std::move(node));
    }
    for (auto one = network_.begin(); one != network_.end();) {
      const bool still = is_wanted(one->first, addresses);
      if (!still) one->second.listener->finish();
      one = still ? std::next(one) : network_.erase(one);
    }
    for (auto& [text, socket] : *opened) {
      NetworkListener& made = network_[text];
      made.bound = own_address(socket.get());
      made.listener =
          std::make_unique<Listener>(loop_, [this](Fd fd) { admit_network(std::move(fd)); });
      made.listener->listen(std::move(socket));
    }
    end_the_unserved();
    std::vector<TcpAddress> bound;
    for (const auto& [text, one] : network_) bound.push_back(one.bound);
    return bound;
  }

  Result<void> check_network(const std::vector<TcpAddress>& addresses) {
    const auto had = open_new(addresses, bind_tcp);
    if (!had) return failure(had.error());
    return {};
  }

  void stop() {
    listener_.stop();
    network_.clear();
    auto sessions = sessions_;  // Closing changes the map.
    for (auto& [key, client] : sessions) close_http_session(*client.session);
  }

  int clients() const { return crowd_.size(); }

 private:
  struct Client {
    std::shared_ptr<HttpSession> session;
    Crowd::Place place;
    std::optional<TcpAddress> came_by = {};  // Of this machine, where it came over the network.
  };
  struct NetworkListener {
    TcpAddress bound;
    std::unique_ptr<Listener> listener;
  };

  using Open = Result<Fd> (*)(const TcpAddress& address, bool shares_port);
  // Those at which we do not listen yet. Ours share their ports meanwhile: 0.0.0.0 can be had while
  // 127.0.0.1 with the same port is still served. Not longer, so that no other program gets in.
  Result<std::map<std::string, Fd>> open_new(const std::vector<TcpAddress>& addresses, Open open) {
    const auto share = [this](bool shares) {
      for (auto& [text, one] : network_) set_shares_port(one.listener->descriptor(), shares);
    };
    std::map<std::string, Fd> opened;
    Result<void> trouble;
    share(true);
    for (const TcpAddress& address : addresses) {
      if (!trouble || network_.contains(address.text()) ||
          held_unwanted(address, addresses) != network_.end()) {
        continue;
      }
      Result<Fd> made = open(address, shares_port(address, addresses));
      if (made) opened[address.text()] = std::move(*made);
      if (!made) trouble = failure(made.error());
    }
    share(false);
    for (auto& [text, socket] : opened) set_shares_port(socket.get(), false);
    if (!trouble) return failure(trouble.error());
    return opened;
  }
  // With others of ours that have it, or get it; never with one that has the whole address.
  bool shares_port(const TcpAddress& address, const std::vector<TcpAddress>& addresses) const {
    const auto overlaps = [&](const TcpAddress& other) {
      return address.port() != 0 && other.port() == address.port() &&
             other.text() != address.text();
    };
    const auto is_same = [&](const auto& one) { return one.second.bound.text() == address.text(); };
    return std::ranges::none_of(network_, is_same) &&
           (std::ranges::any_of(addresses, overlaps) ||
            std::ranges::any_of(network_,
                                [&](const auto& one) { return overlaps(one.second.bound); }));
  }
  static bool is_wanted(const std::string& text, const std::vector<TcpAddress>& addresses) {
    return std::ranges::any_of(addresses,
                               [&](const TcpAddress& address) { return address.text() == text; });
  }
  // Ours with this address that was asked for as port 0, and is not any more.
  std::map<std::string, NetworkListener>::iterator held_unwanted(
      const TcpAddress& address, const std::vector<TcpAddress>& addresses) {
    return std::ranges::find_if(network_, [&](const auto& one) {
      return one.first != address.text() && one.second.bound.text() == address.text() &&
             !is_wanted(one.first, addresses);
    });
  }

  void admit(Fd socket) {
    const std::optional<Peer> peer = who_(socket.get());
    if (peer) let_in(std::move(socket), *peer, nullptr, std::nullopt);
  }
  void admit_network(Fd socket) {
    std::optional<Peer> peer = network_peer_of(socket.get());
    if (!peer) return;
    peer->tls = tls_ != nullptr;
    const TcpAddress came_by = own_address(socket.get());
    let_in(std::move(socket), *peer, tls_, came_by);
  }

  // By its own address: 0.0.0.0 in place of 127.0.0.1 with the same port takes nothing away.
  bool is_served(const TcpAddress& local) const {
    return std::ranges::any_of(network_, [&](const auto& one) {
      const std::string bound = one.second.bound.text();
      const bool all = bound.starts_with("0.0.0.0:") || bound.starts_with("[::]:");
      return one.second.bound.port() == local.port() && (all || bound == local.text());
    });
  }
  // Later: the request that closes an address may have come by it, and is answered first.
  void end_the_unserved() {
    asio::post(loop_, [this, lives = std::weak_ptr<bool>(lives_)] {
      if (lives.expired()) return;
      auto sessions = sessions_;  // Ending changes the map.
      for (auto& [key, client] : sessions) {
        if (!client.came_by || is_served(*client.came_by)) continue;
        end_http_session(*client.session, {ErrorCode::kUnavailable,
                                           "the daemon no longer listens at the address by which "
                                           "this connection came"});
      }
    });
  }

  void let_in(Fd socket, const Peer& peer, std::shared_ptr<const TlsContext> tls,
              std::optional<TcpAddress> came_by) {
    const Result<Crowd::Place> place =
        crowd_.enter(peer, [this](std::uint64_t number) { let_go(number); });
    if (!place) {
      // In the clear it would not be understood, and a handshake is what there is no room for.
      if (!tls) turn_away(socket.get(), place.error());
      return;
    }
    auto session = start_http_session(
        loop_, {std::move(socket), peer, place->account, std::move(tls)}, ports_);
    sessions_[session.get()] = {session, *place, std::move(came_by)};
  }

  void let_go(std::uint64_t number) {
    const auto found = std::ranges::find_if(
        sessions_, [number](const auto& one) { return one.second.place.number == number; });
    if (found == sessions_.end()) return;
    const std::shared_ptr<HttpSession> session = found->second.session;
    close_http_session(*session);
  }

  static void turn_away(int socket, const Error& why) {
    const std::string bytes = refusal_bytes(why);
    // A fresh socket takes this at once; if not, the client is simply disconnected.
    (void)::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void forget(const HttpSession* session) {
    const auto it = sessions_.find(session);
    if (it == sessions_.end()) return;
    crowd_.leave(it->second.place);
    sessions_.erase(it);
  }

  // Nobody can keep all others from sending something large.
  bool reserve_body(std::uint32_t account, std::int64_t bytes) {
    const auto most = static_cast<std::int64_t>(limits_.bodies_bytes);
    std::int64_t& of_user = bodies_of_[account];
    const bool full = bodies_ + bytes > most || of_user + bytes > most / 2;
    if (bytes <= 0 || !full) {
      bodies_ += bytes;
      of_user += bytes;
    }
    if (of_user == 0) bodies_of_.erase(account);
    return bytes <= 0 || !full;
  }

  asio::io_context& loop_;
  LoopTurns& turns_;
  HttpLimits limits_;
  HttpHandler handler_;
  BodyMost body_most_;
  std::shared_ptr<const SessionPorts> ports_;
  WhoConnected who_;
  Crowd crowd_;
  Listener listener_;
  std::map<std::string, NetworkListener> network_;  // By the address that was asked for.
  std::shared_ptr<const TlsContext> tls_;           // Of new connections from there; or none.
  std::unordered_map<const HttpSession*, Client> sessions_;
  std::shared_ptr<bool> lives_ = std::make_shared<bool>();  // The loop may outlive this.
  std::int64_t bodies_ = 0;
  std::unordered_map<std::uint32_t, std::int64_t> bodies_of_;  // By account.
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
Result<std::vector<TcpAddress>> HttpServer::serve_network(const std::vector<TcpAddress>& addresses,
                                                          std::shared_ptr<const TlsContext> tls) {
  return impl_->serve_network(addresses, std::move(tls));
}
Result<void> HttpServer::check_network(const std::vector<TcpAddress>& addresses) {
  return impl_->check_network(addresses);
}
int HttpServer::clients() const { return impl_->clients(); }

}  // namespace gpusched
