// One seeded run of the real engine in a hostile world: random work, and faults between any two
// steps of a turn (crash, power cut, failed commit, failed launch, late and repeated reports,
// clock jumps, clients that hang up, foreign processes, looks at cards that do not come). After
// every turn the invariants are checked; a violation comes back as a sentence, and the seed replays
// it exactly.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "sim/memory_store.h"
#include "sim/sim_cards.h"
#include "sim/sim_launcher.h"

namespace gpusched {

class FaultWorld {
 public:
  explicit FaultWorld(std::uint64_t seed);

  // Runs `steps` random steps, then lets everything end. Empty: all invariants held.
  std::string run(int steps);

  struct Tally {
    int turns = 0, crashes = 0, power_cuts = 0, failed_commits = 0, clock_jumps = 0;
    int stores_put_back = 0;
    std::uint64_t submitted = 0, completed = 0, failed = 0, cancelled = 0;
  };
  const Tally& tally() const { return tally_; }

 private:
  // The default's quotas hold for those who have none of their own.
  static constexpr const char* kTenants[] = {"default", "lab", "user1", "user2"};
  static constexpr std::uint64_t kGiB = 1ULL << 30;

  int pick(int below);  // 0 … below - 1
  bool chance(int percent) { return pick(100) < percent; }

  void boot_daemon();
  void crash();
  void power_cut();
  // The daemon dies, and its store is replaced by an older copy, or its log is cut.
  void put_back_store();
  void compare_with_processes(StoreImage& image);
  void step();
  void client_acts();
  void submit_something();
  void adopt_something();
  void change_many(JobId from);
  void cancel(std::vector<JobId> jobs, Seconds grace);
  TenantRule any_rule();
  SubmitAsked any_submission();
  void time_passes();
  void turn(bool with_faults);
  void commit_with_faults(const Commit& commit);
  std::optional<JobId> any_job();
  std::string drain();

  void violate(std::string what);
  void check();
  void check_acknowledged();
  void check_processes();
  void check_waiting();
  void check_quotas();
  void check_jobs_at_once();
  void check_start(AttemptId attempt);

  std::mt19937_64 random_;
  Now now_;
  std::string boot_id_ = "boot-1";
  int boots_ = 1;
  MemoryStore store_;
  SimLauncher launcher_;
  std::unique_ptr<Engine> engine_;
  std::vector<Card> cards_;
  int jobs_most_ = 0;  // At once, as many as the daemon has descriptors for; 0: enough for all.
  std::unique_ptr<SimCards> seen_cards_;
  bool calm_ = false;  // While everything is let end: no faults, jobs succeed.

  std::map<std::string, TenantHolds> held_;  // By tenant, at the last check.
  std::set<JobId> acknowledged_;
  std::map<JobId, int> cancelled_;  // Acknowledged, at this attempt; until it is asked for again.
  std::set<JobId> numbers_given_;   // Whatever became of them.
  std::set<AttemptId> found_;       // Begun again after a loss, with nothing granted.
  std::string copy_;                // The newest backup; empty: none.
  int copies_ = 0;
  int submissions_ = 0;
  std::map<JobId, std::string> ended_;  // As it was told after a commit.
  std::string violation_;
  Tally tally_;
};

}  // namespace gpusched
