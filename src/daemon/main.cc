// gpuschedd: reads like a list of parts. Each part is made, told what it needs, and connected;
// all of them live until the loop ends.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "api/api.h"
#include "base/clock.h"
#include "base/locations.h"
#include "base/log.h"
#include "config/config.h"
#include "daemon/driver.h"
#include "daemon/host.h"
#include "daemon/options.h"
#include "daemon/readiness.h"
#include "daemon/state_directory.h"
#include "daemon/store_thread.h"
#include "engine/engine.h"
#include "gpu/sampler_cards.h"
#include "gpu/simulated_cards.h"
#include "process/cgroup.h"
#include "process/shim_launcher.h"
#include "store/sqlite_store.h"

namespace gpusched {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "gpuschedd: %s\n", error.message.c_str());
  return exit_code_of(error.code);
}

// The configuration file, with the command line on top.
Result<Config> settings(const DaemonOptions& options) {
  const EnvironmentLookup environment = process_environment();
  const bool root = ::geteuid() == 0;
  auto found = find_config(options.config, environment, root);
  if (!found) return failure(found.error());
  Config config = std::move(found->config);
  if (!options.sim.empty()) config.sim = options.sim;
  if (!options.socket.empty()) config.socket = options.socket;
  if (!options.state_directory.empty()) config.state_directory = options.state_directory;
  if (!options.log_level.empty()) {
    const auto level = log_level_named(options.log_level);
    if (!level) {
      return failure(ErrorCode::kInvalid, "'" + options.log_level +
                                              "' is not a log level (error, warning, info, debug)");
    }
    config.log.level = *level;
  }
  if (config.state_directory.empty()) {
    config.state_directory = default_state_directory(environment, root);
  }
  config.state_directory = std::filesystem::absolute(config.state_directory).lexically_normal();
  if (config.state_directory.size() > 1 && config.state_directory.back() == '/') {
    config.state_directory.pop_back();
  }
  if (config.socket.empty()) {
    // A daemon with a state directory of its own answers there, so that two can run side by side.
    config.socket = options.state_directory.empty() ? default_socket(environment, root)
                                                    : config.state_directory + "/gpusched.sock";
  }
  return config;
}

Result<std::unique_ptr<GpuBackend>> cards_of(boost::asio::io_context& loop, const Config& config) {
  if (config.sim.empty()) return make_sampler_cards(loop);
  return make_simulated_cards(loop, config.sim);
}

HostCapacity host_of(const Config& config) {
  HostCapacity host = read_host_capacity();
  if (config.host.cpus > 0) host.cpus = config.host.cpus;
  if (config.host.ram_bytes > 0) host.ram_bytes = config.host.ram_bytes;
  return host;
}

ApiLimits limits_of(const Config& config) {
  ApiLimits limits;
  limits.body_bytes = config.limits.body_bytes;
  limits.header_bytes = static_cast<std::uint32_t>(config.limits.header_bytes);
  limits.clients = config.limits.clients;
  limits.clients_per_user = config.limits.clients_per_user;
  limits.stream_bytes = config.limits.stream_backlog_bytes;
  limits.submission_jobs_most = config.rules.submission_jobs_most;
  limits.default_grace = config.jobs.grace;
  limits.default_retry_back_off = config.jobs.retry_back_off;
  return limits;
}

ApiPorts ports_of(const Config& config, StoreThread& store, const std::string& cards_from) {
  ApiPorts ports;
  ports.now = read_clock;
  ports.read_trail = [&store](JobId job, std::uint64_t after, std::size_t limit, auto done) {
    store.read_trail(job, after, limit, std::move(done));
  };
  ports.backup = [&store](const std::string& path, auto done) {
    store.backup(path, std::move(done));
  };
  ports.config_text = [&config] { return config_text(config); };
  ports.set_log_level = [](const std::string& name) -> Result<void> {
    const auto level = log_level_named(name);
    if (!level) return failure(ErrorCode::kInvalid, "'" + name + "' is not a log level");
    set_log_level(*level);
    return {};
  };
  ports.cards_from = [&cards_from] { return cards_from; };
  ports.state_directory = config.state_directory;
  ports.started_at = read_clock().wall;
  ports.daemon_uid = ::geteuid();
  return ports;
}

