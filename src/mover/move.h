// One move of one attempt, out of its cards or back to them, with the driver's calls strictly one
// after another: lock all, checkpoint all; restore all, unlock all. It goes on from the state that
// the driver says each process is in, so it may be repeated after any crash. What fails is undone;
// a process that can be neither moved nor let go on is lost, and the answer says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ids.h"
#include "mover/cards.h"
#include "mover/cuda.h"
#include "mover/victims.h"
#include "process/move_record.h"

namespace gpusched::mover {

struct MoveWords {
  bool out = true;
  std::string directory;           // Of the attempt: claim and records.
  pid_t tree = 0;                  // Not 0: this process and its descendants, without a claim.
  std::uint64_t tree_started = 0;  // Only if it was started then, in ticks since boot.
  std::vector<pid_t> apart;        // Without these and their descendants.
  AttemptId attempt{};
  std::string token;
  Seconds lock_timeout{10};
  std::vector<CardBytes> room;  // That must be free before anything comes back.
  std::uint64_t reserve_bytes = std::uint64_t{2} << 30;  // Of host memory, left to others.
  int report_fd = -1;                                    // Where the daemon hears of the end.
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
  };
  using Step = std::optional<Trouble>;  // Nullopt: done.

  // --- move.cc ---
  Step prepare();
  Step scan();
  Step add_process(const ProcessEntry& entry);
  Moving* find(pid_t pid, Boot started);
  bool any(ProcessState state) const;
  void forget_gone();
  void save();
  MoveRecord finish(const Step& trouble);
  void put_back_memory_max();
  std::string name_of(const Moving& moving) const;

  // --- move_out.cc ---
  Step go_out();
  Step measure();
  void measure_by_what_got_free(const std::vector<CardUse>& before);
  std::uint64_t bytes_on_cards() const;
  Step check_ram() const;
  void raise_memory_max();
  Step lock_all();
  Step lock_one(Moving& moving, Boot deadline);
  Step checkpoint_all();
  Step undo(Trouble trouble);

  // --- move_back.cc ---
  Step come_back();
  Step check_room() const;
  Step restore_all();
  Step unlock_all();

  const MoveWords& words_;
  int directory_;
  std::optional<MoveRecord> before_;
  Boot began_;
  MoveRecord record_;
  Where where_;
  std::optional<Cuda> cuda_;
  std::optional<Cards> cards_;
  std::vector<Moving> moving_;
};

// For tests: the process ends as by kill -9 when it gets to the step that the environment names,
// once per attempt.
void die_if_asked(int directory, const std::string& step);

}  // namespace gpusched::mover
