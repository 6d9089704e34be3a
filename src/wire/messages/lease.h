// Leases: what is asked for beside the needs of a job, and what is answered.
#pragma once

#include <limits>

#include "wire/message.h"
#include "wire/messages/job.h"

namespace gpusched::wire {

struct Lease {
  std::uint64_t id = 0;
  std::string state;
  int priority = 50;
  std::string name, user, tenant, application, holder;
  int pid = 0;
  std::vector<CardRef> gpus;
  int cpus = 0;
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<Wall> submitted_at, granted_at, expires_at, ended_at;
  std::string cause, message, reason;
  std::optional<std::uint64_t> position;
  std::optional<Wall> estimated_start;

  static constexpr std::string_view kName = "Lease";
  static constexpr auto fields() {
    return std::make_tuple(
        field("id", &Lease::id), field("state", &Lease::state), field("priority", &Lease::priority),
        field("name", &Lease::name, kOrNull), field("user", &Lease::user),
        field("tenant", &Lease::tenant), field("application", &Lease::application, kOrNull),
        field("holder", &Lease::holder, {.words = "process|connection"}), field("pid", &Lease::pid),
        field("gpus", &Lease::gpus), field("cpus", &Lease::cpus),
        field("environment", &Lease::environment),
        field("submitted_at", &Lease::submitted_at, kAlways),
        field("granted_at", &Lease::granted_at), field("expires_at", &Lease::expires_at),
        field("ended_at", &Lease::ended_at), field("cause", &Lease::cause, kOrNull),
        field("message", &Lease::message, kOrNull), field("reason", &Lease::reason, kOrNull),
        field("position", &Lease::position), field("estimated_start", &Lease::estimated_start));
  }
};
struct OneLease {
  int schema = 1;
  std::optional<Lease> lease;  // Absent: it was only tried.
  bool dry_run = false;

  static constexpr std::string_view kName = "OneLease";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &OneLease::schema), field("lease", &OneLease::lease),
                           field("dry_run", &OneLease::dry_run, kMaybe));
  }
};
struct Leases {
  int schema = 1;
  std::vector<Lease> leases;
  bool dry_run = false;

  static constexpr std::string_view kName = "Leases";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Leases::schema), field("leases", &Leases::leases),
                           field("dry_run", &Leases::dry_run, kMaybe));
  }
};

// Beside the needs, which are those of a submission.
struct LeaseRequest {
  std::string name, group, project;
  Seconds ttl{0};
  int priority = 50;
  std::string holder = "process";
  int pid = 0;
  std::string application;
  std::string preempt = "auto";
  std::string placement = "default";
  std::uint64_t wait_at_most_ms = 0;

  static constexpr std::string_view kName = "LeaseRequest";
  static constexpr auto fields() {
    return std::make_tuple(
        field("name", &LeaseRequest::name, {.most = 255}),
        field("group", &LeaseRequest::group, {.most = 255}),
        field("project", &LeaseRequest::project, {.most = 255}),
        field("ttl_s", &LeaseRequest::ttl, {.what = "0: no end"}),
        field("priority", &LeaseRequest::priority, {.most = 100}),
        field("holder", &LeaseRequest::holder, {.words = "process|connection"}),
        field("pid", &LeaseRequest::pid,
              {.least = 1, .most = std::numeric_limits<int>::max(), .what = "the asking process"}),
        field("application", &LeaseRequest::application, {.most = 255}),
        field("preempt", &LeaseRequest::preempt, {.words = "auto|never"}),
        field("placement", &LeaseRequest::placement, {.words = "default|round-robin"}),
        field("wait_at_most_ms", &LeaseRequest::wait_at_most_ms,
              {.most = 366ULL * 24 * 3600 * 1000, .what = "0: as long as it takes"}));
  }
};
struct RenewRequest {
  Seconds ttl{0};

  static constexpr std::string_view kName = "RenewRequest";
  static constexpr auto fields() {
    return std::make_tuple(
        field("ttl_s", &RenewRequest::ttl, {.must = true, .what = "from now; 0: no end"}));
  }
};

// Beside some fields of a submission.
struct AdoptRequest {
  int pid = 0;
  int priority = 50;
  std::string preempt = "auto";

  static constexpr std::string_view kName = "AdoptRequest";
  static constexpr auto fields() {
    return std::make_tuple(
        field("pid", &AdoptRequest::pid,
              {.must = true, .least = 2, .most = std::numeric_limits<int>::max()}),
        field("priority", &AdoptRequest::priority, {.most = 100}),
        field("preempt", &AdoptRequest::preempt, {.words = "auto|never"}));
  }
};

}  // namespace gpusched::wire
