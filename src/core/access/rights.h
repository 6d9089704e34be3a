// What somebody may do: one table, which docs/guide/administer.md shows. Administrators may do all
// of it; what users may depends on whose the thing is, and in two cases on a setting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/access/principal.h"

namespace gpusched {

enum class Action : std::uint8_t {
  kUse,
  kSeeArguments,
  kSeeFiles,
  kReadLog,
  kChangeJob,
  kHoldLease,
  kAdopt,
  kReserve,
  kUnreserve,
  kExceedLimits,
  kChangeGroup,
  kRemoveGroup,
  kChangeTenant,
  kDrain,
  kUndrain,
  kOperate,
};

enum class Right : std::uint8_t { kNo, kIfOpened, kYes };

struct RightsRow {
  Action action;
  std::string_view what;     // For people: one may …
  Right own;                 // Of users, on what is theirs,
  Right others;              // and on what is not.
  std::string_view opening;  // The setting that opens it; empty: none does.
};
std::span<const RightsRow> rights_table();
const RightsRow& rights_row(Action action);

// Whose it is that something is done to. Neither: nobody's, such as a card or the daemon.
struct Subject {
  std::optional<std::uint32_t> uid = {};
  std::string_view user = {};
};
inline Subject owned_by(const Identity& owner) { return {owner.uid, owner.user}; }

// Numbers of accounts are compared where both are known, else names.
bool owns(const Principal& principal, const Subject& subject);
// `opened`: what the row's setting says.
bool may(const Principal& principal, Action action, const Subject& subject = {},
         bool opened = false);

}  // namespace gpusched
