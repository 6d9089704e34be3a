// What somebody may do: one table, which docs/guide/administer.md shows. Administrators may do all
// of it; what the others may depends on their role, on whose the thing is, and in two cases on a
// setting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/access/principal.h"

namespace gpusched {

// What users see of the jobs of others: their rows, how many there are, or nothing.
enum class Visibility : std::uint8_t { kAll, kCounts, kOwn };

enum class Action : std::uint8_t {
  kSee,
  kSeeJob,
  kAct,
  kSeeArguments,
  kSeeFiles,
  kReadLog,
  kSteerJob,
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
  kSilence,
  kTokens,
  kSeeAudit,
  kSeeOutbox,
  kSeeSettings,
  kOperate,
};

enum class Right : std::uint8_t { kNo, kIfOpened, kYes };

// Of those with a role.
struct RoleRights {
  Right own;     // On what is theirs,
  Right others;  // and on what is not.
};
struct RightsRow {
  Action action;
  std::string_view what;  // For people: one may …
  RoleRights viewer, user, op;
  std::string_view opening;  // The setting that opens it; empty: none does.
};
std::span<const RightsRow> rights_table();
const RightsRow& rights_row(Action action);
const RoleRights& rights_of(const RightsRow& row, Role role);
// In one word, for programs: "steer_job".
std::string_view action_name(Action action);
// Who may do it to what is not theirs: "an administrator", "an operator or an administrator".
std::string_view who_may(Action action);

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
