#include "client/client.h"

#include <fmt/format.h>

#include <algorithm>

#include "client/port_owner.h"
#include "client/through_ssh.h"
#include "client/through_tls.h"
#include "json/error_json.h"
#include "json/json_value.h"

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

Result<Carrier> connect_to(const Server& server, Remark notice) {
  if (server.on_network() && server.tls) return connect_through_tls(server, notice);
  if (server.on_network()) {
    const bool by_name = server.host == "localhost";
    auto address = parse_tcp_address(by_name ? "127.0.0.1:" + server.port : server.name());
    if (!address) return failure(address.error());
    const bool checks = !server.token.empty() && !server.insecure;
    if (checks) {
      if (auto good = check_port_owner(*address, false); !good) return failure(good.error());
    }
    auto carrier = Carrier::connect(*address);
    if (carrier && checks) {
      if (auto good = check_port_owner(*address, true); !good) return failure(good.error());
    }
    return carrier;
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
  auto sent = carrier_.send(head, waits_.head);
  if (sent && !together) sent = carrier_.send(request.body, waits_.head);
  if (!sent) {
    silent_ = is_away(sent.error());
    return sent;
  }
  while (true) {
    auto complete = answer_.read_head();
    if (!complete) return failure(complete.error());
    if (*complete) return {};
    auto more = receive(waits_.head);
    if (!more) return failure(more.error());
    if (!*more) return daemon_lost("closed the connection before it had answered");
  }
}

Result<bool> Exchange::receive(std::chrono::milliseconds patience) {
  auto came = carrier_.receive(answer_.arrived(), patience);
  if (!came) return failure(came.error());
  silent_ = *came == Carrier::Came::kNothing;
  if (silent_) return daemon_silent(patience);
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
    auto more = receive(waits_.silence);
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

// Over a network a silence of a minute is no answer that takes its time.
Waits Client::waits_of(std::chrono::milliseconds patience) const {
  if (patience != kPatience || !on_network()) return {patience, patience};
  const Seconds away = server_->patience.count() > 0 ? server_->patience : kAwayMost;
  return {2 * away, 2 * away};
}

std::chrono::milliseconds Client::head_of_stream() const {
  constexpr Seconds kMost{10};
  if (!on_network()) return kPatience;
  return server_->patience.count() > 0 ? std::min(server_->patience, kMost) : kMost;
}

Result<Exchange> Client::open_once(const Request& request, Waits waits, Stage* stage) const {
  Stage unread = Stage::kConnecting;
  Stage& come = stage == nullptr ? unread : *stage;
  come = Stage::kConnecting;
  if (!server_) return failure(server_.error());
  auto carrier = connect_to(*server_, notice_);
  if (!carrier) return failure(carrier.error());
  Caller caller;
  if (server_->on_network()) caller = {.host = server_->name(), .token = server_->token};
  Exchange exchange(std::move(*carrier), waits, std::move(caller));
  if (auto asked = exchange.ask(request); !asked) {
    come = exchange.was_silent() ? Stage::kSilent : Stage::kLost;
    return failure(asked.error());
  }
  if (exchange.status() >= 400) {
    come = Stage::kAnswered;
    auto body = exchange.read_all();
    if (!body) return failure(body.error());
    Error said = read_error(*body, exchange.status());
    // Of a proxy that has lost it.
    if (exchange.status() == 502 || exchange.status() == 504) {
      come = Stage::kLost;
      said.code = ErrorCode::kUnavailable;
    }
    return failure(std::move(said));
  }
  return exchange;
}

// Which start of the daemon this is.
Result<std::string> Client::instance(bool patiently) const {
  const Request request{.target = "/v1/version"};
  auto body = patiently ? call(request) : call_once(request);
  if (!body) return body;
  const auto value = parse_json(*body);
  const JsonValue* started = value ? value->find("started_at") : nullptr;
  const auto* text = started == nullptr ? nullptr : started->as<std::string>();
  return text == nullptr ? std::string() : *text;
}

template <class Once>
auto Client::repeated(const Request& asked, const Once& once) const
    -> decltype(once(asked, std::declval<Stage&>())) {
  Stage stage = Stage::kConnecting;
  if (!far()) return once(asked, stage);
  Request request = asked;
  if (request.changes() && !request.has_key) {
    auto key = draw_key();
    if (!key) return failure(key.error());
    request.headers.emplace_back("Idempotency-Key", std::move(*key));
  }
  Patience tries = patience();
  std::string instance_before;
  if (request.makes) {
    auto before = instance(true);
    if (!before) return failure(before.error());
    instance_before = *before;
  }
  bool doubtful = false;  // It may have been done.
  while (true) {
    if (doubtful && request.makes) {
      const auto now = instance(false);
      if (!now && is_away(now.error()) && tries.wait_a_moment()) continue;
      if (!now) return failure(now.error());
      if (*now != instance_before) {
        return failure(ErrorCode::kUnavailable,
                       "the server was restarted while it was asked, and nobody knows whether it "
                       "was done; look before you ask again");
      }
    }
    auto answer = once(request, stage);
    reached_ = reached_ || answer || stage != Stage::kConnecting;
    if (answer) return answer;
    doubtful = doubtful || stage == Stage::kSilent || stage == Stage::kLost;
    const Again again = again_after(*server_, stage, answer.error(), reached_);
    if (again == Again::kNo) return answer;
    tries.at_most(again == Again::kYes ? server_->patience
                                       : std::min(server_->patience, kBrieflyMost));
    if (!tries.wait_a_moment()) return answer;
  }
}

Result<Exchange> Client::open(const Request& request, std::chrono::milliseconds patience) const {
  return repeated(request, [&](const Request& one, Stage& stage) {
    return open_once(one, waits_of(patience), &stage);
  });
}

Result<std::string> Client::call(const Request& request, std::chrono::milliseconds patience) const {
  return repeated(request, [&](const Request& one, Stage& stage) -> Result<std::string> {
    auto exchange = open_once(one, waits_of(patience), &stage);
    if (!exchange) return failure(exchange.error());
    auto body = exchange->read_all();
    if (!body) stage = exchange->was_silent() ? Stage::kSilent : Stage::kLost;
    return body;
  });
}

Result<std::string> Client::call_once(const Request& request,
                                      std::chrono::milliseconds patience) const {
  auto exchange = open_once(request, waits_of(patience));
  if (!exchange) return failure(exchange.error());
  return exchange->read_all();
}

Result<std::string> Client::call_patiently(const Request& request) const {
  Patience tries = patience();
  while (true) {
    auto body = far() ? call(request) : call_once(request);
    if (body || far() || !is_away(body.error()) || !tries.wait_a_moment()) return body;
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
