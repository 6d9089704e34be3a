// Named groups and accepted submissions: small durable facts beside the jobs.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

// At most `limit` jobs of a group run at once. 0: no limit.
struct Group {
  std::string name;
  int limit = 0;
  friend bool operator==(const Group&, const Group&) = default;
};

// A submission that was accepted as a whole. While `open`, its jobs are being written in slices;
// none of them starts, and one still open when the store is loaded was never acknowledged.
struct Submission {
  std::uint64_t id = 0;
  std::string tenant;
  std::string key;          // Empty: none.
  std::string fingerprint;  // Digest of what was asked, to tell a repeat from a conflict.
  JobId first{};
  std::uint64_t count = 0;
  bool open = false;
  friend bool operator==(const Submission&, const Submission&) = default;
};

// One line of a job's durable trail: what was decided, when, why.
struct TrailEntry {
  std::uint64_t sequence = 0;  // Grows by one with every entry; survives restarts.
  JobId job{};
  Wall at{};
  int attempt = 0;
  std::string kind;  // submitted, started, running, ended, held, released, requeued, changed, …
  std::string text;  // One sentence.
};

}  // namespace gpusched
