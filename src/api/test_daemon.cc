#include "api/test_daemon.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <fstream>

#include "core/state/state.h"
#include "os/clock.h"
#include "wire/environment.h"

namespace gpusched::testing {

TempDirectory::TempDirectory() {
  std::string name = std::filesystem::temp_directory_path() / "gpusched-api-XXXXXX";
  path_ = ::mkdtemp(name.data());
  ::chmod(path_.c_str(), 0755);
}
TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

struct TestDaemon::Loop {
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
};

Now TestDaemon::now() { return read_clock(); }

TestDaemon::TestDaemon(Options options) : options_(std::move(options)) {
  socket_ = directory_.path() + "/api.sock";
  loop_ = std::make_unique<Loop>();
  State state(Rules{}, HostCapacity{8, 64ULL << 30});
  engine_ = std::make_unique<Engine>(std::move(state), Site{launcher_, mover_}, Engine::Options{});
  engine_->recover(StoreImage{}, "boot", now());
  engine_->on_work([this] { schedule(); });
  ApiPorts ports;
  ports.now = &TestDaemon::now;
  ports.read_trail = [this](JobId job, std::uint64_t after, std::size_t limit, auto done) {
    std::vector<TrailEntry> found;
    for (const TrailEntry& entry : trail_[job]) {
      if (entry.sequence > after && found.size() < limit) found.push_back(entry);
    }
    done(std::move(found));
  };
  ports.read_audit = [this](const AuditPart& part, auto done) { done(store_.audit(part)); };
  ports.read_past = [this](const PastPart& part, auto done) { done(store_.past(part)); };
  ports.read_history = options_.read_history;
  ports.problems = options_.problems;
  ports.page = options_.page;
  ports.backup = [](const std::string& path, auto done) {
    std::ofstream(path) << std::string(1'000'000, 'b');
    done({});
  };
  ports.config_text = [] { return std::string("limits: {}\n"); };
  ports.settings = [](bool addresses) {
    return wire::Settings{.file = "gpusched.yaml",
                          .settings = {{.name = "scheduling.sharing",
                                        .value = addresses ? "on" : "off",
                                        .standard = "on",
                                        .from = "file",
                                        .line = 12,
                                        .at_restart = true,
                                        .waits = "off",
                                        .about = "Whether jobs share."}}};
  };
  ports.set_log_level = [](const std::string&) -> Result<void> { return {}; };
  ports.cards_from = [] { return std::string("simulated"); };
  ports.state_directory = directory_.path();
  ports.daemon_uid = options_.daemon_uid;
  ports.name_of_user = [user = options_.user](std::uint32_t uid) {
    return uid == ::getuid() ? user : "user" + std::to_string(uid);
  };
  ports.account_of = [name = ports.name_of_user](std::uint32_t uid,
                                                 const std::vector<std::string>&) {
    return std::optional(Account{.name = name(uid), .gid = uid});
  };
  api_ = std::make_unique<Api>(loop_->io, *engine_, std::move(ports), options_.limits);
  std::vector<Card> cards;
  for (int i = 0; i < options_.cards; ++i) {
    cards.push_back({CardNumber(i), "GPU-" + std::to_string(i), "Sim", 24ULL << 30, 0, true});
  }
  engine_->post(CardsReported{std::move(cards)});
  const Result<void> listening = api_->listen(socket_, 0666);
  if (!listening) std::abort();
  thread_ = std::thread([this] { loop_->io.run(); });
}

TestDaemon::~TestDaemon() {
  on_loop([this] { api_.reset(); });
  loop_->work.reset();
  loop_->io.stop();
  thread_.join();
}

void TestDaemon::post(std::function<void()> what) { boost::asio::post(loop_->io, std::move(what)); }

void TestDaemon::schedule() {
  if (scheduled_) return;
  scheduled_ = true;
  post([this] {
    scheduled_ = false;
    turn();
  });
}

void TestDaemon::turn() {
  if (engine_->committing() || !engine_->wants_turn(now())) return;
  auto commit = engine_->begin_turn(now());
  if (!commit) {
    if (api_) api_->after_turn();
    if (engine_->wants_turn(now())) schedule();
    return;
  }
  if (!fail_) {
    Commit noted;
    noted.audit = commit->audit;
    noted.audit_bounds = commit->audit_bounds;
    noted.past = commit->past;
    noted.past_bounds = commit->past_bounds;
    noted.clock = commit->clock;
    (void)store_.commit(noted);
    for (const TrailEntry& entry : commit->trail) trail_[entry.job].push_back(entry);
  }
  if (hold_) {
    held_ = true;
    return;
  }
  post([this] { finish(fail_ ? Committed(failure(*fail_)) : Committed{}); });
}

void TestDaemon::finish(const Committed& committed) {
  engine_->finish_turn(committed, now());
  if (api_) api_->after_turn();
  schedule();
}

void TestDaemon::hold_commits(bool hold) {
  on_loop([this, hold] {
    hold_ = hold;
    if (!hold && std::exchange(held_, false)) finish({});
  });
}

void TestDaemon::fail_commits(std::optional<Error> error) {
  on_loop([this, error] { fail_ = error; });
}

void TestDaemon::report(LauncherReport report) {
  on_loop([this, &report] { engine_->report(std::move(report)); });
}

void TestDaemon::start_job(std::uint64_t id) {
  on_loop([this, id] {
    const Job* job = engine_->state().find(JobId{id});
    AttemptRunning started;
    started.attempt = job->current_attempt();
    started.started_at = now().wall;
    engine_->report(started);
  });
}

void TestDaemon::end_job(std::uint64_t id, int exit_code) {
  on_loop([this, id, exit_code] {
    const Job* job = engine_->state().find(JobId{id});
    AttemptFinished ended;
    ended.attempt = job->current_attempt();
    ended.cause = Cause::kExit;
    ended.exit_code = exit_code;
    ended.started_at = ended.ended_at = now().wall;
    engine_->report(ended);
  });
}

void TestDaemon::add_jobs(std::size_t count) {
  on_loop([this, count] {
    SubmitAsked asked;
    asked.owner = {1000, 1000, "ml1"};
    asked.tenant = "ml1";
    auto spec = std::make_shared<JobSpec>();
    spec->argv = {"python", "train.py", "--seed", "{seed}"};
    spec->working_directory = "/tmp";
    spec->environment = make_environment({});
    spec->name = "sweep";
    spec->needs.vram_bytes = 8ULL << 30;
    asked.spec = spec;
    asked.array = true;
    for (std::size_t i = 0; i < count; ++i) {
      asked.tasks.push_back({static_cast<std::uint32_t>(i), {{"seed", std::to_string(i)}}});
    }
    engine_->submit(std::move(asked), [](const Result<Answer>&) {});
  });
}

int TestDaemon::clients() {
  return on_loop([this] { return api_->clients(); });
}

}  // namespace gpusched::testing
