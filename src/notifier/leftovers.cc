#include "notifier/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "base/number.h"
#include "os/clock.h"
#include "os/small_file.h"

namespace gpusched::notifier {
namespace {

constexpr std::chrono::milliseconds kLook{5};
constexpr std::size_t kStatMost = 4096;

// "17 (name) S 4 ...": 4. The name may have anything in it, also brackets.
pid_t parent_in(const std::string& stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || stat.size() < name_end + 5) return -1;
  const std::string_view rest = std::string_view(stat).substr(name_end + 4);
  pid_t parent = -1;
  return whole_number(rest.substr(0, rest.find(' ')), parent) ? parent : -1;
}

std::vector<pid_t> children_but(const std::set<pid_t>& kept) {
  struct Close {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, Close> all(::opendir("/proc"));
  const pid_t ours = ::getpid();
  while (all) {
    const dirent* entry = ::readdir(all.get());
    if (entry == nullptr) break;
    pid_t pid = -1;
    if (!whole_number(std::string_view(entry->d_name), pid) || kept.contains(pid)) continue;
    const std::string stat = std::string(entry->d_name) + "/stat";
    if (parent_in(read_small_file_in(::dirfd(all.get()), stat.c_str(), kStatMost)) == ours) {
      found.push_back(pid);
    }
  }
  return found;
}

}  // namespace

void adopt_orphans() {
  // Ignoring failure: then the system's first process gets them, as without us.
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

Leftovers end_children_but(const std::set<pid_t>& kept, Boot deadline) {
  Leftovers left;
  for (;;) {
    const std::vector<pid_t> children = children_but(kept);
    if (children.empty()) return left;
    // All of them first: one that lives could start another.
    for (const pid_t pid : children) ::kill(pid, SIGKILL);
    for (const pid_t pid : children) {
      int status = 0;
      if (::waitpid(pid, &status, WNOHANG) == pid && WIFSIGNALED(status)) ++left.ended;
    }
    if (read_clock().boot >= deadline) {
      left.some_live = !children_but(kept).empty();
      return left;
    }
    pause_for(kLook);
  }
}

}  // namespace gpusched::notifier
