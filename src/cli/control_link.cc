#include "cli/control_link.h"

#include <fmt/format.h>

#include "client/away.h"
#include "os/clock.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kLengthBytes = 4;
// For an answer of the daemon, where a user may want to leave meanwhile.
constexpr std::chrono::milliseconds kAnswerMost{10'000};
// The daemon says every 15 s that it is there.
constexpr Seconds kSilenceMost{50};

void append_packet(std::string& out, std::string_view packet) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>((packet.size() >> shift) & 0xff);
  }
  out += packet;
}

tl::unexpected<Error> connection_lost() {
  return failure(ErrorCode::kUnavailable, "the connection to the job was lost");
}

}  // namespace

Result<ControlLink> ControlLink::connect(const AttemptPlace& place) {
  ControlLink link;
  if (!place.afar()) {
    auto here = ControlClient::connect(place.directory);
    if (!here) return failure(here.error());
    link.here_.emplace(std::move(*here));
    return link;
  }
  const Request request{
      .target = fmt::format("/v1/jobs/{}/terminal?attempt={}", place.job, place.attempt),
      .headers = {{"Connection", "Upgrade"}, {"Upgrade", "gpusched-terminal"}},
      .more_follow = true};
  auto exchange = place.client.open_once(request, {kAnswerMost, kAnswerMost});
  if (!exchange) {
    Error error = exchange.error();
    if (error.code == ErrorCode::kConflict)
      error.code = ErrorCode::kNotFound;
    else if (error.code == ErrorCode::kNotFound)
      error.code = ErrorCode::kUnsupported;
    else if (error.code == ErrorCode::kBusy)
      error.code = ErrorCode::kUnavailable;
    return failure(std::move(error));
  }
  if (exchange->status() != 101) {
    return failure(ErrorCode::kUnsupported, "that daemon gives no terminal over the network");
  }
  auto with_head = exchange->read_buffered();
  if (!with_head) return failure(with_head.error());
  link.incoming_ = std::move(*with_head);
  link.afar_.emplace(std::move(*exchange));
  link.heard_ = read_clock().boot;
  return link;
}

Result<void> ControlLink::send(const ControlMessage& message) {
  if (here_) return here_->send(message);
  append_packet(outgoing_, encode(message));
  return send_more();
}

Result<void> ControlLink::send_more() {
  while (!outgoing_.empty()) {
    auto sent = afar_->send_some(outgoing_);
    if (!sent) return failure(sent.error());
    if (*sent == 0) return {};
    outgoing_.erase(0, *sent);
  }
  return {};
}

std::optional<std::size_t> ControlLink::whole_packet() const {
  if (incoming_.size() < kLengthBytes) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(incoming_[i]);
  }
  if (incoming_.size() < kLengthBytes + length) return std::nullopt;
  return length;
}

Result<void> ControlLink::receive_bytes(std::chrono::milliseconds most) {
  auto bytes = afar_->read_within(most);
  if (!bytes || (bytes->empty() && afar_->ended())) return connection_lost();
  if (!bytes->empty()) heard_ = read_clock().boot;
  incoming_ += *bytes;
  return {};
}

Result<std::optional<ControlMessage>> ControlLink::receive() {
  if (here_) {
    auto message = here_->receive();
    if (!message) return failure(message.error());
    return std::optional(std::move(*message));
  }
  if (!has_message()) {
    if (auto received = receive_bytes(std::chrono::milliseconds{0}); !received) {
      return failure(received.error());
    }
  }
  const auto length = whole_packet();
  if (!length) return std::nullopt;
  const std::string packet = incoming_.substr(kLengthBytes, *length);
  incoming_.erase(0, kLengthBytes + *length);
  if (packet.empty()) return std::nullopt;
  auto message = decode_control(packet);
  if (!message) return failure(message.error());
  return std::optional(std::move(*message));
}

Result<void> ControlLink::ask(const ControlMessage& request) {
  if (here_) return here_->ask(request);
  if (auto sent = send(request); !sent) return sent;
  const Boot until = read_clock().boot + kAnswerMost;
  while (read_clock().boot < until) {
    if (auto more = send_more(); !more) return more;
    if (auto received = receive_bytes(std::chrono::milliseconds{100}); !received) return received;
    while (has_message()) {
      auto answer = receive();
      if (!answer) return failure(answer.error());
      if (!*answer) continue;
      const auto* refused = std::get_if<Refused>(&**answer);
      return refused == nullptr ? Result<void>() : failure(ErrorCode::kForbidden, refused->message);
    }
  }
  return connection_lost();
}

bool ControlLink::too_silent() const { return afar_ && read_clock().boot - heard_ > kSilenceMost; }

}  // namespace gpusched::cli
