// One seeded run of the real engine in a hostile world: random work, and faults between any two
// steps of a turn (crash, power cut, failed commit, failed launch, late and repeated reports,
// clock jumps, clients that hang up, foreign processes, looks at cards that do not come, jobs that
// grow, moves that fail). After every turn the invariants are checked; a violation comes back as a
// sentence, and the seed replays it exactly.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/preempt/foreign_idle.h"
#include "engine/engine.h"
#include "sim/memory_store.h"
#include "sim/sim_cards.h"
#include "sim/sim_launcher.h"
#include "sim/sim_mover.h"

namespace gpusched {

class FaultWorld {
 public:
  explicit FaultWorld(std::uint64_t seed);

  // Runs `steps` random steps, then lets everything end. Empty: all invariants held.
  std::string run(int steps);

  // What happened to jobs beside starting and ending. A kind that stays at 0 over many seeds is one
  // that the simulation no longer plays.
  struct Acts {
    int frozen_by_hand = 0, moved_out_by_hand = 0, resumed = 0, moves_failed = 0;
    int grew_beyond = 0;  // Looks that showed a card which nobody may join.
    int kept_off = 0;     // Jobs that waited because of that.
    int evicted = 0, stood_still = 0, returned_after_pressure = 0;
    int out_of_memory = 0, stopped_at_limit = 0;
    int adopted = 0, adopted_by_rule = 0, let_go = 0;

    void add(const Acts& other);
    // By name, for people.
    std::vector<std::pair<const char*, int>> named() const;
  };
  struct Tally {
    int turns = 0, crashes = 0, power_cuts = 0, failed_commits = 0, clock_jumps = 0;
    int stores_put_back = 0, messages = 0;
    std::uint64_t submitted = 0, completed = 0, failed = 0, cancelled = 0;
    Acts acts;
  };
  const Tally& tally() const { return tally_; }
  // What the daemon wrote down about a job, a line each: for whoever looks into a violation.
  std::string trail_of(JobId job);

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
  void let_go_something(JobId job);
  void pause_something();
  void resume_something();
  void resume_all();
  void adopt_something();
  void change_many(JobId from);
  void cancel(std::vector<JobId> jobs, Seconds grace);
  JobPatch any_patch();
  TenantRule any_rule();
  SubmitAsked any_submission();
  void time_passes();
  void world_goes_on();
  void turn(bool with_faults);
  void commit_with_faults(const Commit& commit);
  std::optional<JobId> any_job();
  std::optional<JobId> any_of(const std::set<JobId>& jobs);
  void note_acts(const Job& job);

  // --- fault_memory.cc ---
  SimLauncher::Plan plan_of(const LaunchOrder& order);
  void plan_memory(const LaunchOrder& order, SimLauncher::Plan& plan);
  std::vector<SeenProcess> processes_on(CardNumber card) const;
  std::uint64_t used_on(CardNumber card) const;
  bool has_room(const MoveOrder& order) const;
  void memory_runs_out();
  void look_closely();
  void adopt_idle_foreign();

  // --- fault_receiver.cc ---
  void carry_messages();
  void take_message(const Message& message);
  void deliver_carried();
  void messages_go_on();
  void messages_outlive_the_daemon();
  void check_outbox();

  std::string drain();

  void violate(std::string what);
  void check();
  void check_acknowledged();
  void check_processes();
  void check_waiting();
  void check_quotas();
  bool has_found(const std::string& tenant) const;
  void check_jobs_at_once();
  void check_work();
  void check_all_ended();
  void check_start(AttemptId attempt);
  void check_nobody_joins_growth(const Job& job);
  std::map<AttemptId, std::uint64_t> vram_given() const;

  std::mt19937_64 random_;
  Now now_;
  std::string boot_id_ = "boot-1";
  int boots_ = 1;
  MemoryStore store_;
  SimLauncher launcher_;
  SimMover mover_{launcher_};
  std::unique_ptr<Engine> engine_;
  std::optional<ForeignWatch> foreign_;
  std::vector<Card> cards_;
  int jobs_most_ = 0;  // At once, as many as the daemon has descriptors for; 0: enough for all.
  bool idle_leave_ = false;  // Idle holders leave for jobs that wait, also foreign ones.
  bool over_quota_ = false;  // Jobs beyond a quota that was lowered are moved aside.
  std::unique_ptr<SimCards> seen_cards_;
  bool calm_ = false;  // While everything is let end: no faults, jobs succeed.

  std::map<std::string, TenantHolds> held_;   // By tenant, at the last check.
  std::map<AttemptId, std::uint64_t> given_;  // Likewise.
  std::set<JobId> acknowledged_;
  std::map<JobId, int> cancelled_;  // Acknowledged, at this attempt; until it is asked for again.
  std::set<JobId> numbers_given_;   // Whatever became of them.
  std::set<AttemptId> found_;       // Begun again after a loss, with what their notes say.
  std::map<AttemptId, Job> noted_;  // What job directories say of their jobs.
  std::string copy_;                // The newest backup; empty: none.
  int copies_ = 0;
  int submissions_ = 0;
  std::map<JobId, std::string> ended_;  // As it was told after a commit.
  // Each time away counts once.
  std::map<AttemptId, Wall> away_since_, failed_at_;
  std::set<AttemptId> paused_by_hand_, pressed_;
  std::optional<Message> carried_;                    // On its way to the receiver.
  std::map<std::uint64_t, std::uint64_t> delivered_;  // By id: how many notices were in it.
  std::map<std::uint64_t, std::string> said_;         // By id, whatever became of it.
  std::uint64_t last_delivered_ = 0;
  bool worried_ = false;  // A card is looked at closely.
  std::string violation_;
  Tally tally_;
};

}  // namespace gpusched
