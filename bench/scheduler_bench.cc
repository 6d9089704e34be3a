// A grant and its release through the scheduler library: embedded, or through a running daemon.
//   scheduler_bench embedded [CARDS] [GRANTS]
//   scheduler_bench daemon SOCKET [GRANTS]
// Prints one line of JSON: microseconds of ScheduleGpuResources and of the release, by percentile.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
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

}  // namespace

int main(int count, char** words) {
  const std::string way = count > 1 ? words[1] : "embedded";
  const std::string where = count > 2 ? words[2] : (way == "embedded" ? "8" : "");
  const int grants = count > 3 ? std::atoi(words[3]) : (way == "embedded" ? 200'000 : 10'000);
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
  std::vector<double> granting, releasing;
  std::vector<gpusched::GpuRequest> requests(1);
  requests[0].name = "worker";
  for (int i = 0; i < grants; ++i) {
    const auto begin = Clock::now();
    auto granted = scheduler.ScheduleGpuResources(requests);
    const auto middle = Clock::now();
    if (!granted) return fail(granted.error().message);
    if (!granted.value()[0].granted()) return fail("a grant had to wait");
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
