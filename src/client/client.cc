#include "client/client.h"

#include <fmt/format.h>

#include "client/through_ssh.h"
#include "client/through_tls.h"
#include "json/error_json.h"

namespace gpusched {
namespace {

std::string head_of(const Request& request, const Caller& caller) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nGpusched-Api: 1\r\n",
                                 request.method, request.target, caller.host);
  if (!caller.token.empty()) head += "Authorization: Bearer " + caller.token + "\r\n";
  if (!request.more_follow) head += "Connection: close\r\n";
  for (const auto& [name, value] : request.headers) head += name + ": " + value + "\r\n";
  if (!request.body.empty() || request.method != "GET") {
    head += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", request.content_type,
                        request.body.size());
  }
  return head + "\r\n";
}

Result<Carrier> connect_to(const Server& server, Notice notice) {
  if (server.on_network() && server.tls) return connect_through_tls(server, notice);
  if (server.on_network()) {
    const bool by_name = server.host == "localhost";
    auto address = parse_tcp_address(by_name ? "127.0.0.1:" + server.port : server.name());
    if (!address) return failure(address.error());
    return Carrier::connect(*address);
  }
  if (!server.elsewhere()) return Carrier::connect(server.sockets);
  auto relayed = connect_through_ssh(server);
  if (!relayed) return failure(relayed.error());
  return std::move(relayed->carrier);
}

}  // namespace

Result<void> Exchange::ask(const Request& request) {
  answer_ = {};
  std::string head = head_of(request, caller_);
  // A small body in the same packet: one wake-up of the daemon instead of two.
  const bool together = request.body.size() <= 256 * 1024;
  if (together) head += request.body;
  if (auto sent = carrier_.send(head, patience_); !sent) return sent;
  if (!together) {
    if (auto sent = carrier_.send(request.body, patience_); !sent) return sent;
  }
  while (true) {
    auto complete = answer_.read_head();
    if (!complete) return failure(complete.error());
    if (*complete) return {};
    auto more = receive();
    if (!more) return failure(more.error());
    if (!*more) return daemon_lost("closed the connection before it had answered");
  }
}

Result<bool> Exchange::receive() {
  auto came = carrier_.receive(answer_.arrived(), patience_);
  if (!came) return failure(came.error());
  if (*came == Carrier::Came::kNothing) return daemon_silent(patience_);
  return *came == Carrier::Came::kBytes;
}

Result<std::string> Exchange::read_within(std::chrono::milliseconds most) {
  auto came = carrier_.receive(answer_.arrived(), most);
  if (!came) return failure(came.error());
  if (*came == Carrier::Came::kEnd) {
    if (auto closed = answer_.close(); !closed) return failure(closed.error());
  }
  return answer_.take_body();
}

Result<std::string> Exchange::read_some() {
  auto part = answer_.take_body();
  while (part && part->empty() && !ended()) {
    auto more = receive();
    if (!more) return failure(more.error());
    if (!*more) {
      if (auto closed = answer_.close(); !closed) return failure(closed.error());
    }
    part = answer_.take_body();
  }
  return part;
}

Result<std::string> Exchange::read_all(std::uint64_t most) {
  std::string body;
  while (true) {
    auto part = read_some();
    if (!part) return part;
    if (part->empty()) return body;
    body += *part;
    if (body.size() > most) return daemon_lost("gave an answer that is too long");
  }
}

Result<Exchange> Client::open(const Request& request, std::chrono::milliseconds patience) const {
  if (!server_) return failure(server_.error());
  auto carrier = connect_to(*server_, notice_);
  if (!carrier) return failure(carrier.error());
  Caller caller;
  if (server_->on_network()) caller = {.host = server_->name(), .token = server_->token};
  Exchange exchange(std::move(*carrier), patience, std::move(caller));
  if (auto asked = exchange.ask(request); !asked) return failure(asked.error());
  if (exchange.status() >= 400) {
    auto body = exchange.read_all();
    if (!body) return failure(body.error());
    return failure(read_error(*body, exchange.status()));
  }
  return exchange;
}

Result<std::string> Client::call(const Request& request, std::chrono::milliseconds patience) const {
  auto exchange = open(request, patience);
  if (!exchange) return failure(exchange.error());
  return exchange->read_all();
}

Result<std::string> Client::call_patiently(const Request& request) const {
  Patience tries = patience();
  while (true) {
    auto body = call(request);
    if (body || !is_away(body.error()) || !tries.wait_a_moment()) return body;
  }
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~,@").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace gpusched
