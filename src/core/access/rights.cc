#include "core/access/rights.h"

#include <array>

namespace gpusched {
namespace {

constexpr Right kNo = Right::kNo;
constexpr Right kIfOpened = Right::kIfOpened;
constexpr Right kYes = Right::kYes;

// By action.
constexpr std::array kRights = {
    RightsRow{Action::kUse, "submit jobs, ask for leases; see every job's row, cards, reports",
              kYes, kYes, ""},
    RightsRow{Action::kSeeArguments,
              "see a job's or process's arguments, values of a sweep, directories, messages", kYes,
              kIfOpened, "isolation.visibility: arguments"},
    RightsRow{Action::kSeeFiles, "see a job's environment and where its files are", kYes, kNo, ""},
    RightsRow{Action::kReadLog, "read a job's log", kYes, kNo, ""},
    RightsRow{Action::kChangeJob,
              "change, cancel, pause or requeue a job; release or renew a lease", kYes, kNo, ""},
    RightsRow{Action::kHoldLease, "hold a lease by a connection or by a process", kYes, kNo, ""},
    RightsRow{Action::kAdopt, "adopt a process", kYes, kNo, ""},
    RightsRow{Action::kReserve, "reserve cards", kIfOpened, kNo, "scheduling.users_may_reserve"},
    RightsRow{Action::kUnreserve, "take a reservation back", kYes, kNo, ""},
    RightsRow{Action::kExceedLimits,
              "exceed the tenant's highest priority and longest time, or a user's connections and "
              "memory",
              kNo, kNo, ""},
    RightsRow{Action::kChangeGroup, "change a group", kYes, kNo, ""},
    RightsRow{Action::kRemoveGroup, "remove a group", kYes, kNo, ""},
    RightsRow{Action::kChangeTenant, "change a tenant", kNo, kNo, ""},
    RightsRow{Action::kDrain, "drain a card", kNo, kNo, ""},
    RightsRow{Action::kUndrain, "undrain a card", kNo, kNo, ""},
    RightsRow{Action::kOperate, "read the configuration, a backup or a snapshot; set the log level",
              kNo, kNo, ""},
};

constexpr bool is_by_action() {
  for (std::size_t i = 0; i < kRights.size(); ++i) {
    if (static_cast<std::size_t>(kRights[i].action) != i) return false;
  }
  return kRights.back().action == Action::kOperate;
}
static_assert(is_by_action());

}  // namespace

std::span<const RightsRow> rights_table() { return kRights; }

const RightsRow& rights_row(Action action) { return kRights[static_cast<std::size_t>(action)]; }

bool owns(const Principal& principal, const Subject& subject) {
  if (principal.uid && subject.uid) return *principal.uid == *subject.uid;
  return !subject.user.empty() && principal.user == subject.user;
}

bool may(const Principal& principal, Action action, const Subject& subject, bool opened) {
  if (principal.role == Role::kAdministrator) return true;
  const RightsRow& row = rights_row(action);
  const Right right = owns(principal, subject) ? row.own : row.others;
  return right == Right::kYes || (right == Right::kIfOpened && opened);
}

}  // namespace gpusched
