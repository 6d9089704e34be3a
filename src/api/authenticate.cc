#include "api/authenticate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/cookie.h"
#include "api/token_secret.h"
#include "core/model/tenant.h"
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

using Headers = std::map<std::string, std::string>;

const std::string* authorization_in(const Headers& headers) {
  const auto found = headers.find("authorization");
  return found == headers.end() ? nullptr : &found->second;
}

// Ours, of the two names that it may have. Over TLS that is the one which no other server can set.
std::optional<std::string_view> login_in(const Headers& headers, bool tls) {
  const auto found = headers.find("cookie");
  if (found == headers.end()) return std::nullopt;
  const auto secure = cookie_in(found->second, kSecureCookie);
  return secure || tls ? secure : cookie_in(found->second, kPlainCookie);
}

tl::unexpected<Error> ended_login() {
  return failure(ErrorCode::kUnauthenticated, "this login has ended; log in again with a token");
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

void Authenticator::set_roles(const RoleBook& roles, const std::vector<std::string>& tenants) {
  roles_ = roles;
  std::set<std::string> groups(tenants.begin(), tenants.end());
  for (const auto& [name, role] : roles_.groups) groups.insert(name);
  accounts_.ask_for_groups({groups.begin(), groups.end()});
}

void Authenticator::find_groups(
    std::uint32_t uid, const std::function<void(const Result<std::vector<std::string>>&)>& found) {
  accounts_.resolve(uid, [found](const Result<Account>& account) {
    if (!account) return found(failure(account.error()));
    found(account->groups);
  });
}

void Authenticator::ask(const HttpRequest& request, const Known& known) {
  if (const std::string* header = authorization_in(request.headers)) {
    return ask_token(request.peer, *header, known);
  }
  if (const auto secret = login_in(request.headers, request.peer.tls))
    return ask_cookie(*secret, known);
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

void Authenticator::find_unknown(const RoleBook& book, std::uint32_t asker,
                                 const std::function<void(std::vector<std::string>)>& found) {
  AccountCache::Names names;
  for (const auto& [name, role] : book.users) names.users.push_back(name);
  for (const auto& [name, role] : book.groups) names.groups.push_back(name);
  accounts_.find_unknown(std::move(names), asker, [found](const AccountCache::Names& unknown) {
    std::vector<std::string> said;
    for (const std::string& name : unknown.users) {
      said.push_back("roles: there is no user '" + name + "' on this machine");
    }
    for (const std::string& name : unknown.groups) {
      said.push_back("roles: there is no group '" + name + "' on this machine");
    }
    found(std::move(said));
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
  if (authorization_in(request.headers) == nullptr) return std::nullopt;
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

bool Authenticator::is_known(const Headers& headers) const {
  if (const std::string* header = authorization_in(headers)) {
    const Token* token = token_in(*header);
    return token != nullptr && !token->expired(ports_.now().wall);
  }
  const auto secret = login_in(headers, false);
  if (!secret || ports_.logins == nullptr) return false;
  return token_of(ports_.logins->find(Logins::id_of(*secret), ports_.now().wall)) != nullptr;
}

bool Authenticator::is_by_cookie(const HttpRequest& request) {
  return authorization_in(request.headers) == nullptr &&
         login_in(request.headers, request.peer.tls).has_value();
}

// A token of the same id that was made later is another one.
const Token* Authenticator::token_of(const Login* login) const {
  const Token* token = login == nullptr ? nullptr : ports_.token(login->token);
  const bool good = token != nullptr && token->uid == login->uid &&
                    token->made_at <= login->began + Seconds{1} &&
                    !token->expired(ports_.now().wall);
  return good ? token : nullptr;
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
  ask_owner(*shown, {}, known);
}

// Wrong ones are not counted: nobody guesses one, and a page whose login has ended asks on.
void Authenticator::ask_cookie(std::string_view secret, const Known& known) {
  const std::string id = Logins::id_of(secret);
  const Wall now = ports_.now().wall;
  const Login* login = ports_.logins == nullptr ? nullptr : ports_.logins->find(id, now);
  const Token* token = token_of(login);
  if (token == nullptr) return known(ended_login());
  ports_.logins->note_use(id, now);
  ask_owner(Token(*token), id, known);
}

void Authenticator::ask_again(const Principal& who, const Known& known) {
  if (who.proof == Proof::kPeer) return ask_peer({.uid = who.account(), .gid = who.gid}, known);
  const Token* token = ports_.token(who.token);
  const Wall now = ports_.now().wall;
  if (token == nullptr || token->uid != who.account()) {
    return known(failure(ErrorCode::kUnauthenticated, "the token was revoked"));
  }
  if (token->expired(now)) {
    return known(failure(ErrorCode::kUnauthenticated, "the token has expired"));
  }
  if (!who.login.empty() && token_of(ports_.logins->find(who.login, now)) == nullptr) {
    return known(ended_login());
  }
  ask_owner(Token(*token), who.login, known);
}

void Authenticator::ask_owner(const Token& token, const std::string& login, const Known& known) {
  const std::uint32_t daemon = ports_.daemon_uid;
  if (daemon != 0 && token.uid != daemon) {
    return known(failure(ErrorCode::kForbidden,
                         fmt::format("this daemon belongs to user {} and takes only that user's "
                                     "tokens",
                                     daemon)));
  }
  accounts_.resolve(token.uid, [this, token, login, known](const Result<Account>& account) {
    if (!account) return known(failure(account.error()));
    known(owner_of(token, login, *account));
  });
}

Result<Principal> Authenticator::owner_of(const Token& token, const std::string& login,
                                          const Account& account) {
  // It may have been revoked while the account was looked up.
  const Token* now = ports_.token(token.id);
  if (now == nullptr || now->hash != token.hash) return unknown_token();
  if (!login.empty() && ports_.logins->find(login, ports_.now().wall) == nullptr) {
    return ended_login();
  }
  const bool always = always_administrator(token.uid, ports_.daemon_uid);
  // The account is gone, or its number is somebody else's now. A daemon's own user may be without.
  if (account.name != token.user && !(always && account.name.empty())) return unknown_token();
  const Role own = always ? Role::kAdministrator : role_in(roles_, account.name, account.groups);
  note_use(*now);
  // A choice among one's own groups holds while one is in it.
  const std::string group = token.tenant.starts_with(kGroupMark) && token.by == token.user
                                ? token.tenant.substr(kGroupMark.size())
                                : std::string();
  const bool left =
      !group.empty() && std::ranges::find(account.groups, group) == account.groups.end();
  return Principal{.uid = token.uid,
                   .gid = account.gid,
                   .tenant = left ? std::string() : token.tenant,
                   .role = std::min(own, token.role),
                   .proof = login.empty() ? Proof::kToken : Proof::kCookie,
                   .token = token.id,
                   .login = login};
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
