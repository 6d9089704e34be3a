// Answers and requests about the daemon, groups, reservations, tenants, leases and reports.
#pragma once

#include <map>

#include "base/time.h"
#include "core/model/card.h"
#include "wire/message.h"
#include "wire/messages/alarm.h"
#include "wire/messages/job.h"

namespace gpusched::wire {

struct ApiRange {
  int least = 1, most = 1;

  static constexpr std::string_view kName = "ApiRange";
  static constexpr auto fields() {
    return std::make_tuple(field("least", &ApiRange::least), field("most", &ApiRange::most));
  }
};
struct Version {
  int schema = 1;
  std::string version;
  ApiRange api;
  int pid = 0;
  std::uint32_t uid = 0;
  std::optional<Wall> started_at;
  std::string state_directory;
  std::string cards_from;
  bool page = false;
  std::vector<std::string> addresses;
  std::string socket;
  std::vector<std::string> problems;

  static constexpr std::string_view kName = "Version";
  static constexpr auto fields() {
    return std::make_tuple(
        field("schema", &Version::schema), field("version", &Version::version),
        field("api", &Version::api), field("pid", &Version::pid), field("uid", &Version::uid),
        field("started_at", &Version::started_at, kAlways),
        field("state_directory", &Version::state_directory),
        field("cards_from", &Version::cards_from),
        field("page", &Version::page, {.what = "it serves a web page"}),
        field("addresses", &Version::addresses, {.what = "where a browser finds it"}),
        field("socket", &Version::socket),
        field("problems", &Version::problems, {.what = "what somebody has to see to"}));
  }
};

struct ConfigChange {
  std::string setting, from, to;
  bool at_restart = false;  // It waits for one.

  static constexpr std::string_view kName = "ConfigChange";
  static constexpr auto fields() {
    return std::make_tuple(field("setting", &ConfigChange::setting),
                           field("from", &ConfigChange::from), field("to", &ConfigChange::to),
                           field("at_restart", &ConfigChange::at_restart));
  }
};
struct ConfigReloaded {
  int schema = 1;
  std::string file;
  std::vector<ConfigChange> changes;
  std::vector<std::string> warnings;
  bool dry_run = false;

  static constexpr std::string_view kName = "ConfigReloaded";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &ConfigReloaded::schema),
                           field("file", &ConfigReloaded::file, kOrNull),
                           field("changes", &ConfigReloaded::changes),
                           field("warnings", &ConfigReloaded::warnings, kMaybe),
                           field("dry_run", &ConfigReloaded::dry_run, kMaybe));
  }
};

inline constexpr std::string_view kLogLevels = "error|warning|info|debug";
struct LogLevelRequest {
  std::string level;

  static constexpr std::string_view kName = "LogLevelRequest";
  static constexpr auto fields() {
    return std::make_tuple(
        field("level", &LogLevelRequest::level, {.must = true, .words = kLogLevels}));
  }
};
struct LogLevelSet {
  int schema = 1;
  std::string level;
  bool dry_run = false;

  static constexpr std::string_view kName = "LogLevel";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &LogLevelSet::schema),
                           field("level", &LogLevelSet::level, {.words = kLogLevels}),
                           field("dry_run", &LogLevelSet::dry_run, kMaybe));
  }
};

struct Group {
  std::string name;
  int limit = 0;
  bool paused = false;
  std::string owner;
  std::uint64_t running = 0;
  std::uint64_t waiting = 0;

  static constexpr std::string_view kName = "Group";
  static constexpr auto fields() {
    return std::make_tuple(field("name", &Group::name), field("limit", &Group::limit),
                           field("paused", &Group::paused), field("owner", &Group::owner, kOrNull),
                           field("running", &Group::running), field("waiting", &Group::waiting));
  }
};
struct Groups {
  int schema = 1;
  std::vector<Group> groups;
  std::optional<std::uint64_t> waiting;  // Jobs that a removed group limited.
  bool dry_run = false;

  static constexpr std::string_view kName = "Groups";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Groups::schema), field("groups", &Groups::groups),
                           field("waiting", &Groups::waiting, kMaybe),
                           field("dry_run", &Groups::dry_run, kMaybe));
  }
};
struct GroupRequest {
  std::optional<int> limit;
  std::optional<bool> paused;

  static constexpr std::string_view kName = "GroupRequest";
  static constexpr auto fields() {
    return std::make_tuple(
        field("limit", &GroupRequest::limit,
              {.most = 1'000'000, .what = "how many of its jobs run at once"}),
        field("paused", &GroupRequest::paused, {.what = "none of its jobs starts"}));
  }
};

struct ReservedCard {
  int number = 0;
  std::string uuid;

  static constexpr std::string_view kName = "ReservedCard";
  static constexpr auto fields() {
    return std::make_tuple(field("number", &ReservedCard::number),
                           field("uuid", &ReservedCard::uuid));
  }
};
struct Reservation {
  std::uint64_t id = 0;  // 0: by the calendar.
  std::string name, user, tenant;
  bool maintenance = false;
  std::vector<ReservedCard> cards;
  std::vector<std::uint64_t> jobs_of_others;
  std::optional<Wall> from, until;
  std::string by;

  static constexpr std::string_view kName = "Reservation";
  static constexpr auto fields() {
    return std::make_tuple(
        field("id", &Reservation::id), field("name", &Reservation::name, kOrNull),
        field("user", &Reservation::user, kOrNull), field("tenant", &Reservation::tenant, kOrNull),
        field("maintenance", &Reservation::maintenance), field("cards", &Reservation::cards),
        field("jobs_of_others", &Reservation::jobs_of_others),
        field("from", &Reservation::from, kAlways), field("until", &Reservation::until, kAlways),
        field("by", &Reservation::by));
  }
};
struct Reservations {
  int schema = 1;
  std::vector<Reservation> reservations;
  bool dry_run = false;

  static constexpr std::string_view kName = "Reservations";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Reservations::schema),
                           field("reservations", &Reservations::reservations),
                           field("dry_run", &Reservations::dry_run, kMaybe));
  }
};
struct ReserveRequest {
  CardList cards;
  int count = 0;
  std::string user, tenant, name;
  bool maintenance = false;
  std::optional<Wall> from, until;
  Seconds length{0};

  static constexpr std::string_view kName = "ReserveRequest";
  static constexpr auto fields() {
    return std::make_tuple(field("cards", &ReserveRequest::cards),
                           field("count", &ReserveRequest::count, {.most = 4096}),
                           field("user", &ReserveRequest::user, {.most = 255}),
                           field("tenant", &ReserveRequest::tenant, {.most = 255}),
                           field("name", &ReserveRequest::name, {.most = 255}),
                           field("maintenance", &ReserveRequest::maintenance),
                           field("from", &ReserveRequest::from, {.what = "now"}),
                           field("until", &ReserveRequest::until, {.what = "either this or for_s"}),
                           field("for_s", &ReserveRequest::length));
  }
};

// An event of the stream: what somebody has to see to.
struct Alarms {
  int schema = 1;
  std::vector<std::string> problems;
  std::vector<Alarm> alarms;  // That are on.

  static constexpr std::string_view kName = "Alarms";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Alarms::schema), field("problems", &Alarms::problems),
                           field("alarms", &Alarms::alarms));
  }
};

}  // namespace gpusched::wire
