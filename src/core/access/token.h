// A token: who shows its secret acts as a user, with at most the token's role. The secret itself is
// kept nowhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "core/access/principal.h"

namespace gpusched {

struct Token {
  std::string id;    // Not secret.
  std::string hash;  // Of the whole token.
  // Whose it is: their jobs it runs. The name, too: another user may get the number some day.
  std::uint32_t uid = 0;
  std::string user = {};
  Role role = Role::kUser;  // At most; never more than the owner has at the time.
  std::string tenant = {};  // For which its jobs count; empty: the owner's.
  std::string name = {};    // For people.
  std::string by = {};      // Who made it.
  Wall made_at{};
  std::optional<Wall> expires_at = {};
  std::optional<Wall> used_at = {};  // About: not every use is written.

  bool expired(Wall now) const { return expires_at && *expires_at <= now; }
  friend bool operator==(const Token&, const Token&) = default;
};

inline constexpr std::size_t kTokensPerUser = 100;
inline constexpr std::size_t kTokensMost = 10'000;
// So long one that has expired is still listed.
inline constexpr Seconds kExpiredTokensKept{30 * 86'400};

}  // namespace gpusched
