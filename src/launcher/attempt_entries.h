// The entries of an attempt's directory: made by its shim, or beforehand for whatever job comes
// next. Making six entries is most of what preparing a start costs, so a spare shim makes them
// under a name that no job has, and the first attempt of a job takes them with one rename.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/launcher.h"
#include "jobdir/device_filter.h"
#include "jobdir/job_directory.h"
#include "os/fd.h"

namespace gpusched {

Result<Fd> listen_for_control(int directory);
Result<Fd> open_own_log(int directory);
// Of a job that its client has left to itself: no attempt of it waits for a client, or ends with
// one.
Result<void> keep_detached(int jobs_fd, JobId job);
bool is_kept_detached(int jobs_fd, JobId job);
// One per job. `change_owner`: it becomes the submitter's.
Result<void> make_checkpoint_directory(int jobs_fd, const LaunchOrder& order, bool change_owner);

struct SpareEntries {
  std::string name;  // Of the job's directory to be.
  Fd directory;      // Of the first attempt in it.
  Fd log, control;
  ClaimDraft draft;
  std::vector<LoadedFilter> filters;  // Of jobs before: the next one often has the same cards.
};
// Nullopt: something could not be made; nothing is left of it.
std::optional<SpareEntries> make_spare_entries(int jobs_fd);
// False: the attempt is not a job's first, or there is something under its name; nothing is left of
// the spare.
bool take_spare_entries(int jobs_fd, const SpareEntries& spare, AttemptId attempt);
void remove_spare_entries(int jobs_fd, const SpareEntries& spare);
// Those that were left by spares which were killed.
void remove_lost_spares(int jobs_fd);

}  // namespace gpusched
