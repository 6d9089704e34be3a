// A grant and its release through the scheduler library: embedded, or through a running daemon.
//   scheduler_bench embedded [CARDS] [GRANTS] [THREADS] [MILLISECONDS]
//   scheduler_bench daemon SOCKET [GRANTS] [THREADS] [MILLISECONDS]
// One thread: one line of JSON with the microseconds of ScheduleGpuResources and of the release, by
// percentile. More threads: each asks for a whole card, waits for it, has it for
// so long (3 ms), until so many were granted in all; the line says how long that took and how often
// each card was granted.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gpusched/scheduler.h>

namespace {

using Clock = std::chrono::steady_clock;

double micros(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double percentile(std::vector<double>& values, double part) {
  const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<long>(at), values.end());
  return values[at];
}

int fail(const std::string& why) {
  std::fprintf(stderr, "scheduler_bench: %s\n", why.c_str());
  return 1;
}

// More workers than cards: what counts is how soon a card that was given back is used again.
struct Crowd {
  int grants = 0;
  int threads = 0;
  std::chrono::milliseconds work{3};
};
int run_crowd(gpusched::GpuScheduler& scheduler, const std::string& way, const Crowd& asked_for) {
  const int grants = asked_for.grants;
  const int threads = asked_for.threads;
  std::atomic<int> left{grants};
  std::mutex mutex;
  std::map<std::string, int> by_card;
  std::string trouble;
  const auto work = [&] {
    while (left.fetch_sub(1) > 0) {
      auto asked = scheduler.ScheduleGpuResources({gpusched::GpuRequest{}});
      gpusched::Outcome<gpusched::Scheduling> mine =
          !asked ? gpusched::Outcome<gpusched::Scheduling>(asked.error())
          : asked.value()[0].granted()
              ? gpusched::Outcome<gpusched::Scheduling>(std::move(asked.value()[0]))
              : scheduler.Wait(asked.value()[0].id(), std::chrono::minutes(5));
      if (mine) std::this_thread::sleep_for(asked_for.work);
      const std::lock_guard lock(mutex);
      if (!mine) {
        trouble = mine.error().message;
        return;
      }
      ++by_card[mine.value().visible_devices()];
    }
  };
  const auto begin = Clock::now();
  std::vector<std::thread> crowd;
  for (int i = 0; i < threads; ++i) crowd.emplace_back(work);
  for (std::thread& one : crowd) one.join();
  const double took = micros(Clock::now() - begin) / 1e6;
  if (!trouble.empty()) return fail(trouble);
  std::printf("{\"way\":\"%s\",\"threads\":%d,\"grants\":%d,\"seconds\":%.3f,\"by_card\":[",
              way.c_str(), threads, grants, took);
  const char* comma = "";
  for (const auto& [card, count] : by_card) std::printf("%s%d", std::exchange(comma, ","), count);
  std::printf("]}\n");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string way = count > 1 ? words[1] : "embedded";
  const std::string where = count > 2 ? words[2] : (way == "embedded" ? "8" : "");
  const int grants = count > 3 ? std::atoi(words[3]) : (way == "embedded" ? 200'000 : 10'000);
  const int threads = count > 4 ? std::atoi(words[4]) : 1;
  gpusched::SchedulerOptions options;
  options.application = "scheduler_bench";
  if (way == "daemon") {
    options.mode = gpusched::Mode::kDaemon;
    options.socket = where;
  } else {
    options.mode = gpusched::Mode::kEmbedded;
    options.lock_path = "/tmp/gpusched-scheduler-bench-" + std::to_string(std::rand()) + ".lock";
    for (int i = 0; i < std::atoi(where.c_str()); ++i) {
      gpusched::CardReport card;
      card.number = i;
      card.vram_bytes = 80ULL << 30;
      options.cards.push_back(card);
    }
  }
  gpusched::GpuScheduler scheduler(options);
  if (threads > 1) {
    const int work = count > 5 ? std::atoi(words[5]) : 3;
    return run_crowd(scheduler, way, {grants, threads, std::chrono::milliseconds(work)});
  }
  std::vector<double> granting, releasing;
  std::vector<gpusched::GpuRequest> requests(1);
  requests[0].name = "worker";
  for (int i = 0; i < grants; ++i) {
    const auto begin = Clock::now();
    auto granted = scheduler.ScheduleGpuResources(requests);
    if (!granted) return fail(granted.error().message);
    gpusched::Scheduling& mine = granted.value()[0];
    // Now and then a card is looked at first.
    if (!mine.granted()) {
      auto waited = scheduler.Wait(mine.id(), std::chrono::seconds(30));
      if (!waited) return fail(waited.error().message);
      mine = std::move(waited.value());
    }
    const auto middle = Clock::now();
    granted.value().clear();
    const auto end = Clock::now();
    granting.push_back(micros(middle - begin));
    releasing.push_back(micros(end - middle));
  }
  std::printf(
      "{\"way\":\"%s\",\"grants\":%d,\"grant_us\":{\"p50\":%.2f,\"p90\":%.2f,\"p99\":%.2f},"
      "\"release_us\":{\"p50\":%.2f,\"p99\":%.2f}}\n",
      way.c_str(), grants, percentile(granting, 0.5), percentile(granting, 0.9),
      percentile(granting, 0.99), percentile(releasing, 0.5), percentile(releasing, 0.99));
  if (!options.lock_path.empty()) std::remove(options.lock_path.c_str());
  return 0;
}
