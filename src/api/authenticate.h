// Who is it that asks? The only place that turns a proof into a principal. The proof is a token,
// the cookie of a login with one, or what the kernel says of a Unix socket's peer; the role is what
// the configuration says of that account, and a token's at most.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/account_cache.h"
#include "api/failed_attempts.h"
#include "api/logins.h"
#include "base/result.h"
#include "core/access/roles.h"
#include "core/access/token.h"
#include "http/types.h"

namespace gpusched {

// Root and the daemon's own user are, whatever the configuration says.
bool always_administrator(std::uint32_t uid, std::uint32_t daemon_uid);

class Authenticator {
 public:
  using Known = std::function<void(const Result<Principal>& who)>;
  struct Ports {
    std::function<Now()> now;
    std::uint32_t daemon_uid = 0;
    AccountCache::Lookup account_of;
    std::function<const Token*(const std::string& id)> token;  // Null: there is none.
    // Makes durable when a token was used last.
    std::function<void(const std::string& id, Wall at)> write_use;
    Logins* logins = nullptr;  // Null: there are none.
  };

  Authenticator(boost::asio::io_context& loop, Ports ports);

  // `tenants`: Unix groups that are tenants; they are asked for, too.
  void set_roles(const RoleBook& roles, const std::vector<std::string>& tenants = {});
  // In which of the groups that are asked for this account is; at once or later on the loop.
  void find_groups(std::uint32_t uid,
                   const std::function<void(const Result<std::vector<std::string>>&)>& found);
  // Calls `known` at once where nothing has to be looked up, else later on the loop. An error:
  // nobody who is answered here.
  void ask(const HttpRequest& request, const Known& known);
  // The headers show a token or a login that is good now. Nothing is counted, nobody is looked up.
  bool is_known(const std::map<std::string, std::string>& headers) const;
  // The request has a cookie that would be asked for: there is no header Authorization.
  static bool is_by_cookie(const HttpRequest& request);
  // Whether somebody who was let in by a token still is, and as what; at once or later. An error
  // that is not kUnauthenticated or kForbidden: it cannot be said now.
  void ask_again(const Principal& who, const Known& known);
  // How long this place must wait because it has shown too many wrong tokens.
  std::optional<Seconds> must_wait(const HttpRequest& request) const;
  // As it is known in memory; most uses are not written.
  std::optional<Wall> last_use(const std::string& id) const;
  // The number of a user; always later on the loop. `asker` waits for it alone.
  void find_user(const std::string& name, std::uint32_t asker,
                 const std::function<void(std::optional<std::uint32_t>)>& found) {
    accounts_.find(name, asker, found);
  }
  // A sentence for each user and group of the book that this machine does not know.
  void find_unknown(const RoleBook& book, std::uint32_t asker,
                    const std::function<void(std::vector<std::string>)>& found);
  // What somebody is by the configuration; at once or later on the loop.
  void ask_role(std::uint32_t uid, const std::function<void(const Result<Role>&)>& told);

 private:
  struct Use {
    Wall last{};
    std::optional<Wall> written = {};
  };
  void ask_peer(const Peer& peer, const Known& known);
  void ask_token(const Peer& peer, std::string_view header, const Known& known);
  void ask_cookie(std::string_view secret, const Known& known);
  void ask_owner(const Token& token, const std::string& login, const Known& known);
  // Null: it has ended, or its token has.
  const Token* token_of(const Login* login) const;
  Result<Principal> owner_of(const Token& token, const std::string& login, const Account& account);
  // Null: it is not one of ours. It may have expired.
  const Token* token_in(std::string_view header) const;
  Result<Token> shown_by(const std::string& place, std::string_view header);
  void note_use(const Token& token);

  Ports ports_;
  RoleBook roles_;
  FailedAttempts failures_;
  std::map<std::string, Use> uses_;  // By token.
  AccountCache accounts_;
};

}  // namespace gpusched
