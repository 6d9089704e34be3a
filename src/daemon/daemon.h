// The daemon: its parts, made in order and connected. Reads like a list of parts; nothing is
// decided here.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/api.h"
#include "base/result.h"
#include "config/config_file.h"
#include "config/origins.h"
#include "core/model/card_numbers.h"
#include "core/preempt/foreign_idle.h"
#include "daemon/alarm_watch.h"
#include "daemon/driver.h"
#include "daemon/host.h"
#include "daemon/idle_watch.h"
#include "daemon/job_containers.h"
#include "daemon/sim_world.h"
#include "daemon/state_directory.h"
#include "engine/engine.h"
#include "engine/reconcile.h"
#include "gpu/watched_cards.h"
#include "history/feed.h"
#include "history/history.h"
#include "http/background.h"
#include "jobdir/cgroup.h"
#include "jobdir/progress_file.h"
#include "jobdir/state_id.h"
#include "launch/shim_launcher.h"
#include "launch/shim_mover.h"
#include "metrics/card_meters.h"
#include "metrics/source.h"
#include "metrics/turn_meters.h"
#include "metrics/work_meters.h"
#include "notify/courier.h"
#include "os/fd.h"
#include "os/tcp_address.h"
#include "store/sqlite_store.h"
#include "store/store_thread.h"
#include "tls/context.h"

namespace gpusched {

class Daemon {
 public:
  // REQUIRES: state_directory and socket of the configuration are set. `read_again` reads what it
  // came from.
  Daemon(FoundConfig found, std::function<Result<FoundConfig>()> read_again);
  // Everything up to looking for cards; clients are let in when those are known, so that a need
  // can be judged from the first request on.
  Result<void> start();
  // Until a signal ends it. An error if clients could not be let in.
  Result<void> run();

 private:
  Result<StoreImage> open_store(const std::string& boot_id);
  void disown_copied();
  Result<void> compare_with_directories(StoreImage& image);
  void remember_found(const std::vector<FoundJob>& found, const Reconciled& done);
  void recall_taken_over(const StoreImage& image);
  std::string taken_over_now() const;
  void look_for_nobodys_groups(const StoreImage& image, const std::vector<AttemptId>& groups);
  Result<void> bring_environments_back(const StoreImage& image);
  std::vector<std::string> problems() const;
  void look_at_disk();
  void look_at_disk_use();
  void log_disk_use();
  void watch_alarms();
  std::string report_of_week() const;
  std::set<CardNumber> cards_left_out() const;
  void add_alarm_ports(ApiPorts& ports);
  void open_history();
  Result<void> start_launcher();
  std::string why_devices_are_open() const;
  void learn_what_can_be_followed();
  void start_engine(StoreImage image, const std::string& boot_id);
  Result<void> look_for_cards();
  std::vector<Card> arrange(std::vector<Card> cards);
  void warn_of_missing(std::size_t found);
  void on_cards(Result<CardsFound> found);
  void read_calendar(const std::vector<Card>& cards);
  void on_seen(CardSeen seen);
  void look_closely();
  void on_report(const watch::Report& report);
  void after_turn();
  void tell_attempts();
  void log_drains();
  bool whose_has_changed();
  void look_at_progress();
  void look_at_idle_foreign();
  void start_courier();
  void let_clients_in();
  Result<std::shared_ptr<const TlsContext>> read_certificate(const NetworkSettings& network) const;
  Result<void> open_network(const NetworkSettings& network,
                            std::shared_ptr<const TlsContext> certificate);
  void look_for_host_names();
  Result<void> check_network_of(const NetworkSettings& network);
  void open_what_can_be_had();
  void tell_network(const std::vector<TcpAddress>& bound);
  std::vector<std::string> addresses_for_browsers() const;
  std::string fingerprint_now() const;
  void look_for_socket();
  void on_forgotten(JobId job);
  void give_memory_back();
  void wait_for_end();
  void wait_for_hangup();
  Result<Reloaded> reload(bool dry_run);
  wire::Settings settings(bool addresses) const;
  // For the audit: by a signal, and by whoever started us.
  void note_reload(const Result<Reloaded>& read);
  void note_start();
  void take_over(Config next);
  void write_helpers(metrics::Exposition& out) const;
  void write_alarms(metrics::Exposition& out) const;
  std::vector<metrics::Source> metric_sources();
  ApiPorts api_ports();
  ApiLimits api_limits() const;

