// What one turn costs in CPU time when the queue is long: 100,000 pending jobs, 64 cards all held;
// in each turn one job ends and the next one starts. The store is left out (it has its own thread),
// the commit that would go to it is built. Prints p50 and p99 per mix of shapes.
// With several tenants the jobs are theirs in turn, an array per tenant; with quotas, each may hold
// a card less than its part of them.
// Usage: decide_bench [JOBS [CARDS [TURNS [TENANTS [quotas]]]]]
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/state/state.h"
#include "engine/engine.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;

double thread_cpu_us() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Remembers what was launched; ends nothing by itself.
class RecordingLauncher : public Launcher {
 public:
  void report_to(LauncherSink) override {}
  void let_go(AttemptId) override {}
  void launch(LaunchOrder order) override { alive.push_back(order.attempt); }
  void reattach(AttemptId) override {}
  void stop(AttemptId, Seconds) override {}
  void ask_to_save(AttemptId, const SaveTerms&, Seconds) override {}
  void change_time(AttemptId, const TimeRule&) override {}
  void forget(JobId) override {}
  std::vector<AttemptId> alive;
};

struct NoMover : Mover {
  void report_to(MoverSink) override {}
  void move_aside(MoveOrder) override {}
  void bring_back(MoveOrder) override {}
};

// How the pending jobs differ from each other.
enum class Mix { kOneArray, kSingleJobs, kManyShapes, kSharedCards };
const char* name_of(Mix mix) {
  switch (mix) {
    case Mix::kOneArray:
      return "one array";
    case Mix::kSingleJobs:
      return "separate jobs, 5 priorities";
    case Mix::kManyShapes:
      return "1,000 shapes";
    case Mix::kSharedCards:
      return "1,000 shapes, 3 jobs to a card";
  }
  return "";
}

class Bench {
 public:
  Bench(int jobs, int cards, int tenants, bool quotas) : jobs_(jobs), tenants_(tenants) {
    Engine::Options options;
    options.jobs_directory = "/state/jobs";
    options.backlog = static_cast<std::size_t>(jobs) * 2;
    engine_ = std::make_unique<Engine>(State({}, HostCapacity{1024, 1024 * kGiB}),
                                       Site{launcher_, mover_}, std::move(options));
    engine_->recover({}, "boot", now_);
    std::vector<Card> list;
    for (int i = 0; i < cards; ++i) {
      list.push_back({.number = CardNumber{static_cast<std::uint16_t>(i)},
                      .uuid = "GPU-" + std::to_string(i),
                      .model = "Simulated 80G",
                      .vram_bytes = 80 * kGiB});
    }
    engine_->post(CardsReported{std::move(list)});
    settle();
    if (!quotas) return;
    TenantRule rule;
    rule.cards = static_cast<std::uint64_t>(2 * cards / tenants + 1);
    rule.gpu_hours = parse_gpu_hours("1000000/month");
    engine_->post(TenantSetAsked{ourselves(), "default", rule});
    settle();
  }

  void fill(Mix mix) {
    const int submissions = mix == Mix::kOneArray ? tenants_ : jobs_;
    for (int i = 0; i < submissions; ++i) {
      SubmitAsked asked;
      asked.owner = {.uid = 1000, .gid = 1000, .user = "user" + std::to_string(i % tenants_)};
      asked.tenant = asked.owner.user;
      asked.fingerprint = std::to_string(i);
      auto spec = std::make_shared<JobSpec>();
      spec->argv = {"train", std::to_string(i)};
      spec->working_directory = "/";
      spec->environment = environment_;
      if (mix == Mix::kSingleJobs) asked.priority = 40 + i % 5;
      // Shapes differ by time limit alone: every one could use the card that becomes free.
      if (mix == Mix::kManyShapes) spec->time.limit = Seconds{3600 + i % 1000};
      // As many kinds of memory need: some room is left on every card, but for none of them.
      if (mix == Mix::kSharedCards) {
        spec->needs.vram_bytes = 21 * kGiB + static_cast<std::uint64_t>(i % 1000) * (1 << 20);
      }
      asked.spec = std::move(spec);
      asked.array = mix == Mix::kOneArray;
      asked.total = asked.array ? static_cast<std::uint64_t>(jobs_ / tenants_) : 1;
      for (std::uint64_t task = 0; task < asked.total; ++task) {
        asked.tasks.push_back({static_cast<std::uint32_t>(task), {}});
      }
      engine_->submit(std::move(asked), [](const Result<Answer>& answer) {
        if (answer) return;
        fmt::print(stderr, "decide_bench: {}\n", answer.error().message);
        std::exit(1);
      });
      if (i % 1000 == 999) settle();
    }
    settle();
  }

