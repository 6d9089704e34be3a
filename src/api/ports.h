// What the daemon gives to the API, and what it lets clients have.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/account_cache.h"
#include "base/result.h"
#include "base/time.h"
#include "core/access/rights.h"
#include "core/access/roles.h"
#include "core/alarm/rule.h"
#include "core/model/audit.h"
#include "core/model/event.h"
#include "core/model/group.h"
#include "core/model/job.h"
#include "core/model/past_span.h"
#include "core/model/report_prices.h"
#include "history/series.h"
#include "metrics/source.h"
#include "page/page_file.h"
#include "watch/board.h"
#include "wire/messages/settings.h"

namespace gpusched {

// What the API needs from the daemon beside the engine. All of it is called on the loop's thread
// and must not block.
using ShimList = std::vector<std::pair<AttemptId, int>>;
// What reading the configuration again brought.
struct ReloadedSetting {
  std::string setting, from, to;
  bool at_restart = false;  // It waits for one.
};
struct Reloaded {
  std::string file;  // Empty: there is none.
  std::vector<ReloadedSetting> changes;
  RoleBook roles = {};  // As the file has them.
};
struct ApiPorts {
  std::function<Now()> now;
  // On the store's thread; `done` comes back on the loop.
  std::function<void(JobId job, std::uint64_t after_sequence, std::size_t limit,
                     std::function<void(Result<std::vector<TrailEntry>>)> done)>
      read_trail;
  // The same for who changed what.
  std::function<void(const AuditPart& part,
                     std::function<void(Result<std::vector<AuditEntry>>)> done)>
      read_audit;
  // What happened on the cards; on a thread beside those that commit.
  std::function<void(const PastPart& part, std::function<void(Result<Past>)> done)> read_past;
  // The same for environments that are not in memory. Empty: all are.
  std::function<void(std::vector<std::string> hashes,
                     std::function<void(Result<EnvironmentsByHash>)> done)>
      read_environments = {};
  std::function<void(const std::string& path, std::function<void(Result<void>)> done)> backup;
  // On the history's thread, which may be switched off; `done` comes back on the loop. Empty: this
  // daemon keeps no history.
  std::function<void(history::Question question, std::function<void(Result<history::Answer>)> done)>
      read_history;
  std::function<std::string()> config_text;  // The configuration in force, as YAML.
  // The same, one by one; with the addresses of receivers, or without. Empty: nobody knows.
  std::function<wire::Settings(bool addresses)> settings = {};
  std::function<Result<void>(const std::string& level)> set_log_level;
  // Reads the configuration again; with `dry_run` only to compare. Empty: there is none to read.
  std::function<Result<Reloaded>(bool dry_run)> reload = {};
  std::function<std::string()> cards_from;  // "simulated", "nvml", "none".
  // The last that was said of each card; null: nobody looks.
  std::function<const watch::CardBoard*()> board;
  // Which process stands for which attempt: all below it is the attempt's. Empty: nobody knows.
  std::function<ShimList()> shims;
  // What somebody has to see to, a sentence each; empty: nobody knows of anything.
  std::function<std::vector<std::string>()> problems;
  // Figures of the daemon for GET /metrics, beside those of the API.
  std::vector<metrics::Source> metrics = {};
  // The rules of alarms in force, and the receivers that there are. Empty: there are none.
  std::function<const AlarmRules&()> alarm_rules = {};
  std::function<std::vector<std::string>()> receivers = {};
  std::span<const PageFile> page = {};  // Empty: this build has no page.
  // Where a browser finds us, as URLs. Empty: on the socket alone.
  std::function<std::vector<std::string>()> addresses = {};
  std::string socket = {};
  // Notices for a receiver that found no room in the outbox. Empty: none did.
  std::function<std::uint64_t(const std::string& receiver)> dropped = {};
  // What became of the last messages of a receiver. Empty: nobody remembers.
  std::function<std::vector<SettledMessage>(const std::string& receiver)> settled = {};
  std::string state_directory;
  Wall started_at{};
  std::uint32_t daemon_uid = 0;
  // Names of users; empty: the system's accounts. Runs on a thread of its own.
  std::function<std::string(std::uint32_t uid)> name_of_user;
  // The same with groups, to tell roles; empty: the system's accounts.
  AccountCache::Lookup account_of = {};
};

struct ApiLimits {
  std::uint64_t body_bytes = 64ULL << 20;
  std::uint32_t header_bytes = 16U << 10;
  int clients = 256;
  int clients_per_user = 64;
  RoleBook roles = {};
  std::vector<std::string> tenant_groups = {};  // Unix groups that are tenants.
  // By these names the machine may be called over the network, in lower case (api/origin.h).
  std::set<std::string> names = {};
  // Everybody sees the arguments and places of everybody's jobs.
  bool arguments_for_all = false;
  // Of others' jobs; operators and administrators see all of them (api/veil.h).
  Visibility visibility = Visibility::kAll;
  ReportPrices prices = {};
  // Held for one event stream at a time.
  std::uint64_t stream_bytes = 64ULL << 10;
  // Recent changes kept for event streams; who falls further behind is dropped.
  std::size_t recent_changes = 65'536;
  std::uint64_t submission_jobs_most = 1'000'000;
  // Start estimates are brought up to date at most so often unless somebody asks; 0: only then.
  Microseconds look_ahead_every = Seconds{2};
  Seconds default_grace{10};
  Seconds default_retry_back_off{5};
  std::chrono::milliseconds request_time{30'000};
  std::chrono::milliseconds heartbeat{15'000};
  // How often streams look whether cards or alarms have changed.
  std::chrono::milliseconds look_every{1'000};
  // How long a lease outlives the connection that held it.
  std::chrono::milliseconds lease_grace{30'000};
};

}  // namespace gpusched