int serve(const Config& config) {
  if (auto opened = open_log(config.log); !opened) return fail(opened.error());
  const auto lock = take_state_directory(config.state_directory);
  if (!lock) return fail(lock.error());
  auto store = SqliteStore::open({.directory = config.state_directory});
  if (!store) return fail(store.error());
  auto image = (*store)->load();
  if (!image) return fail(image.error());
  const auto boot_id = read_boot_id();
  if (!boot_id) return fail(boot_id.error());

  boost::asio::io_context loop(1);
  StoreThread store_thread(
      **store, [&loop](std::function<void()> work) { boost::asio::post(loop, std::move(work)); },
      {});

  const CgroupBase cgroup = prepare_cgroups(find_cgroup_base(config.state_directory), true);
  Engine* engine_for_reports = nullptr;
  auto launcher =
      ShimLauncher::start(loop,
                          {.state_directory = config.state_directory,
                           .launcher_program = find_launcher_program(),
                           .cgroup = cgroup,
                           .complain = [](const std::string& what) { log_warning(what); }},
                          [&engine_for_reports](LauncherReport report) {
                            engine_for_reports->report(std::move(report));
                          });
  if (!launcher) return fail(launcher.error());

  Engine engine(State(config.rules, host_of(config)), **launcher,
                {.log_limit_bytes = config.jobs.log_limit_bytes,
                 .jobs_directory = config.state_directory + "/jobs"});
  engine_for_reports = &engine;
  const std::size_t known_jobs = image->jobs.size();
  engine.recover(std::move(*image), *boot_id, read_clock());

  std::string cards_from = "none";
  Api api(loop, engine, ports_of(config, store_thread, cards_from), limits_of(config));
  Driver driver(loop, engine, store_thread, [&api] { api.after_turn(); });
  if (auto started = driver.start(); !started) return fail(started.error());

  auto backend = cards_of(loop, config);
  if (!backend) return fail(backend.error());
  int exit_code = 0;
  // Clients are let in when the cards are known: a need can be judged from the first request on.
  (*backend)->find_cards([&](Result<CardsFound> found) {
    if (found) {
      cards_from = found->source;
      engine.post(CardsReported{found->cards});
      log_info("cards found", {{"source", cards_from}, {"count", found->cards.size()}});
    } else {
      log_warning("no cards can be seen; jobs that need one wait or are refused",
                  {{"reason", found.error().message}});
    }
    const mode_t mode = ::geteuid() == 0 ? 0666 : 0600;
    if (auto listening = api.listen(config.socket, mode); !listening) {
      exit_code = fail(listening.error());
      loop.stop();
      return;
    }
    log_info("ready", {{"socket", config.socket},
                       {"state", config.state_directory},
                       {"jobs", known_jobs},
                       {"cgroup", cgroup.path.empty() ? "none" : cgroup.path}});
    notify_service_manager("READY=1");
  });

  boost::asio::signal_set ending(loop, SIGTERM, SIGINT);
  ending.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    log_info("stopping; running jobs go on and are found again at the next start");
    notify_service_manager("STOPPING=1");
    api.stop();
    driver.stop([&loop] { loop.stop(); });
  });
  boost::asio::signal_set hangup(loop, SIGHUP);
  std::function<void()> wait_for_hangup = [&] {
    hangup.async_wait([&](const boost::system::error_code& error, int) {
      if (error) return;
      if (auto reopened = reopen_log(); !reopened) log_error(reopened.error().message);
      wait_for_hangup();
    });
  };
  wait_for_hangup();
  std::signal(SIGPIPE, SIG_IGN);
  loop.run();
  return exit_code;
}

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  using namespace gpusched;
  const auto options = parse_daemon_options({argv + 1, argv + argc});
  if (!options) return fail(options.error());
  if (options->show_help) {
    std::fputs(daemon_help().c_str(), stdout);
    return 0;
  }
  if (options->show_version) {
    std::puts("gpuschedd " GPUSCHED_VERSION);
    return 0;
  }
  const auto config = settings(*options);
  if (!config) return fail(config.error());
  return serve(*config);
}
