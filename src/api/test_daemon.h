// For tests: the API over a real socket with a real engine, a store that is only pretended and
// processes that do what the test says. The loop runs on a thread of its own.
#pragma once

#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/api.h"
#include "engine/engine.h"
#include "sim/memory_store.h"

namespace gpusched::testing {

struct FakeLauncher : Launcher {
  void report_to(LauncherSink) override {}
  void let_go(AttemptId) override {}
  void launch(LaunchOrder order) override { launched.push_back(std::move(order)); }
  void reattach(AttemptId) override {}
  void stop(AttemptId attempt, Seconds) override { stopped.push_back(attempt); }
  void ask_to_save(AttemptId, const SaveTerms&, Seconds) override {}
  void change_time(AttemptId, const TimeRule&) override {}
  void forget(JobId) override {}

  std::vector<LaunchOrder> launched;
  std::vector<AttemptId> stopped;
};

struct FakeMover : Mover {
  void report_to(MoverSink) override {}
  void move_aside(MoveOrder) override {}
  void bring_back(MoveOrder) override {}
};

// A directory of its own, removed at the end.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class TestDaemon {
 public:
  struct Options {
    ApiLimits limits;
    std::uint32_t daemon_uid = 0;  // Pretended.
    int cards = 2;
    std::string user = "ml1";
    decltype(ApiPorts::read_history) read_history;
    decltype(ApiPorts::problems) problems = {};
    std::span<const PageFile> page = {};
  };
  TestDaemon() : TestDaemon(Options{}) {}
  explicit TestDaemon(Options options);
  ~TestDaemon();

  const std::string& socket() const { return socket_; }
  const std::string& state_directory() const { return directory_.path(); }

  // Runs on the loop's thread and waits for it.
  template <class F>
  auto on_loop(F what) -> decltype(what()) {
    std::packaged_task<decltype(what())()> task(std::move(what));
    auto result = task.get_future();
    post([&task] { task(); });
    return result.get();
  }
  // Commits begin but do not end until released.
  void hold_commits(bool hold);
  void fail_commits(std::optional<Error> error);
  void report(LauncherReport report);
  // Begins and ends the attempt of a job that is starting.
  void start_job(std::uint64_t id);
  void end_job(std::uint64_t id, int exit_code = 0);
  // Puts many ended or queued jobs there at once, without the API.
  void add_jobs(std::size_t count);
  Engine& engine() { return *engine_; }
  FakeLauncher& launcher() { return launcher_; }
  int clients();

 private:
  void post(std::function<void()> what);
  void schedule();
  void turn();
  void finish(const Committed& committed);
  static Now now();

  Options options_;
  TempDirectory directory_;
  std::string socket_;
  FakeLauncher launcher_;
  FakeMover mover_;
  struct Loop;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Api> api_;
  std::map<JobId, std::vector<TrailEntry>> trail_;
  MemoryStore store_;  // Of the audit and the past alone.
  bool hold_ = false;
  bool held_ = false;  // A commit is waiting.
  bool scheduled_ = false;
  std::optional<Error> fail_;
  std::thread thread_;
};

}  // namespace gpusched::testing