  // One ends, one starts; then the started one is said to run, in a turn of its own.
  void measure(Mix mix, int turns) {
    report_running(0);
    std::vector<double> microseconds;
    for (int i = 0; i < turns; ++i) {
      AttemptFinished ended{.attempt = launcher_.alive.front()};
      ended.exit_code = 0;
      ended.started_at = now_.wall;
      ended.ended_at = now_.wall;
      launcher_.alive.erase(launcher_.alive.begin());
      const std::size_t before = launcher_.alive.size();
      tick();
      const double start = thread_cpu_us();
      engine_->report(std::move(ended));
      const auto commit = engine_->begin_turn(now_);
      if (commit) engine_->finish_turn({}, now_);
      microseconds.push_back(thread_cpu_us() - start);
      if (launcher_.alive.size() != before + 1) {
        fmt::print(stderr, "decide_bench: a turn started {} jobs instead of one\n",
                   launcher_.alive.size() - before);
        std::exit(1);
      }
      report_running(before);
    }
    std::ranges::sort(microseconds);
    const auto at = [&](double share) {
      return microseconds[static_cast<std::size_t>(static_cast<double>(turns - 1) * share)];
    };
    fmt::print("{:<30} p50 {:7.1f} us  p99 {:7.1f} us  max {:7.1f} us  ({} turns, {} pending)\n",
               name_of(mix), at(0.5), at(0.99), at(1.0), turns, engine_->state().pending().size());
  }

 private:
  void tick() {
    now_.wall += Microseconds{100};
    now_.boot += Microseconds{100};
  }
  void settle() {
    // Bounded: each turn applies a slice of what was submitted.
    for (int i = 0; i < jobs_ && engine_->wants_turn(now_); ++i) {
      tick();
      if (engine_->begin_turn(now_)) engine_->finish_turn({}, now_);
    }
  }
  void report_running(std::size_t from) {
    for (std::size_t i = from; i < launcher_.alive.size(); ++i) {
      engine_->report(AttemptRunning{launcher_.alive[i], now_.wall});
    }
    now_.boot += Microseconds{10'000'000};
    settle();
  }

  int jobs_;
  int tenants_;
  Now now_{Wall{Seconds{1'770'000'000}}, Boot{Seconds{1000}}};
  RecordingLauncher launcher_;
  NoMover mover_;
  std::shared_ptr<const Environment> environment_ = std::make_shared<Environment>();
  std::unique_ptr<Engine> engine_;
};

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const int cards = argc > 2 ? std::atoi(argv[2]) : 64;
  const int turns = argc > 3 ? std::atoi(argv[3]) : 2000;
  const int tenants = argc > 4 ? std::atoi(argv[4]) : 1;
  const bool quotas = argc > 5 && std::string(argv[5]) == "quotas";
  if (tenants < 1 || jobs < 1 || cards < 1 || turns < 1 || turns + 3 * cards > jobs) {
    fmt::print(
        stderr,
        "usage: decide_bench [JOBS [CARDS [TURNS [TENANTS [quotas]]]]], TURNS + 3 CARDS <= JOBS\n");
    return 64;
  }
  using gpusched::Mix;
  for (const Mix mix : {Mix::kOneArray, Mix::kSingleJobs, Mix::kManyShapes, Mix::kSharedCards}) {
    gpusched::Bench bench(jobs, cards, tenants, quotas);
    bench.fill(mix);
    bench.measure(mix, turns);
  }
  return 0;
}
