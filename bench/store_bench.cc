// What the store costs: a large array in slices, single-job commits, a job's way through its
// states, load, retention, backup. Prints one line per measure; docs/benchmarks.md has the figures.
// Usage: store_bench DIRECTORY [JOBS]   (DIRECTORY: new, on the disk to be measured)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/sqlite_store.h"

namespace gpusched {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void give_up(const Error& error) {
  fmt::print(stderr, "store_bench: {}\n", error.message);
  std::exit(1);
}

struct Figures {
  std::vector<double> milliseconds;
  double at(double share) {
    std::ranges::sort(milliseconds);
    const auto last = static_cast<double>(milliseconds.size() - 1);
    return milliseconds[static_cast<std::size_t>(last * share)];
  }
  void print(const char* name) {
    fmt::print("{:<34} p50 {:.3f} ms  p99 {:.3f} ms  max {:.3f} ms  ({} commits)\n", name, at(0.5),
               at(0.99), at(1.0), milliseconds.size());
  }
};

class Bench {
 public:
  Bench(std::string directory, std::uint64_t jobs) : directory_(std::move(directory)), jobs_(jobs) {
    auto environment = std::make_shared<Environment>();
    environment->hash = std::string(64, 'a');
    for (int i = 0; i < 60; ++i) {
      environment->variables.push_back(fmt::format("VARIABLE_{}={}", i, std::string(40, 'x')));
    }
    auto spec = std::make_shared<JobSpec>();
    spec->argv = {"python3", "train.py", "--lr", "{lr}", "--seed", "{seed}"};
    spec->working_directory = "/home/somebody/project";
    spec->environment = environment;
    spec->name = "sweep";
    spec_ = spec;
  }

  void open() {
    Result<std::unique_ptr<SqliteStore>> store = SqliteStore::open({.directory = directory_});
    if (!store) give_up(store.error());
    store_ = std::move(*store);
    const auto start = Clock::now();
    Result<StoreImage> image = store_->load();
    if (!image) give_up(image.error());
    if (!image->jobs.empty()) {
      fmt::print("{:<34} {:.0f} ms\n", fmt::format("load of {} jobs", image->jobs.size()),
                 seconds_since(start) * 1e3);
    }
  }

  void submit_in_slices(std::uint64_t slice) {
    Figures figures;
    double total = 0;
    for (std::uint64_t from = 0; from < jobs_; from += slice) {
      Commit commit;
      for (std::uint64_t i = from; i < std::min(from + slice, jobs_); ++i) {
        Job job = new_job(spec_);
        job.task = std::make_shared<const ArrayTask>(
            ArrayTask{JobId{1},
                      static_cast<std::uint32_t>(i),
                      {{"lr", "0.001"}, {"seed", std::to_string(i)}}});
        note(commit, job, "submitted");
        commit.jobs.put.push_back(std::move(job));
      }
      total += run(commit, figures);
    }
    fmt::print("{:<34} {:.2f} us a job, {:.0f} jobs/s\n",
               fmt::format("{} jobs by {}", jobs_, slice), total / static_cast<double>(jobs_) * 1e6,
               static_cast<double>(jobs_) / total);
    figures.print("  a slice");
  }

  void submit_single(int count) {
    Figures figures;
    for (int i = 0; i < count; ++i) {
      Commit commit;
      Job job = new_job(std::make_shared<const JobSpec>(*spec_));
      note(commit, job, "submitted");
      commit.jobs.put.push_back(std::move(job));
      run(commit, figures);
    }
    figures.print("one job, one commit");
  }

  void walk_through_states(int count) {
    Figures figures;
    for (int i = 0; i < count; ++i) {
      Job job = new_job(std::make_shared<const JobSpec>(*spec_));
      Grant grant;
      grant.cards = {
          {.card = CardNumber{0}, .vram_bytes = 1 << 30, .share_percent = 50, .whole = false}};
      for (const JobState& state : {JobState{Queued{}}, JobState{Starting{grant, {}, {}}},
                                    JobState{Running{grant, {}, {}}}, JobState{Ended{}}}) {
        Commit commit;
        job.state = state;
        note(commit, job, state_name(state));
        commit.jobs.put.push_back(job);
        run(commit, figures);
      }
    }
    figures.print("one transition, one commit");
  }

  void remove_by(std::uint64_t slice, std::uint64_t count) {
    Figures figures;
    for (std::uint64_t from = 1; from <= count; from += slice) {
      Commit commit;
      for (std::uint64_t i = from; i < from + slice; ++i) commit.jobs.removed.push_back(JobId{i});
      run(commit, figures);
    }
    figures.print(fmt::format("retention, {} jobs a commit", slice).c_str());
  }

  void backup() {
    const auto start = Clock::now();
    if (Result<void> done = store_->backup(directory_ + "/copy.db"); !done) give_up(done.error());
    fmt::print("{:<34} {:.0f} ms\n", "backup", seconds_since(start) * 1e3);
  }

 private:
  Job new_job(std::shared_ptr<const JobSpec> spec) {
    Job job;
    job.id = JobId{++last_job_};
    job.spec = std::move(spec);
    job.owner = {.uid = 1000, .gid = 1000, .user = "somebody"};
    job.tenant = "somebody";
    job.submitted_at = Wall(Microseconds(1'770'000'000'000'000));
    return job;
  }

  void note(Commit& commit, const Job& job, const char* kind) {
    commit.trail.push_back({.sequence = ++last_trail_,
                            .job = job.id,
                            .at = job.submitted_at,
                            .attempt = job.attempt,
                            .kind = kind,
                            .text = "Submitted by somebody with priority 50."});
  }

  double run(const Commit& commit, Figures& figures) {
    const auto start = Clock::now();
    if (const Committed done = store_->commit(commit); !done) give_up(done.error());
    const double seconds = seconds_since(start);
    figures.milliseconds.push_back(seconds * 1e3);
    return seconds;
  }

  std::string directory_;
  std::uint64_t jobs_;
  std::shared_ptr<const JobSpec> spec_;
  std::unique_ptr<SqliteStore> store_;
  std::uint64_t last_job_ = 0;
  std::uint64_t last_trail_ = 0;
};

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: store_bench DIRECTORY [JOBS]\n");
    return 64;
  }
  std::filesystem::create_directories(argv[1]);
  const std::uint64_t jobs = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100'000;
  gpusched::Bench bench(argv[1], jobs);
  bench.open();
  bench.submit_in_slices(1000);
  bench.submit_single(1000);
  bench.walk_through_states(500);
  bench.backup();
  bench.open();
  bench.remove_by(100, jobs / 10);
  return 0;
}
