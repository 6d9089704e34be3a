#include "daemon/daemon.h"

#include <malloc.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/state/state.h"
#include "daemon/job_note.h"
#include "daemon/mps_control.h"
#include "daemon/readiness.h"
#include "jobdir/device_filter.h"
#include "jobdir/numa.h"
#include "os/clock.h"
#include "os/descriptors.h"
#include "os/log.h"
#include "wire/environment.h"

namespace gpusched {
namespace {

HostCapacity host_of(const Config& config) {
  HostCapacity host = read_host_capacity();
  if (config.host.cpus > 0) host.cpus = config.host.cpus;
  if (config.host.ram_bytes > 0) host.ram_bytes = config.host.ram_bytes;
  return host;
}

Result<void> set_level(const std::string& name) {
  const auto level = log_level_named(name);
  if (!level) return failure(ErrorCode::kInvalid, "'" + name + "' is not a log level");
  set_log_level(*level);
  return {};
}

// A mover starts from nothing: it needs to know where its driver is, and nothing else of ours.
std::vector<std::string> mover_variables(const std::optional<SimWorld>& sim) {
  if (sim) return sim->variables();
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  if (libraries == nullptr || *libraries == '\0') return {};
  return {std::string("LD_LIBRARY_PATH=") + libraries};
}

}  // namespace

Daemon::Daemon(FoundConfig found, std::function<Result<FoundConfig>()> read_again)
    : config_(found.config),
      config_file_(found.path),
      wanted_(std::move(found)),
      origins_(origins_of(wanted_)),
      read_again_(std::move(read_again)) {}

Result<void> Daemon::start() {
  // A client that hangs up must not end us.
  std::signal(SIGPIPE, SIG_IGN);
  // Before there are threads: it changes the environment.
  descriptors_ = raise_descriptor_limit();
  const auto boot_id = read_boot_id();
  if (!boot_id) return failure(boot_id.error());
  auto image = open_store(*boot_id);
  if (!image) return failure(image.error());
  if (!config_.sim.empty()) {
    auto world = open_sim_world(config_.sim, config_.state_directory);
    if (!world) return failure(world.error());
    sim_ = std::move(*world);
  }
  open_history();
  if (auto started = start_launcher(); !started) return started;
  start_engine(std::move(*image), *boot_id);
  look_at_disk();
  look_at_disk_use();
  if (auto started = driver_->start(); !started) return started;
  note_start();
  wait_for_end();
  wait_for_hangup();
  return look_for_cards();
}

void Daemon::open_history() {
  const HistorySettings& wanted = config_.history;
  history::Options options;
  options.directory = config_.state_directory;
  options.tiers[0].keep = wanted.keep_1s;
  options.tiers[1].keep = wanted.keep_10s;
  options.tiers[2].keep = wanted.keep_1m;
  options.tiers[3].keep = wanted.keep_1h;
  options.size_most = wanted.size_most_bytes;
  options.post_to_loop = [this](std::function<void()> work) {
    boost::asio::post(loop_, std::move(work));
  };
  history_ = history::History::open(std::move(options));
}

Result<void> Daemon::start_launcher() {
  cgroup_ = prepare_cgroups(find_cgroup_base(config_.state_directory), true);
  leaves_groups_.base = cgroup_;
  auto launcher =
      ShimLauncher::start(loop_, {.state_directory = config_.state_directory,
                                  .launcher_program = find_launcher_program(),
                                  .state_id = state_id_.id,
                                  .copied = state_id_.copied,
                                  .cgroup = cgroup_,
                                  .complain = [](const std::string& what) { log_warning(what); }});
  if (!launcher) return failure(launcher.error());
  launcher_ = std::move(*launcher);
  mover_ = std::make_shared<ShimMover>(
      loop_, *launcher_,
      MoverOptions{.program = "",
                   .variables = mover_variables(sim_),
                   .ram_reserve_bytes = config_.rules.room.ram_reserve_bytes});
  return {};
}

// Empty: jobs can open no cards but their own.
std::string Daemon::why_devices_are_open() const {
  if (!config_.device_filter) return "isolation.device_filter is off";
  if (::geteuid() != 0) return "the daemon is not root";
  if (cgroup_.path.empty()) return "there is no control group for jobs";
  const int error = try_device_filter(cgroup_.path);
  return error == 0 ? "" : std::string("the kernel refuses it: ") + std::strerror(error);
}

void Daemon::learn_what_can_be_followed() {
  // What is opened later and for good: sampler, listener, a few for administrators.
  constexpr std::uint64_t kStillToCome = 28;
  followable_ =
      followable_with(descriptors_, open_descriptors() + kStillToCome, config_.limits.clients);
  log_info("open files", {{"limit", descriptors_},
                          {"jobs_at_once", followable_.jobs},
                          {"clients", followable_.clients}});
}

void Daemon::start_engine(StoreImage image, const std::string& boot_id) {
  learn_what_can_be_followed();
  HostCapacity host = host_of(config_);
  host.jobs_most = followable_.jobs;
  State state(config_.rules, host);
  state.configure_tenants(config_.tenants);
  const std::string open = why_devices_are_open();
  log_info("device filter", {{"state", open.empty() ? "on" : "off"}, {"reason", open}});
  mps_control_ = find_mps_control(config_.mps, sim_);
  if (wants_mps(config_) && mps_control_.empty()) {
    log_warning("MPS is on, but jobs run without it: nvidia-cuda-mps-control is not there",
                {{"set", config_.mps.control}});
  }
  Engine::Options options{.log_limit_bytes = config_.jobs.log_limit_bytes,
                          .jobs_directory = config_.state_directory + "/jobs",
                          .filter_devices = open.empty(),
                          .devices_open = open,
                          .mps_control = mps_control_,
                          .mps_variables = mover_variables(sim_),
                          .mps_linger = config_.mps.linger,
                          .sim_world = sim_ ? sim_->file : "",
                          .sim_libraries = sim_ ? sim_->libraries : ""};
  options.note_of = note_of;
  options.holds_of = holds_of;
  options.read_environments = [this](std::vector<std::string> hashes, auto done) {
    store_thread_->read_environments(std::move(hashes), std::move(done));
  };
  // Simulated cards are in no slot.
  if (config_.host.numa && !sim_) {
    options.near_cpus = [nodes = NumaNodes::read()](const std::vector<std::string>& pci) {
      return nodes.near(pci);
    };
  }
  engine_ =
      std::make_unique<Engine>(std::move(state), Site{*launcher_, *mover_}, std::move(options));
  const std::vector<TrailEntry> unlooked = std::move(image.unlooked);
  const std::uint64_t looked = image.alarms_looked;
  engine_->recover(std::move(image), boot_id, read_clock(), state_id_.copied);
  start_courier();
  idle_watch_ = std::make_unique<IdleWatch>(
      loop_, *engine_, [this](AttemptId attempt) { return launcher_->shim_of(attempt); });
  foreign_ = std::make_unique<ForeignWatch>(
      ForeignWatch::Terms{.rules = foreign_rules_of(config_.idle_foreign),
                          .grace = config_.jobs.grace,
                          .environment = make_environment({}),
                          .uid = ::geteuid(),
                          .pid = ::getpid()});
  api_ = std::make_unique<Api>(loop_, *engine_, api_ports(), api_limits());
  driver_ = std::make_unique<Driver>(loop_, *engine_, *store_thread_, [this] { after_turn(); });
  work_meters_.begin_with(engine_->state(), read_clock());
  driver_->measure(turn_meters_, work_meters_);
  driver_->on_forgotten([this](JobId job) { on_forgotten(job); });
  watch_alarms();
  alarm_watch_->recall(unlooked, looked);
  std::vector<JobId> known;
  for (const auto& [id, job] : engine_->state().jobs()) known.push_back(id);
  history_->forget_all_but(std::move(known));
}

void Daemon::after_turn() {
  if (calendar_read_ && read_clock().wall - *calendar_read_ > std::chrono::days{1}) {
    read_calendar(engine_->state().cards());
  }
  const Counts& counts = engine_->state().counts();
  if (cards_) cards_->set_busy(counts.queued + counts.starting + counts.running > 0);
  if (cards_) look_closely();
  if (cards_ && whose_has_changed()) tell_attempts();
  log_drains();
  if (counts.running > 0) look_at_progress();
  idle_watch_->look_soon();
  courier_->after_turn();
  look_at_idle_foreign();
  for (auto& left : containers_.take_left_behind(engine_->state())) {
    launcher_->end_containers(left.attempt, left.since, std::move(left.groups));
  }
  constexpr std::uint64_t kWorthIt = 8ULL << 20;
  if (engine_->environments_put_away() - put_away_ >= kWorthIt) {
    put_away_ = engine_->environments_put_away();
    give_memory_back();
  }
  api_->after_turn();
}

// The shims, or the processes that hold leases, which are in no group of ours.
bool Daemon::whose_has_changed() {
  const StateView& state = engine_->state();
  std::map<int, std::uint32_t> holders;
  for (const JobId id : state.leases().live()) {
    const Job& job = *state.find(id);
    if (job.active() && job.spec->lease->pid > 0) {
      holders.emplace(job.spec->lease->pid, job.owner.uid);
    }
  }
  const bool changed = launcher_->take_changed();
  return std::exchange(holders_, holders) != holders || changed;
}

// Whose a process is. Control groups say most of it; where there are some, the rest (containers)
// can wait until the starts and ends of a moment have gathered.
void Daemon::tell_attempts() {
  constexpr std::chrono::milliseconds kGather{100};
  if (std::exchange(attempts_due_, true)) return;
  const auto tell = [this] {
    attempts_due_ = false;
    std::vector<watch::RunningAttempt> attempts;
    for (const auto& [pid, uid] : holders_) {
      attempts.push_back({{JobId{kHolderJob}, pid}, pid, uid});
    }
    for (const auto& [attempt, shim] : launcher_->shims()) {
      const Job* job = engine_->state().find(attempt.job);
      if (job != nullptr) attempts.push_back({attempt, shim, job->owner.uid});
    }
    cards_->set_attempts(std::move(attempts));
  };
  if (cgroup_.path.empty()) return tell();
  attempts_told_.expires_after(kGather);
  attempts_told_.async_wait([tell](const boost::system::error_code& cancelled) {
    if (!cancelled) tell();
  });
}

void Daemon::let_clients_in() {
  if (std::exchange(let_in_, true)) return;
  first_look_.cancel();
  // Under root everybody may connect: the peer's credentials say who it is.
  const mode_t mode = ::geteuid() == 0 ? 0666 : 0600;
  outcome_ = api_->listen(config_.socket, mode);
  if (!outcome_) {
    loop_.stop();
    return;
  }
  if (!config_.network.listen.empty()) open_what_can_be_had();
  log_info("ready", {{"socket", config_.socket},
                     {"state", config_.state_directory},
                     {"jobs", engine_->state().jobs().size()},
                     {"cgroup", cgroup_.path.empty() ? "none" : cgroup_.path}});
  notify_service_manager("READY=1");
  look_for_socket();
  look_for_host_names();
}

// The allocator keeps what was freed. After very many jobs that is most of what we have, so it is
// given back once they are all gone.
void Daemon::give_memory_back() {
  constexpr std::chrono::seconds kAllGone{2};
  memory_back_.expires_after(kAllGone);  // Replaces the one before.
  memory_back_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    forgotten_ = 0;
    ::malloc_trim(0);
  });
}

