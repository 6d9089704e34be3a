// The programs that the header and docs/library.md show, as they stand there: a test compares them
// line by line, and runs them.
#include <gpusched/scheduler.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

void report(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(EXIT_FAILURE);
}
void work_on(const std::string& devices) { std::printf("works on [%s]\n", devices.c_str()); }
void run_on(const std::string& devices) { std::printf("runs on [%s]\n", devices.c_str()); }

void sample_of_the_header() {
  gpusched::GpuScheduler scheduler({.application = "trainer"});
  auto asked = scheduler.ScheduleGpuResources({{.name = "worker 1", .gpus = 1}});
  if (!asked) return report(asked.error().message);
  gpusched::Scheduling mine = std::move(asked.value()[0]);
  if (!mine.granted()) {
    auto granted = scheduler.Wait(mine.id(), std::chrono::hours(1));
    if (!granted) return report(granted.error().message);
    mine = std::move(granted.value());
  }
  run_on(mine.visible_devices());  // For CUDA_VISIBLE_DEVICES. The end of `mine` releases it.
}

void sample_of_the_guide() {
  gpusched::GpuScheduler scheduler({.application = "trainer"});
  // What a crashed run of this program still holds goes back first.
  if (auto reset = scheduler.ResetScheduler(); !reset) return report(reset.error().message);
  auto asked = scheduler.ScheduleGpuResources({
      {.name = "worker 1"},                            // A whole card.
      {.name = "worker 2", .vram_bytes = 8ULL << 30},  // Part of one.
      {.name = "loader", .cpu = gpusched::CpuUse::kPrefer},
  });
  if (!asked) return report(asked.error().message);
  std::vector<std::thread> workers;
  for (gpusched::Scheduling& one : *asked) {
    workers.emplace_back([&scheduler, mine = std::move(one)]() mutable {
      if (!mine.granted()) {
        auto granted = scheduler.Wait(mine.id(), std::chrono::hours(1));
        if (!granted) return report(granted.error().message);
        mine = std::move(*granted);
      }
      work_on(mine.visible_devices());  // CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER=PCI_BUS_ID
    });                                 // Its end gives the cards to who waits.
  }
  for (std::thread& worker : workers) worker.join();
}

}  // namespace

int main() {
  sample_of_the_header();
  sample_of_the_guide();
  return EXIT_SUCCESS;
}
