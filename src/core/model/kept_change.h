// A change that came with a key: what was asked, and what the answer was. It is kept with the
// change itself, so that a repeat is never done again, whatever became of the daemon meanwhile.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "core/access/principal.h"
#include "core/model/event.h"

namespace gpusched {

// A role of its own: who has fewer rights does not read the answer of one with more.
struct KeptChangeKey {
  std::uint32_t account = kNoAccount;
  Role role = Role::kViewer;
  std::string key = {};
  friend auto operator<=>(const KeptChangeKey&, const KeptChangeKey&) = default;
};

struct KeptChange {
  KeptChangeKey key;
  std::string digest;  // Of the request.
  Wall at{};
  bool over = true;           // False: it is done in slices, of which some are missing.
  std::uint64_t changed = 0;  // Jobs.
  std::string token = {};     // The id of the one that was made; its secret is nowhere.
  // None: it was too long to be kept, or is not there yet.
  std::optional<Answer> answer = {};
};
inline const KeptChangeKey& key_of(const KeptChange& change) { return change.key; }

inline constexpr Seconds kChangesKeptFor{24 * 3600};
inline constexpr std::size_t kChangesKeptMost = 1000;      // Of a user.
inline constexpr std::size_t kChangesKeptBytes = 1 << 20;  // Of a user.

}  // namespace gpusched
