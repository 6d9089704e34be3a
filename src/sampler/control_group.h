// What the control groups of a process say about it: the container it runs in, the attempt it
// belongs to. Pure: reads the text of /proc/PID/cgroup, which anybody may have written into.
#pragma once

#include <optional>
#include <string_view>

#include "core/model/ids.h"
#include "watch/report.h"

namespace gpusched {

// The innermost container of an engine that we know.
std::optional<watch::Container> container_of(std::string_view cgroup_text);

// "BASE/jobs/ID.ATTEMPT" or below it: the leaf that a job's command is born in (jobdir/cgroup.h).
// `base` is where the daemon's groups are in the file system, mount point included; other daemons
// of this machine have others, and the same numbers. Empty: it has none, and no group is ours.
std::optional<AttemptId> attempt_of(std::string_view cgroup_text, std::string_view base);

}  // namespace gpusched
