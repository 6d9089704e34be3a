#include "api/audit_desk.h"

#include <fmt/format.h>

#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "api/refusal_tally.h"
#include "core/access/roles.h"
#include "engine/engine.h"
#include "http/tcp_listener.h"

namespace gpusched {
namespace {

constexpr std::size_t kTargetMost = 200;
constexpr std::size_t kKeyShown = 40;
// Of one asker in a minute. A wrong token says nothing that the next one does not.
constexpr std::size_t kRefusalsWritten = 20;
constexpr std::size_t kWrongTokensWritten = 1;

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

bool is_our_fault(ErrorCode code) {
  return code == ErrorCode::kIo || code == ErrorCode::kInternal || code == ErrorCode::kStorageFull;
}

std::string asker_of(const AuditEntry& entry) {
  if (!entry.token.empty()) return "token " + entry.token;
  return entry.uid ? fmt::format("user {}", *entry.uid) : entry.from;
}

}  // namespace

AuditEntry entry_of(const Peer& peer, const Principal& actor) {
  AuditEntry entry;
  entry.uid = actor.uid;
  entry.user = actor.user;
  entry.role = role_name(actor.role);
  entry.proof = actor.proof == Proof::kToken    ? "token"
                : actor.proof == Proof::kCookie ? "cookie"
                                                : "socket";
  entry.token = actor.token;
  if (peer.network) {
    entry.from = peer.address;
  } else {
    entry.pid = peer.pid;
  }
  return entry;
}

std::string audit_target(const std::vector<std::string>& captured, const HttpRequest& request) {
  std::string text;
  for (const std::string& one : captured) text += (text.empty() ? "" : "/") + one;
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    if (name == "dry_run" || name == "wait_ms") continue;
    text += std::exchange(separator, '&') + name + "=" + value;
  }
  return shortened(std::move(text), kTargetMost);
}

std::string audit_key(const std::string& key) { return shortened(key, kKeyShown); }

struct AuditDesk::Desk : std::enable_shared_from_this<AuditDesk::Desk> {
  Desk(boost::asio::io_context& loop, Engine& an_engine, std::function<Now()> a_clock)
      : engine(an_engine), now(std::move(a_clock)), timer(loop) {}

  void told(const Asked& asked, const HttpResponse& response) {
    AuditEntry entry = asked.entry;
    entry.at = now().wall;
    if (response.error) {
      entry.kind = AuditKind::kRefusal;
      entry.result = is_our_fault(*response.error) ? "failed" : "refused";
      entry.code = error_code_name(*response.error);
      const std::string asker = asker_of(entry);
      return refused(asker, std::move(entry), kRefusalsWritten);
    }
    if (!asked.begun || asked.recorded) return;
    entry.result = "done";
    engine.note(std::move(entry));
  }

  void refused(const std::string& asker, AuditEntry entry, std::size_t most) {
    const bool first = tally.empty();
    if (tally.is_written(asker, entry, most, now())) engine.note(std::move(entry));
    if (first) look_again();
  }

  // Once a minute, as long as somebody is refused.
  void look_again() {
    timer.expires_after(RefusalTally::kWithin);
    timer.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
      const auto self = weak.lock();
      if (cancelled || !self) return;
      for (AuditEntry& entry : self->tally.take_over(self->now())) {
        self->engine.note(std::move(entry));
      }
      if (!self->tally.empty()) self->look_again();
    });
  }

  Engine& engine;
  std::function<Now()> now;
  RefusalTally tally;
  boost::asio::steady_timer timer;
};

AuditDesk::AuditDesk(boost::asio::io_context& loop, Engine& engine, std::function<Now()> now)
    : desk_(std::make_shared<Desk>(loop, engine, std::move(now))) {}
AuditDesk::~AuditDesk() = default;

Responder AuditDesk::watch(const Responder& responder, std::shared_ptr<Asked> asked) {
  return responder.watched(
      [weak = std::weak_ptr(desk_), asked = std::move(asked)](const HttpResponse& response) {
        if (const auto desk = weak.lock()) desk->told(*asked, response);
      });
}

void AuditDesk::not_let_in(const Peer& peer, const Error& error) {
  AuditEntry entry;
  entry.kind = AuditKind::kRefusal;
  entry.at = desk_->now().wall;
  entry.operation = "authenticate";
  entry.result = is_our_fault(error.code) ? "failed" : "refused";
  entry.code = error_code_name(error.code);
  std::string place;
  if (peer.network) {
    entry.from = peer.address;
    place = counted_address(peer);
  } else {
    entry.uid = peer.uid;
    entry.pid = peer.pid;
    entry.proof = "socket";
    place = fmt::format("user {}", peer.uid);
  }
  desk_->refused("wrong " + place, std::move(entry), kWrongTokensWritten);
}

}  // namespace gpusched
