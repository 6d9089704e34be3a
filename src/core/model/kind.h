// The kinds of jobs: a command, a lease (core/model/lease.h), an adopted process
// (core/model/adopted.h). What differs between them is one table; whose terms are asked for, or
// whose own verb it is, stays with JobSpec::lease and JobSpec::adopted.
#pragma once

#include "core/model/job.h"

namespace gpusched {

struct Kind {
  const char* name = "";
  // We start its process: with what we add to its environment, near its cards, with a log.
  bool started_here = false;
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
  // Why it does not run again, by itself or on request; null: it does.
  const char* not_again = nullptr;
  // Where to look for what it writes; null: it has a log.
  const char* no_log = nullptr;
};

const Kind& kind_of(const JobSpec& spec);
inline const Kind& kind_of(const Job& job) { return kind_of(*job.spec); }

// Nobody asked for its adoption.
inline bool adopted_by_rule(const Job& job) {
  return job.spec->adopted && job.spec->adopted->by_rule;
}

}  // namespace gpusched
