#include "api/authenticate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/token_secret.h"
#include "http/tcp_listener.h"

namespace gpusched {
namespace {

// A use is written if the last one that was is older than this.
constexpr Seconds kUseWritten{3600};

// One sentence for wrong, unknown and revoked ones: who guesses learns nothing.
tl::unexpected<Error> unknown_token() {
  return failure(ErrorCode::kUnauthenticated,
                 "this token is not known here; it may have been revoked");
}

const std::string* authorization_in(const HttpRequest& request) {
  const auto found = request.headers.find("authorization");
  return found == request.headers.end() ? nullptr : &found->second;
}

// Where somebody comes from, to count wrong tokens by.
std::string place_of(const Peer& peer) {
  return peer.network ? counted_address(peer) : fmt::format("user {}", peer.uid);
}

}  // namespace

bool always_administrator(std::uint32_t uid, std::uint32_t daemon_uid) {
  return uid == 0 || uid == daemon_uid;
}

Authenticator::Authenticator(boost::asio::io_context& loop, Ports ports)
    : ports_(std::move(ports)), accounts_(loop, ports_.now, ports_.account_of) {}

void Authenticator::set_roles(const RoleBook& roles) {
  roles_ = roles;
  std::vector<std::string> groups;
  for (const auto& [name, role] : roles_.groups) groups.push_back(name);
  accounts_.ask_for_groups(std::move(groups));
}

void Authenticator::ask(const HttpRequest& request, const Known& known) {
  if (const std::string* header = authorization_in(request)) {
    return ask_token(request.peer, *header, known);
  }
  if (request.peer.network) {
    return known(
        failure(ErrorCode::kUnauthenticated,
                "over the network a token is needed: 'gpusched token create' on that machine "
                "makes one; GPUSCHED_TOKEN or Authorization: Bearer shows it"));
  }
  ask_peer(request.peer, known);
}

void Authenticator::ask_role(std::uint32_t uid,
                             const std::function<void(const Result<Role>&)>& told) {
  if (always_administrator(uid, ports_.daemon_uid)) return told(Role::kAdministrator);
  // Where nobody has another role, nobody has to be looked up.
  if (roles_.empty()) return told(Role::kUser);
  accounts_.resolve(uid, [this, told](const Result<Account>& account) {
    if (!account) return told(failure(account.error()));
    told(role_in(roles_, account->name, account->groups));
  });
}

void Authenticator::ask_peer(const Peer& peer, const Known& known) {
  if (ports_.daemon_uid != 0 && !always_administrator(peer.uid, ports_.daemon_uid)) {
    return known(
        failure(ErrorCode::kForbidden,
                fmt::format("this daemon belongs to user {} and answers only that user and root",
                            ports_.daemon_uid)));
  }
  Principal who{.uid = peer.uid, .gid = peer.gid, .proof = Proof::kPeer};
  ask_role(peer.uid, [who, known](const Result<Role>& role) {
    if (!role) return known(failure(role.error()));
    Principal whole = who;
    whole.role = *role;
    known(whole);
  });
}

std::optional<Seconds> Authenticator::must_wait(const HttpRequest& request) const {
  if (authorization_in(request) == nullptr) return std::nullopt;
  return failures_.wait_for(place_of(request.peer), ports_.now());
}

const Token* Authenticator::token_in(std::string_view header) const {
  const auto text = bearer_of(header);
  if (!text) return nullptr;
  const auto id = id_of_token(*text);
  const Token* token = id ? ports_.token(*id) : nullptr;
  // Also where there is nothing to compare with: that takes as long.
  const std::string hash = hash_of_token(*text);
  const bool same = same_hash(hash, token != nullptr ? token->hash : std::string(64, '-'));
  return same ? token : nullptr;
}

bool Authenticator::is_known(std::string_view header) const {
  const Token* token = token_in(header);
  return token != nullptr && !token->expired(ports_.now().wall);
}

// A good token counts also where others have guessed: nobody locks anybody out.
Result<Token> Authenticator::shown_by(const std::string& place, std::string_view header) {
  const Now now = ports_.now();
  if (const Token* token = token_in(header)) {
    if (!token->expired(now.wall)) return *token;
    return failure(ErrorCode::kUnauthenticated,
                   "this token has expired; gpusched token create makes a new one");
  }
  if (const auto wait = failures_.wait_for(place, now)) {
    return failure(ErrorCode::kBusy, fmt::format("too many wrong tokens came from here; try again "
                                                 "in {} s",
                                                 wait->count()));
  }
  if (!bearer_of(header)) {
    return failure(ErrorCode::kUnauthenticated,
                   "the header must be Authorization: Bearer, and then a token");
  }
  failures_.failed(place, now);
  return unknown_token();
}

void Authenticator::ask_token(const Peer& peer, std::string_view header, const Known& known) {
  Result<Token> shown = shown_by(place_of(peer), header);
  if (!shown) return known(failure(shown.error()));
  const std::uint32_t daemon = ports_.daemon_uid;
  if (daemon != 0 && shown->uid != daemon) {
    return known(failure(ErrorCode::kForbidden,
                         fmt::format("this daemon belongs to user {} and takes only that user's "
                                     "tokens",
                                     daemon)));
  }
  accounts_.resolve(shown->uid, [this, token = *shown, known](const Result<Account>& account) {
    if (!account) return known(failure(account.error()));
    known(owner_of(token, *account));
  });
}

Result<Principal> Authenticator::owner_of(const Token& token, const Account& account) {
  // It may have been revoked while the account was looked up.
  const Token* now = ports_.token(token.id);
  if (now == nullptr || now->hash != token.hash) return unknown_token();
  const bool always = always_administrator(token.uid, ports_.daemon_uid);
  // The account is gone, or its number is somebody else's now. A daemon's own user may be without.
  if (account.name != token.user && !(always && account.name.empty())) return unknown_token();
  const Role own = always ? Role::kAdministrator : role_in(roles_, account.name, account.groups);
  note_use(*now);
  return Principal{.uid = token.uid,
                   .gid = account.gid,
                   .tenant = token.tenant,
                   .role = std::min(own, token.role),
                   .proof = Proof::kToken,
                   .token = token.id};
}

void Authenticator::note_use(const Token& token) {
  const Wall now = ports_.now().wall;
  if (uses_.size() >= kTokensMost && !uses_.contains(token.id)) uses_.clear();
  Use& use = uses_[token.id];
  use.last = now;
  const std::optional<Wall> written = std::max(use.written, token.used_at);
  if (written && now - *written < kUseWritten) return;
  use.written = now;
  ports_.write_use(token.id, now);
}

std::optional<Wall> Authenticator::last_use(const std::string& id) const {
  const auto found = uses_.find(id);
  return found == uses_.end() ? std::nullopt : std::optional(found->second.last);
}

}  // namespace gpusched
