// A program that schedules its own workers' GPUs: eight workers, however many cards there are.
#include <gpusched/scheduler.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

namespace {

// What a worker does with its cards; here it only says where it is.
void work(const gpusched::Scheduling& mine) {
  std::printf("%s: %s%s\n", mine.request().name.c_str(), mine.on_cpu() ? "on a CPU" : "on card ",
              mine.visible_devices().c_str());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

int fail(const gpusched::Error& error) {
  std::fprintf(stderr, "workers: %s\n", error.message.c_str());
  return EXIT_FAILURE;
}

}  // namespace

int main() {
  gpusched::SchedulerOptions options;
  options.application = "workers-example";
  // Only used where no daemon runs: this machine's cards, made up so that the example runs
  // anywhere.
  options.lock_path = "workers-example.lock";
  for (int number = 0; number < 2; ++number) {
    gpusched::CardReport card;
    card.number = number;
    card.vram_bytes = 24ULL << 30;
    options.cards.push_back(card);
  }
  gpusched::GpuScheduler scheduler(options);

  // What a crashed run of this program still holds is given back first.
  if (auto reset = scheduler.ResetScheduler(); !reset) return fail(reset.error());

  std::vector<gpusched::GpuRequest> requests(8);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].name = "worker " + std::to_string(i + 1);
    requests[i].critical = i == 7;  // The last one is in a hurry.
  }
  auto scheduled = scheduler.ScheduleGpuResources(requests);
  if (!scheduled) return fail(scheduled.error());

  std::vector<std::thread> workers;
  for (gpusched::Scheduling& entry : scheduled.value()) {
    workers.emplace_back([&scheduler, entry = std::move(entry)]() mutable {
      if (!entry.granted()) {
        auto granted = scheduler.Wait(entry.id(), std::chrono::minutes(1));
        if (!granted) std::exit(fail(granted.error()));
        entry = std::move(granted.value());
      }
      work(entry);
      // The end of `entry` gives its cards to the next.
    });
  }
  auto waiting = scheduler.GetWaitingResources();
  if (!waiting) std::exit(fail(waiting.error()));
  for (const gpusched::WaitingGpu& one : waiting.value()) {
    std::printf("%s waits: %s\n", one.request.name.c_str(), one.reason.c_str());
  }
  for (std::thread& worker : workers) worker.join();
  auto left = scheduler.GetCurrentSchedulings();
  if (!left) return fail(left.error());
  std::printf("%zu schedulings left\n", left.value().size());
  return EXIT_SUCCESS;
}
