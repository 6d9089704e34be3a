// The Store seam: where acknowledged things live. The real one (store/) is SQLite in WAL mode;
// the in-memory twin (sim/) can drop what was not synced, to play power cuts. The same contract
// tests run on both.
//
// One Commit is one transaction: all of it is on disk when commit() returns, or none of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/model/audit.h"
#include "core/model/ids.h"
#include "core/model/past_span.h"
#include "core/state/durable.h"

namespace gpusched {

// A cancel that was acknowledged although no commit was possible.
struct KeptCancel {
  AttemptId attempt;
  std::optional<Seconds> grace;
  friend auto operator<=>(const KeptCancel&, const KeptCancel&) = default;
};

// Rows with what they need: jobs with their specs and environments. The trail of a removed job, and
// rows that nobody uses any more, go with it.
struct Commit : Durable<Delta> {
  std::vector<TrailEntry> trail;
  // Entries to be added; what is outside of the bounds goes, a part with each commit.
  std::vector<AuditEntry> audit;
  AuditBounds audit_bounds;
  // What is over; the same of it.
  std::vector<PastSpan> past;
  PastBounds past_bounds;
  std::optional<std::string> boot_id;
  std::optional<Wall> clock;  // What time it was believed to be; goes along, alone it is nothing.
  std::uint64_t alarms_looked = 0;  // So far in the trail; goes along as well.
  // False: it need only outlive this process. A lease dies with the machine anyhow, so a commit
  // of leases alone does not wait for the disk (docs/adr/0029); the next that does takes it along.
  bool outlives_machine = true;
  // What runs is ended also when the disk is full. Should this commit fail, the store keeps these
  // beside the database, in room that it has set aside. Not counted by empty().
  std::vector<KeptCancel> cancels;
  bool has_kept_cancels = false;  // All that were kept before are in it.

  bool empty() const {
    bool nothing = trail.empty() && audit.empty() && !boot_id;
    for_each([&](const auto& delta) { nothing = nothing && delta.empty(); });
    return nothing;
  }
};

// Nothing of a commit is there, but for its cancels where that is said.
struct CommitError : Error {
  CommitError() = default;
  CommitError(Error error) : Error(std::move(error)) {}  // NOLINT: a failure() becomes one.
  bool cancels_kept = false;
};
using Committed = tl::expected<void, CommitError>;

// The store holds less than was acknowledged: it was put back, or its log was damaged.
struct StoreLoss {
  std::uint64_t commits_known = 0;  // Acknowledged.
  std::uint64_t commits_found = 0;
  // From here to next_job, those that are not there are gone: what was submitted later, and a large
  // submission of which the store knew only a part.
  JobId next_job_found{1};
  friend bool operator==(const StoreLoss&, const StoreLoss&) = default;
};

// Everything that a daemon needs to go on where the last one stopped.
// Rows of each kind by key. Jobs of one array share their spec; equal environments are shared. No
// submission is open. Of environments that only ended jobs have, the names may be all.
struct StoreImage : Durable<RowList> {
  std::string boot_id;        // Empty on the first start.
  std::optional<Wall> clock;  // At the last commit; never there in older stores.
  // Of jobs that failed, what stands in the trail behind the last look at the alarms; bounded.
  std::vector<TrailEntry> unlooked;
  std::uint64_t alarms_looked = 0;  // In older stores: to the end.
  std::optional<StoreLoss> loss;
  std::vector<KeptCancel> cancels;  // Still to be done.
  JobId next_job{1};                // Never reused, also after retention removed the last one.
  std::uint64_t next_submission = 1;
  std::uint64_t next_trail_sequence = 1;
  std::uint64_t next_audit = 1;
};

inline constexpr std::size_t kUnlookedMost = 1000;

class Store {
 public:
  virtual ~Store() = default;
  // Once, before anything else. Removes submissions left open, with their jobs.
  virtual Result<StoreImage> load() = 0;
  // An empty commit is nothing, unless the last one failed: then it tries whether the store works.
  virtual Committed commit(const Commit& commit) = 0;
  // The trail of one job, oldest first; after_sequence 0: from the start.
  virtual Result<std::vector<TrailEntry>> trail(JobId job, std::uint64_t after_sequence,
                                                std::size_t limit) = 0;
  // Who changed what, the newest first.
  virtual Result<std::vector<AuditEntry>> audit(const AuditPart& part) = 0;
  // What happened on the cards. May read much: not on the thread that commits.
  virtual Result<Past> past(const PastPart& part) = 0;
  // Those of these names that are there, with their variables.
  virtual Result<EnvironmentsByHash> environments(const std::vector<std::string>& hashes) = 0;
  // A consistent copy of everything into a new file, while commits go on.
  virtual Result<void> backup(const std::string& path) = 0;
};

}  // namespace gpusched
