#include "core/access/rights.h"

#include <array>

namespace gpusched {
namespace {

constexpr Right kNo = Right::kNo;
constexpr Right kIfOpened = Right::kIfOpened;
constexpr Right kYes = Right::kYes;

constexpr RoleRights kNothing{kNo, kNo};
constexpr RoleRights kOwnOnly{kYes, kNo};
constexpr RoleRights kAll{kYes, kYes};
constexpr RoleRights kOthersIfOpened{kYes, kIfOpened};
constexpr RoleRights kOwnIfOpened{kIfOpened, kNo};

// By action.
constexpr std::array kRights = {
    RightsRow{Action::kSee, "see cards, what is used of them, and one's own", kAll, kAll, kAll, ""},
    RightsRow{Action::kSeeJob, "see a job's row, a tenant's share, who has reserved cards",
              kOthersIfOpened, kOthersIfOpened, kAll, "isolation.visibility: all"},
    RightsRow{Action::kAct, "submit jobs, ask for leases, and change what is named below", kNothing,
              kAll, kAll, ""},
    RightsRow{Action::kSeeArguments,
              "see a job's or process's arguments, values of a sweep, directories, messages",
              kOthersIfOpened, kOthersIfOpened, kOthersIfOpened, "isolation.visibility: arguments"},
    RightsRow{Action::kSeeFiles, "see a job's environment and where its files are", kOwnOnly,
              kOwnOnly, kOwnOnly, ""},
    RightsRow{Action::kReadLog, "read a job's log", kOwnOnly, kOwnOnly, kOwnOnly, ""},
    RightsRow{
        Action::kSteerJob,
        "cancel, hold, release, pause, resume or requeue a job, change its priority or place; "
        "release a lease",
        kNothing, kOwnOnly, kAll, ""},
    RightsRow{Action::kChangeJob,
              "change what a job asks for or runs; attach to its terminal; renew a lease", kNothing,
              kOwnOnly, kOwnOnly, ""},
    RightsRow{Action::kHoldLease, "hold a lease by a connection or by a process", kNothing,
              kOwnOnly, kOwnOnly, ""},
    RightsRow{Action::kAdopt, "adopt a process", kNothing, kOwnOnly, kOwnOnly, ""},
    RightsRow{Action::kReserve, "reserve cards", kNothing, kOwnIfOpened, kAll,
              "scheduling.users_may_reserve"},
    RightsRow{Action::kUnreserve, "take a reservation back", kNothing, kOwnOnly, kAll, ""},
    RightsRow{Action::kExceedLimits,
              "exceed the tenant's highest priority and longest time, or a user's connections and "
              "memory",
              kNothing, kNothing, kNothing, ""},
    RightsRow{Action::kChangeGroup, "change a group", kNothing, kOwnOnly, kAll, ""},
    RightsRow{Action::kRemoveGroup, "remove a group", kNothing, kOwnOnly, kAll, ""},
    RightsRow{Action::kChangeTenant, "change a tenant", kNothing, kNothing, kNothing, ""},
    RightsRow{Action::kDrain, "drain a card", kNothing, kNothing, kAll, ""},
    RightsRow{Action::kUndrain, "undrain a card", kNothing, kNothing, kAll, ""},
    RightsRow{Action::kSilence, "silence alarms, end a silence, send a test message", kNothing,
              kNothing, kAll, ""},
    RightsRow{Action::kTokens, "make, list and revoke tokens", kOwnOnly, kOwnOnly, kOwnOnly, ""},
    RightsRow{Action::kSeeAudit, "see in the audit what one has changed, and what was refused",
              kOwnOnly, kOwnOnly, kOwnOnly, ""},
    RightsRow{Action::kSeeOutbox, "see which messages wait for which receiver", kNothing, kNothing,
              kAll, ""},
    RightsRow{Action::kSeeSettings,
              "see the settings in force, and where each comes from (receivers without addresses)",
              kNothing, kNothing, kAll, ""},
    RightsRow{Action::kOperate,
              "read the configuration, a backup or a snapshot; set the log level; read the "
              "configuration again, and with it who has which role",
              kNothing, kNothing, kNothing, ""},
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

const RoleRights& rights_of(const RightsRow& row, Role role) {
  switch (role) {
    case Role::kViewer:
      return row.viewer;
    case Role::kUser:
      return row.user;
    case Role::kOperator:
      return row.op;
    case Role::kAdministrator:
      break;
  }
  return kAll;
}

std::string_view action_name(Action action) {
  switch (action) {
    case Action::kSee:
      return "see";
    case Action::kSeeJob:
      return "see_job";
    case Action::kAct:
      return "act";
    case Action::kSeeArguments:
      return "see_arguments";
    case Action::kSeeFiles:
      return "see_files";
    case Action::kReadLog:
      return "read_log";
    case Action::kSteerJob:
      return "steer_job";
    case Action::kChangeJob:
      return "change_job";
    case Action::kHoldLease:
      return "hold_lease";
    case Action::kAdopt:
      return "adopt";
    case Action::kReserve:
      return "reserve";
    case Action::kUnreserve:
      return "unreserve";
    case Action::kExceedLimits:
      return "exceed_limits";
    case Action::kChangeGroup:
      return "change_group";
    case Action::kRemoveGroup:
      return "remove_group";
    case Action::kChangeTenant:
      return "change_tenant";
    case Action::kDrain:
      return "drain";
    case Action::kUndrain:
      return "undrain";
    case Action::kSilence:
      return "silence";
    case Action::kTokens:
      return "tokens";
    case Action::kSeeAudit:
      return "see_audit";
    case Action::kSeeOutbox:
      return "see_outbox";
    case Action::kSeeSettings:
      return "see_settings";
    case Action::kOperate:
      return "operate";
  }
  return {};
}

std::string_view who_may(Action action) {
  const bool operators = rights_row(action).op.others == kYes;
  return operators ? "an operator or an administrator" : "an administrator";
}

bool owns(const Principal& principal, const Subject& subject) {
  if (principal.uid && subject.uid) return *principal.uid == *subject.uid;
  return !subject.user.empty() && principal.user == subject.user;
}

bool may(const Principal& principal, Action action, const Subject& subject, bool opened) {
  if (principal.role == Role::kAdministrator) return true;
  const RoleRights& rights = rights_of(rights_row(action), principal.role);
  const Right right = owns(principal, subject) ? rights.own : rights.others;
  return right == Right::kYes || (right == Right::kIfOpened && opened);
}

}  // namespace gpusched
