// Who asks. One value from the edge of the daemon, where it is proved (api/authenticate.h), to the
// core, which asks what it may do (rights.h). Nothing else says who somebody is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpusched {

// No account has this number.
inline constexpr std::uint32_t kNoAccount = UINT32_MAX;

// An account of this machine, to which jobs belong. `user` is its name at submit, or the uid in
// digits if it had none.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string user;
  friend bool operator==(const Identity&, const Identity&) = default;
};

// Each may do what those before it may, and more (rights.h).
enum class Role : std::uint8_t { kViewer, kUser, kOperator, kAdministrator };

enum class Proof : std::uint8_t {
  kNone,
  kInside,  // Nobody asks: the daemon, the library or a simulation acts for itself.
  kPeer,    // The kernel says so of the process that connected.
  kToken,   // They have shown a token (token.h). There may be no process of theirs here.
  kCookie,  // Their browser has logged in with a token: the same, and changes need an origin.
};

struct Principal {
  std::optional<std::uint32_t> uid = {};  // Absent: no account of this machine.
  std::uint32_t gid = 0;                  // Of that account.
  // Empty: not looked up. That may take long, and few questions need it.
  std::string user = {};
  std::string tenant = {};
  Role role = Role::kUser;
  Proof proof = Proof::kNone;
  std::string token = {};  // Its id, where that is the proof, or the login was made with it.
  std::string login = {};  // The login's id, where a cookie is the proof.

  // The kernel vouches for no process of theirs.
  bool is_by_token() const { return proof == Proof::kToken || proof == Proof::kCookie; }
  // Under this number is counted what their requests cost.
  std::uint32_t account() const { return uid.value_or(kNoAccount); }
  Identity identity() const { return {account(), gid, user}; }
};

inline Principal ourselves() {
  return {.uid = 0, .role = Role::kAdministrator, .proof = Proof::kInside};
}

}  // namespace gpusched
