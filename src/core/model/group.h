// Named groups and accepted submissions: small durable facts beside the jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

// At most `limit` jobs of a group run at once. 0: no limit. A group is everybody's, and an
// administrator sets it; or one user's own, and then it is called "user/name".
struct Group {
  std::string name;
  int limit = 0;
  bool paused = false;  // None of its jobs starts; those that run go on.
  friend bool operator==(const Group&, const Group&) = default;
};

// How many of their own a user may have.
inline constexpr std::size_t kOwnGroupsMost = 100;
// Whose it is; empty: everybody's.
inline std::string_view owner_of_group(std::string_view name) {
  const auto slash = name.find('/');
  return slash == std::string_view::npos ? std::string_view{} : name.substr(0, slash);
}
inline std::string own_group(const std::string& user, const std::string& name) {
  return user + "/" + name;
}

// A submission that was accepted as a whole. While `open`, its jobs are being written in slices;
// none of them starts, and one still open when the store is loaded was never acknowledged.
struct Submission {
  std::uint64_t id = 0;
  std::string tenant;       // Whose key it is: a user. The name is older, as that of its column.
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