  Config config_;
  std::string config_file_;  // Empty: there was none.
  FoundConfig wanted_;       // As it was read last.
  SettingOrigins origins_;   // Of what is in force.
  std::function<Result<FoundConfig>()> read_again_;
  std::uint64_t descriptors_ = 0;  // That may be open.
  Followable followable_;
  boost::asio::io_context loop_{1};
  StateLock lock_;
  StateId state_id_;
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<StoreThread> store_thread_;
  std::unique_ptr<StoreThread> past_thread_;  // Long reads, beside commits.
  std::unique_ptr<history::History> history_;
  history::Feed history_feed_;
  CgroupBase cgroup_;
  std::vector<JobId> taken_over_;  // From their directories, by this daemon or a former one.
  // Attempts in which somebody lives who was not taken over, and why.
  std::vector<std::pair<AttemptId, std::string>> left_alone_;
  std::vector<std::string> nobodys_groups_;  // Found at the start, of attempts that are not ours.
  // Empty ones go with us. Before the launcher: what lives in there goes first.
  struct LeavesGroups {
    CgroupBase base;
    ~LeavesGroups() { leave_cgroups(base); }
  } leaves_groups_;
  std::shared_ptr<ShimLauncher> launcher_;
  std::shared_ptr<ShimMover> mover_;
  metrics::TurnMeters turn_meters_;
  metrics::WorkMeters work_meters_;
  metrics::CardMeters card_meters_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Courier> courier_;
  std::unique_ptr<IdleWatch> idle_watch_;
  std::unique_ptr<AlarmWatch> alarm_watch_;
  std::unique_ptr<ForeignWatch> foreign_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<Driver> driver_;
  std::optional<SimWorld> sim_;
  std::string mps_control_;  // Empty: there is no such program.
  std::unique_ptr<WatchedCards> cards_;
  std::map<int, std::uint32_t> holders_;  // Of leases: process and user, as told last.
  std::string cards_from_ = "none";
  KnownCards known_cards_;
  JobContainers containers_;
  boost::asio::steady_timer attempts_told_{loop_};
  bool attempts_due_ = false;
  std::map<std::string, Drain> drains_logged_;  // By UUID.
  std::size_t missing_ = 0;
  std::optional<Wall> calendar_read_;
  std::set<CardNumber> unseen_;  // Clients are let in when every card has been looked at.
  bool let_in_ = false;
  std::shared_ptr<const TlsContext> certificate_;  // None: TLS is not spoken.
  std::vector<std::string> host_names_;            // Of this machine, in lower case.
  Background name_search_{loop_};
  std::string network_said_;                   // As it was logged last.
  std::vector<std::string> network_troubles_;  // Why other machines are not let in as set.
  std::vector<TcpAddress> network_open_;       // Of those that are set.
  std::vector<TcpAddress> network_bound_;      // With the ports that they got.
  boost::asio::steady_timer network_tried_{loop_};
  boost::asio::steady_timer socket_looked_{loop_};
  boost::asio::steady_timer memory_back_{loop_};
  std::size_t forgotten_ = 0;   // Since memory was last given back.
  std::uint64_t put_away_ = 0;  // Bytes of environments, by then.
  std::string socket_trouble_;  // As it was logged last.
  boost::asio::steady_timer first_look_{loop_};
  boost::asio::steady_timer disk_look_{loop_};
  bool disk_full_ = false;
  boost::asio::steady_timer disk_use_look_{loop_};
  std::map<std::string, std::uint64_t> disk_used_;  // By user, as told last.
  std::set<std::string> disk_over_;                 // Tenants, as logged last.
  Background disk_counter_{loop_};
  boost::asio::steady_timer progress_{loop_};
  bool watching_progress_ = false;
  std::map<AttemptId, ReportedProgress> reported_;  // The last that was passed on.
  boost::asio::signal_set ending_{loop_, SIGTERM, SIGINT};
  boost::asio::signal_set hangup_{loop_, SIGHUP};
  Result<void> outcome_;
};

}  // namespace gpusched
