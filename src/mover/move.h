// One move of one attempt, out of its cards or back to them: lock all, hold their threads,
// checkpoint all, stop them; hold their threads, wake them, restore all, unlock all. It goes on
// from the state that the driver says each process is in, so it may be repeated after any crash.
// What fails is undone; a process that can be neither moved nor let go on is lost, and the answer
// says so. Law: no thread of the program runs while its process is out, but for those that are
// known to live on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/ids.h"
#include "jobdir/move_record.h"
#include "mover/cards.h"
#include "mover/cuda.h"
#include "mover/dying.h"
#include "mover/stopping.h"
#include "mover/thread_hold.h"
#include "mover/victims.h"

namespace gpusched::mover {

struct MoveWords {
  bool out = true;
  std::string directory;           // Of the attempt: claim and records.
  pid_t tree = 0;                  // Not 0: this process and its descendants, without a claim.
  std::uint64_t tree_started = 0;  // Only if it was started then, in ticks since boot.
  std::vector<pid_t> apart;        // Without these and their descendants.
  std::optional<uid_t> owner;      // Whose job it is: nobody else's processes are touched.
  AttemptId attempt{};
  std::string token;
  Seconds lock_timeout{10};
  std::vector<CardBytes> room;  // That must be free before anything returns.
  std::uint64_t reserve_bytes = std::uint64_t{2} << 30;  // Of host memory, left to others.
  bool awake = false;  // May run on while it is out, if it is known to live on.
  int at_once = 8;     // Processes that are copied at the same time.
  int report_fd = -1;  // Where the daemon hears of the end.
};

class Move {
 public:
  // `before`: the record of the last move of this attempt, if there was one.
  Move(const MoveWords& words, int directory, std::optional<MoveRecord> before);
  // The record as it was written.
  MoveRecord run();

 private:
  struct Moving {
    MoveRecord::Process process;
    ProcessState state = ProcessState::kRunning;
  };
  struct Trouble {
    std::string error;
    bool never = false;
    bool lost = false;
    bool aside = false;  // It left with an earlier order, and is out still.
  };
  using Step = std::optional<Trouble>;  // Nullopt: done.

  // One of the driver's calls on a process that is in one state, to get it into the next.
  struct Call {
    const char* name;
    ProcessState from, to;
    int (Cuda::*make)(int) const;
    std::chrono::seconds patience;
  };
  struct Outcome {
    int code = kSuccess;
    bool ours = false;  // The call itself did it, and nobody before us.
  };

  // --- move.cc ---
  Step prepare();
  Step find_place();
  Step find_lost() const;
  Step scan();
  Step add_process(const ProcessEntry& entry);
  Moving* find(pid_t pid, Boot started);
  bool any(ProcessState state) const;
  void forget_gone();
  bool save();
  void save_at_last();
  MoveRecord finish(const Step& trouble);
  void put_back_memory_max();
  std::string name_of(const Moving& moving) const;

  // --- held.cc ---
  bool was_away() const;
  Step wake_held();
  Step hold_all();
  std::vector<SparedThread> spared() const;
  void stop_and_let_go();

  // --- calls.cc ---
  Step wait_until_calm();
  bool is_at_work(const Moving& moving) const;
  Outcome carry_out(Moving& moving, const Call& call, const std::string& step) const;
  std::vector<Outcome> carry_out_all(const Call& call, const std::string& done_step);
  void count_copied(const std::vector<Outcome>& outcomes);

  // --- move_out.cc ---
  Step go_out();
  Step measure();
  void measure_by_what_got_free(const std::vector<CardUse>& before);
  std::uint64_t bytes_on_cards() const;
  Step check_ram() const;
  void raise_memory_max();
  Step lock_all();
  Step lock_one(Moving& moving, int number, Boot deadline);
  Step checkpoint_all();
  void keep_those_that_left();
  Step undo(Trouble trouble);

  // --- move_back.cc ---
  Step come_back();
  Step check_room() const;
  Step restore_all();
  Step unlock_all();
  Step say_who_is_lost(const std::vector<Outcome>& outcomes, const char* verb, const char* where);

  const MoveWords& words_;
  int directory_;
  std::optional<MoveRecord> before_;
  Boot began_;
  MoveRecord record_;
  Where where_;
  std::optional<Cuda> cuda_;
  std::optional<Cards> cards_;
  std::vector<Moving> moving_;
  ThreadHold hold_;
};

}  // namespace gpusched::mover
