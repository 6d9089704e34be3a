// The seeded simulation as a program: `simulation_test --seeds 50`, `simulation_test --seed 17`
// replays one. Prints one line per failing seed, and closes with what was gone through.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sim/fault_world.h"

namespace {

std::uint64_t number_after(int argc, char** argv, const char* flag, std::uint64_t fallback) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], flag) == 0) return std::strtoull(argv[i + 1], nullptr, 10);
  }
  return fallback;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t one = number_after(argc, argv, "--seed", 0);
  const std::uint64_t first = one != 0 ? one : number_after(argc, argv, "--first", 1);
  const std::uint64_t seeds = one != 0 ? 1 : number_after(argc, argv, "--seeds", 50);
  const int steps = static_cast<int>(number_after(argc, argv, "--steps", 400));
  gpusched::FaultWorld::Tally all;
  int failed = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    gpusched::FaultWorld world(seed);
    const std::string violation = world.run(steps);
    if (!violation.empty()) {
      ++failed;
      std::printf("seed %llu: %s (replay: --seed %llu --steps %d)\n",
                  static_cast<unsigned long long>(seed), violation.c_str(),
                  static_cast<unsigned long long>(seed), steps);
    }
    const auto& tally = world.tally();
    all.turns += tally.turns;
    all.crashes += tally.crashes;
    all.power_cuts += tally.power_cuts;
    all.failed_commits += tally.failed_commits;
    all.clock_jumps += tally.clock_jumps;
    all.stores_put_back += tally.stores_put_back;
    all.submitted += tally.submitted;
    all.completed += tally.completed;
  }
  std::printf(
      "%llu seeds: %d turns, %llu jobs submitted, %llu completed, %d crashes, %d power "
      "cuts, %d failed commits, %d clock jumps, %d older stores; %d seeds failed\n",
      static_cast<unsigned long long>(seeds), all.turns,
      static_cast<unsigned long long>(all.submitted),
      static_cast<unsigned long long>(all.completed), all.crashes, all.power_cuts,
      all.failed_commits, all.clock_jumps, all.stores_put_back, failed);
  return failed == 0 ? 0 : 1;
}
