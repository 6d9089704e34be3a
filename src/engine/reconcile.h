// The store beside the job directories, at a start. A directory that a shim has claimed proves that
// its attempt was started, and so that it was in the store: where the store knows less, it has lost
// commits. Pure: what was found is a value, and so is what follows from it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/job.h"
#include "engine/store.h"

namespace gpusched {

// What a job directory says of the order that was carried out in it.
struct FoundOrder {
  std::vector<std::string> argv;
  std::string working_directory;
  std::optional<Identity> owner;  // None: nothing there says whose it is.
  std::string output_path;
  std::string error_path;
  std::optional<AdoptedProcess> adopted;
  std::string note;   // As EngineOptions::note_of wrote it; empty: an older version, or too long.
  std::string holds;  // As EngineOptions::holds_of wrote it; empty: an older version.
};
// What a claim says of its job: never too long to be written, so the cards of whatever runs are
// known.
struct HeldNote {
  Grant grant;
  std::string tenant;
  std::string name;
  int priority = 50;
  Wall submitted_at{};
  std::optional<std::pair<JobId, std::uint32_t>> task = {};  // Its array, and which one of it.
};
HeldNote held_note_of(const Job& job);
struct FoundJob {
  JobId job{};
  int claimed = 0;  // The last attempt that a shim has claimed; 0: none, so nothing was started.
  FoundOrder order = {};
  bool lives = false;          // Its shim does.
  std::optional<Job> noted{};  // What the note says: `spec`, `task`, `tenant`, priority, grant.
  std::optional<HeldNote> holds{};  // What the claim says.
  // A shim lives in attempt `left_alone`, and is not taken over: why. Empty: nothing is in the way.
  std::string refused = {};
  int left_alone = 0;
};
// What is known beside the store and the directories.
struct ReconcileTerms {
  std::shared_ptr<const Environment> no_environment;
  std::vector<CardNumber> cards;  // All that this machine was seen with.
  Wall now{};
};

struct Reconciled {
  Commit repair;                    // What the image has now, and the store has not.
  std::vector<JobId> brought_back;  // Started, and in no store: made anew from their directories.
  std::vector<JobId> caught_up;     // The store knew an older state of them.
  std::vector<std::pair<JobId, JobId>> gone;  // First and last: accepted, and no trace is left.
  bool nothing() const { return brought_back.empty() && caught_up.empty() && gone.empty(); }
};
// REQUIRES: `found` is ordered by job. What was started counts as started again, so that recovery
// asks what became of it and never starts it a second time. No number that was found is given
// again. After a loss every attempt that is believed to be on its cards is on its way there: the
// store may not know that it was paused since, and nobody would ever wake it. What lives and does
// not say which cards it has counts on all of them: none is given away under it.
Reconciled reconcile(StoreImage& image, const std::vector<FoundJob>& found,
                     const ReconcileTerms& terms);

// One sentence for people.
std::string describe(const Reconciled& reconciled, const std::optional<StoreLoss>& loss);

}  // namespace gpusched
