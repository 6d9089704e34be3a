// Everything that can be set, with its default. settings.cc lists each of these fields once, with
// its name, its words and its limits; the parser, the sample file and the documentation all come
// from that list and cannot disagree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/access/rights.h"
#include "core/access/roles.h"
#include "core/alarm/rule.h"
#include "core/model/calendar.h"
#include "core/model/card_rules.h"
#include "core/model/report_prices.h"
#include "core/model/rules.h"
#include "core/model/tenant.h"
#include "os/locations.h"
#include "os/log.h"

namespace gpusched {

struct ServerLimits {
  std::uint64_t body_bytes = 64ULL << 20;
  std::uint64_t header_bytes = 16ULL << 10;
  int clients = 256;
  int clients_per_user = 64;
  std::uint64_t disk_per_tenant_bytes = 0;           // 0: half of the disk.
  std::uint64_t stream_backlog_bytes = 64ULL << 10;  // Of one event stream; then it is dropped.
};

struct JobDefaults {
  Seconds grace{10};                           // Between TERM and KILL.
  std::uint64_t log_limit_bytes = 1ULL << 30;  // Past it the middle is punched out. 0: no limit.
  Seconds retry_back_off{5};
};

// How cards are looked at.
struct CardWatch {
  int busy_period_ms = 1000;
  int idle_period_ms = 10'000;
  int deadline_ms = 2000;
};

// What jobs may use of the host; 0: what the machine has.
struct HostOverride {
  int cpus = 0;
  std::uint64_t ram_bytes = 0;
  bool numa = true;  // Jobs run near their cards where the machine has several nodes.
};

// How long what cards and jobs did is remembered, by resolution. 0: not in that one.
struct HistorySettings {
  Seconds keep_1s{3'600};
  Seconds keep_10s{86'400};
  Seconds keep_1m{30 * 86'400};
  Seconds keep_1h{730 * 86'400};
  std::uint64_t size_most_bytes = 256ULL << 20;  // 0: no history.
};

// The MPS servers of users (docs/isolation.md).
struct MpsSettings {
  std::string control;  // Empty: nvidia-cuda-mps-control, where programs usually are.
  Seconds linger{30};   // How long a server stays after its last job.
};

// The way in for other machines.
struct NetworkSettings {
  std::vector<std::string> listen;  // "127.0.0.1:7340"; none: nobody can come that way.
  std::string certificate;          // PEM files; without them loopback alone, and no TLS.
  std::string key;
  std::vector<std::string> names;  // By which the machine may be called, beside its own.

  friend bool operator==(const NetworkSettings&, const NetworkSettings&) = default;
};

struct Config {
  std::string socket;           // Empty: os/locations.h.
  std::string state_directory;  // Empty: os/locations.h.
  std::string sim;              // "2x24G": simulated cards; empty: the machine's.
  Rules rules;
  ServerLimits limits;
  NetworkSettings network;
  LogOptions log;
  JobDefaults jobs;
  HostOverride host;
  HistorySettings history;
  ReportPrices prices;
  CardWatch cards;
  bool device_filter = true;       // Where the kernel lets us.
  bool arguments_for_all = false;  // Of everybody's jobs, in every view.
  Visibility visibility = Visibility::kAll;
  std::string
      idle_foreign;  // Foreign processes that may be moved aside (core/preempt/foreign_idle.h).
  MpsSettings mps;   // Which jobs run under it: rules.mps.
  CardRules card_rules;
  ConfiguredTenants tenants;
  RoleBook roles;
  AlarmRules alarms;
  Calendar calendar;
  Seconds look_ahead_every{2};  // Start estimates; 0: only when asked.
};

}  // namespace gpusched
