// What a look ahead costs: the copy that is made on the loop, and the estimates for the first 1,000
// of 100,000 waiting jobs on 64 cards, which are made off it.
// Usage: look_ahead_bench [JOBS [CARDS]]
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "core/apply/apply.h"
#include "core/explain/excerpt.h"
#include "core/explain/look_ahead.h"
#include "core/state/state.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr int kRounds = 20;

double thread_cpu_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

enum class Mix { kWholeCards, kGangs, kSharedCards };

State waiting_jobs(Mix mix, int jobs, int cards, Now now) {
  State state({}, HostCapacity{1024, 1024 * kGiB});
  std::vector<Card> list;
  for (int i = 0; i < cards; ++i) {
    list.push_back({.number = CardNumber{static_cast<std::uint16_t>(i)},
                    .uuid = "GPU-" + std::to_string(i),
                    .model = "Simulated 80G",
                    .vram_bytes = 80 * kGiB});
  }
  state.set_cards(std::move(list));
  for (int i = 0; i < jobs; ++i) {
    auto spec = std::make_shared<JobSpec>();
    spec->argv = {"train"};
    spec->environment = std::make_shared<Environment>();
    spec->time.limit = Seconds{600 + 977 * (i % 50)};
    if (mix == Mix::kGangs) {
      const int gang = 1 << (i % 4);
      spec->needs.gpus = {gang, gang};
    }
    if (mix == Mix::kSharedCards) spec->needs.vram_bytes = (2 + i % 30) * kGiB;
    SubmitAsked asked;
    asked.submission = static_cast<std::uint64_t>(i) + 1;
    asked.owner.user = "somebody";
    asked.tenant = "somebody";
    asked.spec = std::move(spec);
    asked.tasks.emplace_back();
    apply(state, asked, now);
    state.keep_changes();
  }
  for (const Decision& decision : decide(state, now).decisions) accept(state, decision, now);
  state.keep_changes();
  return state;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void measure(const char* name, Mix mix, int jobs, int cards) {
  const Now now{Wall{Seconds{1'770'000'000}}, Boot{Seconds{1000}}};
  const State state = waiting_jobs(mix, jobs, cards, now);
  std::vector<double> copies;
  std::vector<double> looks;
  std::size_t estimates = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = thread_cpu_ms();
    Excerpt excerpt = excerpt_of(state, kLookedAheadMost, now);
    const double copied = thread_cpu_ms();
    estimates = look_ahead(std::move(excerpt)).starts.size();
    looks.push_back(thread_cpu_ms() - copied);
    copies.push_back(copied - begin);
  }
  fmt::print("{:<14} copy p50 {:6.3f} ms  look p50 {:6.1f} ms  max {:6.1f} ms  ({} estimates)\n",
             name, median(copies), median(looks), *std::ranges::max_element(looks), estimates);
}

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const int cards = argc > 2 ? std::atoi(argv[2]) : 64;
  if (jobs < 1 || cards < 8) {
    fmt::print(stderr, "usage: look_ahead_bench [JOBS [CARDS]], at least 8 cards\n");
    return 64;
  }
  using gpusched::Mix;
  gpusched::measure("whole cards", Mix::kWholeCards, jobs, cards);
  gpusched::measure("gangs", Mix::kGangs, jobs, cards);
  gpusched::measure("shared cards", Mix::kSharedCards, jobs, cards);
  return 0;
}