void Daemon::on_forgotten(JobId job) {
  constexpr std::size_t kWorthIt = 5000;
  history_->forget(job);
  if (++forgotten_ >= kWorthIt) give_memory_back();
}

// Without it nobody could reach us, while everything else goes on.
void Daemon::look_for_socket() {
  constexpr std::chrono::seconds kEvery{2};
  socket_looked_.expires_after(kEvery);
  socket_looked_.async_wait([this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    const auto made = api_->renew_socket();
    const std::string trouble = made ? "" : made.error().message;
    if (made && *made)
      log_warning("the socket was gone and is made again", {{"socket", config_.socket}});
    if (!trouble.empty() && trouble != socket_trouble_) {
      log_error("the socket is gone and cannot be made again", {{"reason", trouble}});
    }
    socket_trouble_ = trouble;
    look_for_socket();
  });
}

void Daemon::wait_for_end() {
  ending_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    log_info("stopping; running jobs go on and are found again at the next start");
    notify_service_manager("STOPPING=1");
    socket_looked_.cancel();
    network_tried_.cancel();
    alarm_watch_->stop();
    api_->stop();
    driver_->stop([this] { loop_.stop(); });
  });
}

void Daemon::wait_for_hangup() {
  hangup_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    if (auto reopened = reopen_log(); !reopened) log_error(reopened.error().message);
    auto read = reload(false);
    if (!read) {
      log_error("the configuration stays as it was", {{"reason", read.error().message}});
    }
    note_reload(read);
    wait_for_hangup();
  });
}

