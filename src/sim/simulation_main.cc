// The seeded simulation as a program: `simulation_test --seeds 50`, `simulation_test --seed 17`
// replays one, `--trail 5` tells what was noted of its job 5. Prints one line per failing seed, and
// closes with what was gone through.
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

// In so many steps everything happens that the simulation can play.
constexpr std::uint64_t kStepsThatShowAll = 20'000;

// Something never happened: then it was not tested either.
bool is_blind(const gpusched::FaultWorld::Tally& all) {
  bool blind = false;
  for (const auto& [what, count] : all.acts.named()) {
    if (count > 0) continue;
    blind = true;
    std::printf("never played: %s\n", what);
  }
  return blind;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t one = number_after(argc, argv, "--seed", 0);
  const std::uint64_t first = one != 0 ? one : number_after(argc, argv, "--first", 1);
  const std::uint64_t seeds = one != 0 ? 1 : number_after(argc, argv, "--seeds", 50);
  const int steps = static_cast<int>(number_after(argc, argv, "--steps", 400));
  const std::uint64_t trail = number_after(argc, argv, "--trail", 0);
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
    if (trail != 0) std::printf("%s", world.trail_of(gpusched::JobId{trail}).c_str());
    const auto& tally = world.tally();
    all.turns += tally.turns;
    all.crashes += tally.crashes;
    all.power_cuts += tally.power_cuts;
    all.failed_commits += tally.failed_commits;
    all.clock_jumps += tally.clock_jumps;
    all.stores_put_back += tally.stores_put_back;
    all.messages += tally.messages;
    all.submitted += tally.submitted;
    all.completed += tally.completed;
    all.acts.add(tally.acts);
  }
  std::printf(
      "%llu seeds: %d turns, %llu jobs submitted, %llu completed, %d crashes, %d power "
      "cuts, %d failed commits, %d clock jumps, %d older stores, %d messages; %d seeds failed\n",
      static_cast<unsigned long long>(seeds), all.turns,
      static_cast<unsigned long long>(all.submitted),
      static_cast<unsigned long long>(all.completed), all.crashes, all.power_cuts,
      all.failed_commits, all.clock_jumps, all.stores_put_back, all.messages, failed);
  for (const auto& [what, count] : all.acts.named()) std::printf("%d %s\n", count, what);
  const bool blind =
      seeds * static_cast<std::uint64_t>(steps) >= kStepsThatShowAll && is_blind(all);
  return failed == 0 && !blind ? 0 : 1;
}
