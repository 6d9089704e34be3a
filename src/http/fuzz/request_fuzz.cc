// Any bytes are requests to a real session, whole or in pieces, over a connected pair of sockets.
// Every request that comes through is answered, nothing of a head is in another's, and the session
// ends when the client does. The first byte says into how small pieces the rest is cut.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/session.h"

namespace gpusched {
namespace {

constexpr std::uint32_t kHeaderMost = 2048;
constexpr std::uint64_t kBodyMost = 1024;
constexpr std::size_t kInPieces = 400;  // What follows comes at once, which is faster.

bool is_plain(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos;
}

struct Server {
  boost::asio::io_context loop;
  std::shared_ptr<SessionPorts> ports = std::make_shared<SessionPorts>();
  bool closed = false;
  std::int64_t reserved = 0;

  Server() {
    ports->limits.header_bytes = kHeaderMost;
    ports->limits.body_bytes = kBodyMost;
    ports->limits.may_send_much = [](const auto& headers) { return headers.contains("x-known"); };
    ports->handler = [](const HttpRequest& request, const Responder& responder) {
      CHECK(!request.method.empty() && request.body.size() <= kBodyMost);
      for (const auto& [name, value] : request.headers) {
        CHECK(!name.empty() && is_plain(name) && is_plain(value));
        CHECK(std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }));
      }
      const bool streams = !request.segments.empty() && request.segments[0] == "s";
      if (!streams) return responder.send(json_response("{}"));
      // Bytes are not compressed, which would happen on another thread.
      HttpResponse response;
      response.content_type = "application/octet-stream";
      response.stream = [](std::string& out) {
        out += "piece";
        return Pull::kEnd;
      };
      responder.send(std::move(response));
    };
    ports->reserve_body = [this](std::uint32_t, std::int64_t bytes) {
      reserved += bytes;
      CHECK(reserved >= 0);
      return true;
    };
    ports->body_most = [](std::string_view, std::string_view) { return kBodyMost; };
    ports->closed = [this](const HttpSession*) { closed = true; };
    ports->proved = [](const HttpSession*) {};
    ports->give_turn = [](std::uint32_t, const std::function<void()>& work) { work(); };
    ports->coders = std::make_shared<Background>(loop);
  }
};

// Goes on until there is nothing to do; what was answered is taken, so that nobody waits for room.
void turn(Server& server, int client, std::string& answers) {
  std::array<char, 16384> piece{};
  bool any = true;
  while (any) {
    server.loop.restart();
    any = server.loop.poll() > 0;
    const ssize_t got = ::recv(client, piece.data(), piece.size(), MSG_DONTWAIT);
    if (got > 0) answers.append(piece.data(), static_cast<std::size_t>(got));
    any = any || got > 0;
  }
}

}  // namespace
}  // namespace gpusched

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  if (size == 0) return 0;
  const std::size_t piece = data[0] == 0 ? size : data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::array<int, 2> ends{};
  CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0);
  const Fd client(ends[0]);
  Server server;
  const bool network = (data[0] & 2U) != 0;
  std::weak_ptr<HttpSession> session = start_http_session(
      server.loop, {Fd(ends[1]), Peer{.uid = 1000, .network = network}, 1000, nullptr},
      server.ports);
  std::string answers;
  std::size_t sent = 0;
  while (!rest.empty() && !server.closed) {
    const std::string_view now = rest.substr(0, sent < kInPieces ? piece : rest.size());
    sent += now.size();
    if (::send(client.get(), now.data(), now.size(), MSG_NOSIGNAL) < 0) break;
    rest.remove_prefix(now.size());
    turn(server, client.get(), answers);
  }
  (void)::shutdown(client.get(), SHUT_WR);
  turn(server, client.get(), answers);
  CHECK(server.closed && server.reserved == 0);
  CHECK(answers.empty() || answers.starts_with("HTTP/1.1 "));
  server.loop.restart();
  server.loop.poll();
  CHECK(session.expired());
  return 0;
}
