// The one call that the real library does not have: a step of work that keeps the cards busy. It
// takes longer when a card is over-committed, in proportion. gpusched-simjob uses it.
#include <algorithm>

#include "simdriver/card_model.h"
#include "simdriver/clock.h"
#include "simdriver/cuda/process.h"

namespace cuda = gpusched::simdriver::cuda;
using namespace gpusched::simdriver;

namespace {

constexpr std::uint64_t kSliceUs = 100000;
// How long a process counts as busy after it was last heard of: longer than a full machine keeps it
// waiting between two steps, short enough that a frozen one is soon seen to do nothing.
constexpr std::uint64_t kGraceUs = 600000;

struct Step {
  const int* devices = nullptr;
  int count = 0;
  std::uint32_t permille = 0;
};

// How many times slower than alone, in thousandths: that of the worst card.
std::uint64_t slowness(const cuda::Process& process, const Step& step) {
  std::uint64_t worst = 1000;
  for (int i = 0; i < step.count; ++i) {
    const CardReading reading = read_card(process.world(), process.card_of(step.devices[i]));
    worst = std::max<std::uint64_t>(worst, reading.use.demand_permille);
  }
  return worst;
}

void publish(const cuda::Process& process, const Step& step, std::uint64_t us) {
  const std::uint64_t until = monotonic_us() + us + kGraceUs;
  for (int i = 0; i < step.count; ++i) {
    SlotCard& card = process.slot().cards[process.card_of(step.devices[i])];
    card.demand_permille.store(step.permille);
    card.busy_until_us.store(until);
  }
}

void work(const cuda::Process& process, const Step& step, std::uint64_t us) {
  while (us > 0) {
    publish(process, step, kSliceUs);
    const std::uint64_t factor = slowness(process, step);
    // As much of the step as fits into one slice at the present speed.
    const std::uint64_t part = std::max<std::uint64_t>(1, std::min(us, kSliceUs * 1000 / factor));
    pause_us(part * factor / 1000);
    for (int i = 0; i < step.count; ++i) {
      SlotCard& card = process.slot().cards[process.card_of(step.devices[i])];
      card.busy_product.fetch_add(step.permille * part);
    }
    us -= part;
  }
}

}  // namespace

// `percent` of these cards for `us` microseconds. REQUIRES: contexts on all of them.
extern "C" int gpuschedSimulatedStep(const int* devices, int count, unsigned percent, unsigned us) {
  return cuda::through_gate(__func__, [&](cuda::Process& process) -> int {
    if (devices == nullptr || count < 1 || percent > 100) return cuda::kInvalidValue;
    for (int i = 0; i < count; ++i) {
      if (!process.is_device(devices[i])) return cuda::kInvalidDevice;
    }
    const cuda::Context* context = cuda::current_context(process);
    if (context == nullptr) return cuda::kInvalidContext;
    if (const int code = process.health_of(*context); code != cuda::kSuccess) return code;
    // With a part of the multiprocessors what would keep more of them busy takes longer.
    const unsigned part = process.mps() ? process.mps()->thread_percent() : 100;
    const unsigned used = std::min(percent, part);
    const std::uint64_t longer = used == 0 ? us : std::uint64_t{us} * percent / used;
    work(process, {devices, count, used * 10}, longer);
    return process.health_of(*context);
  });
}