Result<void> Daemon::run() {
  loop_.run();
  return outcome_;
}

ApiLimits Daemon::api_limits() const {
  ApiLimits limits;
  limits.body_bytes = config_.limits.body_bytes;
  limits.header_bytes = static_cast<std::uint32_t>(config_.limits.header_bytes);
  limits.clients = followable_.clients;
  limits.clients_per_user = config_.limits.clients_per_user;
  limits.roles = config_.roles;
  limits.tenant_groups = config_.tenants.groups;
  limits.names = {host_names_.begin(), host_names_.end()};
  limits.names.insert(config_.network.names.begin(), config_.network.names.end());
  if (certificate_) {
    limits.names.insert(certificate_->names().begin(), certificate_->names().end());
  }
  limits.arguments_for_all = config_.arguments_for_all;
  limits.visibility = config_.visibility;
  limits.prices = config_.prices;
  limits.stream_bytes = config_.limits.stream_backlog_bytes;
  limits.submission_jobs_most = config_.rules.submission_jobs_most;
  limits.look_ahead_every = config_.look_ahead_every;
  limits.default_grace = config_.jobs.grace;
  limits.default_retry_back_off = config_.jobs.retry_back_off;
  return limits;
}

ApiPorts Daemon::api_ports() {
  ApiPorts ports;
  ports.now = read_clock;
  ports.read_trail = [this](JobId job, std::uint64_t after, std::size_t limit, auto done) {
    store_thread_->read_trail(job, after, limit, std::move(done));
  };
  ports.read_audit = [this](const AuditPart& part, auto done) {
    store_thread_->read_audit(part, std::move(done));
  };
  ports.read_past = [this](const PastPart& part, auto done) {
    past_thread_->read_past(part, std::move(done));
  };
  ports.read_environments = [this](std::vector<std::string> hashes, auto done) {
    store_thread_->read_environments(std::move(hashes), std::move(done));
  };
  ports.backup = [this](const std::string& path, auto done) {
    store_thread_->backup(path, std::move(done));
  };
  ports.read_history = [this](const history::Question& question, auto done) {
    history_->ask(question, std::move(done));
  };
  ports.config_text = [this] { return config_text(config_); };
  ports.settings = [this](bool addresses) { return settings(addresses); };
  ports.set_log_level = set_level;
  ports.reload = [this](bool dry_run) { return reload(dry_run); };
  ports.cards_from = [this] { return cards_from_; };
  ports.board = [this]() -> const watch::CardBoard* { return cards_ ? &cards_->board() : nullptr; };
  ports.shims = [this] { return launcher_->shims(); };
  ports.problems = [this] { return problems(); };
  ports.metrics = metric_sources();
  add_alarm_ports(ports);
  ports.page = page_files();
  ports.addresses = [this] { return addresses_for_browsers(); };
  ports.socket = config_.socket;
  ports.state_directory = config_.state_directory;
  ports.started_at = read_clock().wall;
  ports.daemon_uid = ::geteuid();
  return ports;
}

}  // namespace gpusched
