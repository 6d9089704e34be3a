// What the kernel tells about processes under /proc. The root is a parameter, so that tests can
// build a tree of their own. Every answer may be absent: a process can end between two reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "core/model/ids.h"

namespace gpusched {

struct ProcessStat {
  int parent = 0;
  Boot started{};
  std::string name;  // As the kernel shows it, at most 15 bytes.
};

class ProcDirectory {
 public:
  explicit ProcDirectory(std::string root = "/proc") : root_(std::move(root)) {}

  std::optional<ProcessStat> stat(int pid) const;
  std::optional<std::uint32_t> uid(int pid) const;  // The real one.
  std::string cgroup(int pid) const;
  // Its arguments with blanks between, at most 512 bytes of printable UTF-8.
  std::string command(int pid) const;
  // From GPUSCHED_JOB_ID and GPUSCHED_ATTEMPT in its environment, which it may have made up.
  std::optional<AttemptId> claimed_attempt(int pid) const;

 private:
  std::string read(int pid, const char* file, std::size_t most) const;

  std::string root_;
};

// Bytes that a terminal or a table cannot stand become '?'; what is too long is cut.
std::string make_printable(std::string text, std::size_t most);

}  // namespace gpusched
