#include "config/settings.h"

#include "config/setting_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "base/text.h"
#include "config/calendar_text.h"
#include "config/card_rule_fields.h"
#include "config/receivers_yaml.h"
#include "config/roles_yaml.h"
#include "config/tenant_fields.h"
#include "config/values.h"
#include "core/place/placement.h"

namespace gpusched {
namespace {

// The name or the file of a scenario, which only the daemon can look up.
bool names_scenario(const std::string& text) {
  const std::size_t cross = text.find('x');
  const bool letter = cross != std::string::npos && cross + 1 < text.size() &&
                      std::isalpha(static_cast<unsigned char>(text[cross + 1])) != 0;
  return letter || text.find('/') != std::string::npos;
}

// "2x24G" or a list of such, separated by commas; or a scenario.
Result<void> check_sim(const std::string& text) {
  if (names_scenario(text)) return {};
  if (text.ends_with(',')) return wrong(fmt::format("\"{}\" ends in a comma", text));
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = take_until(rest, ',');
    const std::size_t cross = part.find('x');
    int cards = 0;
    const bool counted =
        cross != std::string_view::npos &&
        std::from_chars(part.data(), part.data() + cross, cards).ptr == part.data() + cross;
    if (!counted || cards < 1 || cards > 1024 || !parse_size(part.substr(cross + 1))) {
      return wrong(fmt::format("\"{}\" is not like 2x24G (cards x VRAM)", text));
    }
  }
  return {};
}

Setting sim_setting() {
  return {"", "sim",
          "Simulated cards instead of the machine's, for a first look: 2x24G is two of 24 GiB.",
          [](Config& config, const std::string& text) -> Result<void> {
            if (auto checked = check_sim(text); !checked) return checked;
            config.sim = text;
            return {};
          },
          [](const Config& config) { return quoted(config.sim); }};
}

Setting log_level_setting() {
  return {"log", "level", "What is written: error, warning, info or debug.",
          [](Config& config, const std::string& text) -> Result<void> {
            const auto level = log_level_named(text);
            if (!level) {
              return wrong(fmt::format("\"{}\" is not error, warning, info or debug", text));
            }
            config.log.level = *level;
            return {};
          },
          [](const Config& config) { return std::string(log_level_name(config.log.level)); }};
}

Setting log_format_setting() {
  return {"log", "format", "plain: a sentence with key=value fields. json: one object per line.",
          [](Config& config, const std::string& text) -> Result<void> {
            if (text != "plain" && text != "json") {
              return wrong(fmt::format("\"{}\" is neither plain nor json", text));
            }
            config.log.format = text == "json" ? LogFormat::kJson : LogFormat::kPlain;
            return {};
          },
          [](const Config& config) {
            return std::string(config.log.format == LogFormat::kJson ? "json" : "plain");
          }};
}

Setting tenants_setting() {
  Setting setting{
      "", "tenants",
      "Weights and quotas, by tenant; a user who stands in no list of users is a tenant of his "
      "own. "
      "lab: {weight: 2, cards: 4, vram: 100G, running: 10, queued: 1000, gpu_hours: 200/week, "
      "time_limit: 24h, users: [user1, user2]}. What stands under default holds for all others; "
      "gpusched tenant set overrides it at run time.",
      [](Config&, const std::string&) -> Result<void> { return wrong("must be a map of tenants"); },
      [](const Config& config) { return tenants_text(config.tenants, "  "); }};
  setting.tenants = true;
  return setting;
}

Setting roles_setting() {
  Setting setting{
      "", "roles",
      "Who may do more or less than a user, by role: viewer, user, operator, admin. {operator: "
      "[user1, \"group:lab\"], viewer: [\"group:students\"]}. A name counts more than a Unix "
      "group, a higher role of a group more than a lower one. Root and the daemon's own user are "
      "always admin.",
      [](Config&, const std::string&) -> Result<void> { return wrong("must be a map of roles"); },
      [](const Config& config) { return roles_text(config.roles); }};
  setting.roles = true;
  return setting;
}

Setting receivers_setting() {
  Setting setting{
      "", "receivers",
      "Whom messages go to, by name: {ops: {channel: slack, url_file: /etc/gpusched/slack.url, "
      "for_users: on}}. Channels: log, webhook, slack, mattermost, teams, ntfy, dingtalk, feishu, "
      "wecom, mail, command, alertmanager. Secrets stand in files of their own (secret_file, "
      "url_file). With for_users everybody may name it in --notify (docs/notifications.md).",
      [](Config&, const std::string&) -> Result<void> {
        return wrong("must be a map of receivers");
      },
      [](const Config& config) { return receivers_text(config.rules.known_receivers(), "  "); }};
  setting.receivers = true;
  return setting;
}

void add_general(std::vector<Setting>& list) {
  list.push_back(absolute_path(
      "", "socket",
      "Where the daemon listens. Empty: /run/gpusched/gpusched.sock for root, else "
      "$XDG_RUNTIME_DIR/gpusched/gpusched.sock, else gpusched.sock in the state directory.",
      PLACE(socket), kLongestSocket));
  list.push_back(absolute_path(
      "", "state_directory",
      "Where the queue and the jobs' logs are kept, on a local disk. Empty: /var/lib/gpusched for "
      "root, else $XDG_STATE_HOME/gpusched, else ~/.local/state/gpusched.",
      PLACE(state_directory), kLongestPath));
  list.push_back(sim_setting());
  list.push_back(tenants_setting());
  list.push_back(roles_setting());
  list.push_back(receivers_setting());
  add_alarm_settings(list);
}

void add_watch(std::vector<Setting>& list) {
  const std::string in = "watch";
  list.push_back(number(in, "busy_period_ms",
                        "How often each card is looked at while something runs or waits.",
                        PLACE(cards.busy_period_ms), {100, 60'000}));
  list.push_back(number(in, "idle_period_ms", "The same while nothing does.",
                        PLACE(cards.idle_period_ms), {100, 3'600'000}));
  list.push_back(number(in, "deadline_ms",
                        "How long a driver may take to answer before its card is unknown.",
                        PLACE(cards.deadline_ms), {100, 60'000}));
  list.push_back(duration(in, "idle_holder_after",
                          "A process that holds memory without using its card for so long is named "
                          "as such.",
                          PLACE(rules.idle_named_after), kYear));
  list.push_back(text(in, "ignore",
                      "Programs of the desktop, separated by commas: their memory counts, their "
                      "load does not.",
                      PLACE(rules.ignored_programs)));
}

// A list, so the words of a single value are always wrong.
Setting card_rules_setting() {
  Setting setting{
      "gpus", "cards",
      "Rules for single cards, from top to bottom: - match: {number: 0} (or uuid, model, alias), "
      "then what holds for it: alias, tags, manage, vram_cap, jobs_most, sharing, mps, "
      "share_cap_percent, headroom, and the limits of health below. A later rule overrides an "
      "earlier one field by field.",
      [](Config&, const std::string&) -> Result<void> { return wrong("must be a list of rules"); },
      [](const Config& config) { return card_rules_text(config.card_rules, "    "); }};
  setting.card_rules = true;
  return setting;
}

void add_jobs(std::vector<Setting>& list) {
  const std::string in = "jobs";
  list.push_back(
      duration(in, "grace",
               "How long a job that is told to stop (TERM) has before it is ended (KILL), "
               "unless the job says otherwise.",
               PLACE(jobs.grace), Seconds{86400}));
  list.push_back(duration(in, "retry_back_off",
                          "The wait before the first retry, unless the job says otherwise. It "
                          "doubles with each retry, up to an hour.",
                          PLACE(jobs.retry_back_off), Seconds{3600}));
  list.push_back(size(in, "log_limit",
                      "A job's log keeps its beginning and its end within this size; the middle is "
                      "dropped and the log says so. 0: no limit.",
                      PLACE(jobs.log_limit_bytes), kAnySize));
  list.push_back(
      number(in, "crash_guard_count",
             "A sweep is held when so many of its first jobs have all failed, each within "
             "the time below. 0: never.",
             PLACE(rules.crash_guard_count), {0, 1000}));
  list.push_back(duration(in, "crash_guard_within", "See above.", PLACE(rules.crash_guard_within),
                          Seconds{3600}));
}

void add_retention(std::vector<Setting>& list) {
  const std::string in = "retention";
  list.push_back(duration(in, "keep_for", "Ended jobs, their logs and events are kept this long.",
                          PLACE(rules.keep_ended_for), 100 * kYear));
  list.push_back(number(in, "keep_most",
                        "And at most so many of them; who has most loses the oldest first.",
                        PLACE(rules.keep_ended_most), {0, 10'000'000}));
  list.push_back(number(in, "keep_leases", "Of those, ended leases.", PLACE(rules.keep_leases_most),
                        {0, 10'000'000}));
}

void add_audit(std::vector<Setting>& list) {
  list.push_back(duration("audit", "keep", "Entries are kept this long.", PLACE(rules.audit_keep),
                          100 * kYear));
  list.push_back(number("audit", "most",
                        "And at most so many of changes; of refusals and of leases a tenth each.",
                        PLACE(rules.audit_most), {0, 10'000'000}));
}

void add_limits(std::vector<Setting>& list) {
  const std::string in = "limits";
  constexpr std::int64_t kManyJobs = 100'000'000;
  list.push_back(number(in, "submission_jobs", "Jobs that one submission may have.",
                        PLACE(rules.submission_jobs_most), {1, kManyJobs}));
  list.push_back(number(in, "queued_jobs", "Jobs that may wait in all.",
                        PLACE(rules.queued_jobs_most), {1, kManyJobs}));
  list.push_back(number(in, "shapes_scanned",
                        "Different kinds of waiting jobs that one decision looks at.",
                        PLACE(rules.shapes_scanned_most), {1, 1'000'000}));
  list.push_back(number(in, "signatures",
                        "Commands whose past runs are remembered; the ones used longest ago go "
                        "first.",
                        PLACE(rules.estimates.signatures_most), {1, 1'000'000}));
  list.push_back(
      size(in, "body", "The largest request body.", PLACE(limits.body_bytes), {kKiB, 4 * kGiB}));
  list.push_back(
      size(in, "header", "The largest request header.", PLACE(limits.header_bytes), {kKiB, kMiB}));
  list.push_back(number(in, "clients",
                        "Connections at one time. Those of the network get at most half of them.",
                        PLACE(limits.clients), {1, 100'000}));
  list.push_back(number(in, "clients_per_user",
                        "Connections of one user at one time, or of one address of the network.",
                        PLACE(limits.clients_per_user), {1, 100'000}));
  list.push_back(
      size(in, "disk_per_tenant",
           "What the jobs of a tenant may keep in the state directory, checkpoints and logs. Who "
           "has more starts nothing until it is less. 0: half of the disk.",
           PLACE(limits.disk_per_tenant_bytes), kAnySize));
  list.push_back(
      size(in, "stream_backlog",
           "What may wait to be read by one follower of events; a slower one is dropped.",
           PLACE(limits.stream_backlog_bytes), {4 * kKiB, kGiB}));
  list.push_back(number(in, "outbox",
                        "Messages that may wait for one receiver; what comes then is counted in "
                        "the last of them.",
                        PLACE(rules.outbox_most), {2, 100'000}));
  list.push_back(duration(in, "group_wait",
                          "How long a message to people waits for others like it, to be one with "
                          "them.",
                          PLACE(rules.group_wait), Seconds{600}));
}

void add_log(std::vector<Setting>& list) {
  list.push_back(log_level_setting());
  list.push_back(log_format_setting());
  list.push_back(absolute_path("log", "file",
                               "Empty: to stderr, which journald keeps under systemd.",
                               PLACE(log.file), kLongestPath));
  list.push_back(size("log", "rotate_size",
                      "A log file is moved aside at this size. 0: never; SIGHUP opens it anew.",
                      PLACE(log.rotate_bytes), kAnySize));
  list.push_back(number("log", "rotate_keep", "So many old log files are kept.",
                        PLACE(log.rotate_keep), {0, 100}));
}

void add_host(std::vector<Setting>& list) {
  list.push_back(number("host", "cpus", "CPUs that jobs may ask for. 0: all of the machine's.",
                        PLACE(host.cpus), {0, 65536}));
  list.push_back(size("host", "ram", "RAM that jobs may ask for. 0: all of the machine's.",
                      PLACE(host.ram_bytes), kAnySize));
  list.push_back(
      {"host", "numa",
       "auto: on a machine with several NUMA nodes a job whose cards are all at one of them runs "
       "on "
       "that node's CPUs and memory. off: anywhere.",
       [](Config& config, const std::string& text) -> Result<void> {
         if (text != "auto" && text != "off") {
           return wrong(fmt::format("\"{}\" is not auto or off", text));
         }
         config.host.numa = text == "auto";
         return {};
       },
       [](const Config& config) { return std::string(config.host.numa ? "auto" : "off"); }});
}

void add_history(std::vector<Setting>& list) {
  const std::string in = "history";
  list.push_back(duration(in, "keep_1s", "Second by second. 0 here and below: not at all.",
                          PLACE(history.keep_1s), kYear));
  list.push_back(
      duration(in, "keep_10s", "In steps of ten seconds.", PLACE(history.keep_10s), 10 * kYear));
  list.push_back(duration(in, "keep_1m", "Minute by minute.", PLACE(history.keep_1m), 10 * kYear));
  list.push_back(duration(in, "keep_1h", "Hour by hour.", PLACE(history.keep_1h), 100 * kYear));
  list.push_back(size(in, "size_most",
                      "The largest size of history.db; what is oldest goes first. 0: no history.",
                      PLACE(history.size_most_bytes), kAnySize));
}

void add_gpus(std::vector<Setting>& list) {
  list.push_back(number("gpus", "expect",
                        "How many cards the machine should have: a missing one is warned of. 0: "
                        "however many there are.",
                        PLACE(rules.cards_expected), {0, 1024}));
  list.push_back(card_rules_setting());
  list.push_back(number("gpus", "hottest_celsius",
                        "A card that is hotter gets nothing new until it is 10 degrees cooler. 0: "
                        "however hot it is.",
                        PLACE(rules.health.hottest_celsius), {0, 200}));
  list.push_back(duration("gpus", "hot_for", "How long it must have been that hot.",
                          PLACE(rules.health.hot_for), kYear));
  list.push_back(number("gpus", "uncorrected_errors",
                        "A card is drained when so many of its memory errors could not be "
                        "corrected since its driver was loaded. 0: never.",
                        PLACE(rules.health.uncorrected_errors), {0, 1'000'000'000}));
  list.push_back(number("gpus", "corrected_errors",
                        "The same for errors that were corrected. 0: never.",
                        PLACE(rules.health.corrected_errors), {0, 1'000'000'000}));
  list.push_back(
      number("gpus", "failures",
             "A card is drained when jobs of so many different programs failed there "
             "in a row while others went well elsewhere. Where several users share the machine, "
             "at most half of them count that are of one user. 0: never.",
             PLACE(rules.health.failures), {0, 1000}));
}

}  // namespace

const std::vector<Setting>& all_settings() {
  static const std::vector<Setting> settings = [] {
    std::vector<Setting> list;
    add_general(list);
    add_scheduling_settings(list);
    add_making_room_settings(list);
    add_gpus(list);
    add_watch(list);
    add_jobs(list);
    add_retention(list);
    add_audit(list);
    add_report_settings(list);
    add_limits(list);
    add_network_settings(list);
    add_log(list);
    add_host(list);
    add_isolation_settings(list);
    add_history(list);
    return list;
  }();
  return settings;
}

const std::vector<Section>& all_sections() {
  static const std::vector<Section> sections = {
      {"scheduling", "When a job may start beside others, and who comes first."},
      {"making_room", "When running jobs are moved aside for more important ones, and come back."},
      {"gpus", "Which cards there are, and what holds for single ones."},
      {"watch", "How cards and the processes on them are looked at."},
      {"jobs", "What holds for jobs that do not say otherwise."},
      {"retention", "How long ended jobs are remembered."},
      {"audit", "Who changed what: how long that is remembered (gpusched audit)."},
      {"report", "What reports are made of, and what they say that things cost (gpusched report)."},
      {"limits", "Bounds that keep the daemon alive whatever clients do."},
      {"network", "The way in for other machines; closed unless it says where to listen."},
      {"log",
       "What the daemon says about itself. `kill -HUP` reopens the file, and reads this one "
       "again."},
      {"host", "What jobs may use of the machine beside its cards."},
      {"isolation", "What keeps jobs apart."},
      {"history", "How long what cards and jobs did is remembered. A job's minutes stay with it."},
  };
  return sections;
}

}  // namespace gpusched
