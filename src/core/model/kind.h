// The kinds of jobs: a command, a lease (core/model/lease.h), an adopted process
// (core/model/adopted.h). What differs between them is one table: another kind is one more row.
// JobSpec::lease and JobSpec::adopted are read only for the terms that they hold.
#pragma once

#include "core/model/job.h"

namespace gpusched {

struct Kind {
  const char* name = "";
  // We start its process: with what we add to its environment, near its cards, with a log.
  bool started_here = false;
  // A holder has it and brings the process: it is in the lease book, and ends with its holder.
  bool has_holder = false;
  // A shim follows its process, in a job directory: it ends it and says how it ended. Without one
  // only the process's holder could.
  bool has_shim = false;
  // We may stop its process wherever it is.
  bool may_freeze = false;
  // It may be moved while it computes; else only while it sits idle, or on request.
  bool moves_busy = false;
  // Its process may go on when the job is over, with all that it has on the cards.
  bool outlives_job = false;
  // Its runs were seen from the beginning: they say something of later ones.
  bool teaches = false;
  // It lasts about as long as earlier runs of it did.
  bool lasts_as_before = false;
  // What is known of it must outlast the machine, at the price of a disk that is waited for.
  bool outlasts_machine = true;
  // What the trail says when its process is there.
  const char* started = "the command has started";
  // Why there is no command to change; null: there is one.
  const char* no_command = nullptr;
  // Why its process cannot be let go; null: it can.
  const char* not_let_go = nullptr;
  // Why it does not run again, by itself or on request; null: it does.
  const char* not_again = nullptr;
  // Where to look for what it writes; null: it has a log.
  const char* no_log = nullptr;

  // A shim takes its process over as it runs.
  bool taken_over() const { return has_shim && !started_here; }
};

const Kind& kind_of(const JobSpec& spec);
inline const Kind& kind_of(const Job& job) { return kind_of(*job.spec); }

// The process that was there before the job: its holder's, or the adopted one. 0: not known.
inline int process_before(const JobSpec& spec) {
  if (spec.lease) return spec.lease->pid;
  return spec.adopted ? spec.adopted->pid : 0;
}

// Nobody asked for its adoption.
inline bool adopted_by_rule(const Job& job) {
  return job.spec->adopted && job.spec->adopted->by_rule;
}

}  // namespace gpusched
