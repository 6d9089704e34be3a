#include "mover/victims.h"

#include <dirent.h>
#include <fcntl.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "jobdir/job_directory.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/small_file.h"

namespace gpusched::mover {
namespace {

constexpr int kDeepestGroup = 8;
constexpr std::chrono::seconds kWakeUp{2};
constexpr std::chrono::milliseconds kLookAgain{10};

// With the groups that the job made below its own.
void add_members(int directory, int depth, std::set<pid_t>& members) {
  const std::string list = read_small_file_in(directory, "cgroup.procs");
  for (const char* at = list.c_str(); *at != '\0';) {
    char* end = nullptr;
    const long pid = std::strtol(at, &end, 10);
    if (end == at) break;
    if (pid > 1) members.insert(static_cast<pid_t>(pid));
    at = *end == '\n' ? end + 1 : end;
  }
  if (depth == 0) return;
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = copy < 0 ? nullptr : ::fdopendir(copy);
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries)) {
    if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
    const Fd below(::openat(copy, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (below) add_members(below.get(), depth - 1, members);
  }
  ::closedir(entries);
}

}  // namespace

bool is_frozen(const std::string& leaf) {
  return !leaf.empty() &&
         read_small_file(leaf + "/cgroup.events").find("frozen 1") != std::string::npos;
}

Result<Where> where_of(int directory) {
  const auto text = read_file(directory, "claim");
  if (!text) return failure(text.error());
  if (!text->has_value()) return failure(ErrorCode::kNotFound, "the attempt has no claim");
  const auto claim = parse_claim(**text);
  if (!claim) return failure(claim.error());
  // While its lock is held the shim lives, and its number is nobody else's.
  const auto held = claim_is_held(directory);
  if (!claim->by_shim || (held && !*held)) {
    return failure(ErrorCode::kNotFound, "the attempt does not run");
  }
  if (!claim->process) return Where{claim->cgroup, static_cast<pid_t>(claim->pid), false, {}};
  // Adopted: it is no child of its shim, which only watches over it.
  if (is_gone(claim->process->pid, claim->process->started)) {
    return failure(ErrorCode::kNotFound, "the adopted process has ended");
  }
  return Where{{}, static_cast<pid_t>(claim->process->pid), true, {}};
}

std::vector<ProcessEntry> processes_of(const Where& where) {
  std::set<pid_t> members;
  if (!where.leaf.empty()) {
    const Fd leaf(::open(where.leaf.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (leaf) add_members(leaf.get(), kDeepestGroup, members);
  } else if (where.root > 1) {
    for (const pid_t pid : descendants_of(where.root)) members.insert(pid);
    if (where.with_root) members.insert(where.root);
    for (const pid_t other : where.apart) {
      if (other == where.root || members.erase(other) == 0) continue;
      for (const pid_t pid : descendants_of(other)) members.erase(pid);
    }
  }
  std::vector<ProcessEntry> found;
  // In a control group of ours nobody else is.
  const bool tree_of_user = where.leaf.empty() && where.owner.value_or(0) != 0;
  for (const pid_t pid : members) {
    if (tree_of_user && user_of_process(pid) != where.owner) continue;
    const auto entry = find_process(pid);
    if (entry && !entry->zombie) found.push_back(*entry);
  }
  return found;
}

bool is_gone(pid_t pid, Boot started) {
  const auto found = find_process(pid);
  return !found || found->zombie || found->started != started;
}

std::optional<pid_t> find_stopped(const Where& where) {
  const Boot deadline = read_clock().boot + kWakeUp;
  while (true) {
    std::optional<pid_t> found;
    const auto processes = processes_of(where);
    for (const ProcessEntry& entry : processes) {
      if (entry.stopped && !found) found = entry.pid;
    }
    if (!found && !processes.empty() && is_frozen(where.leaf)) found = processes.front().pid;
    if (!found || read_clock().boot >= deadline) return found;
    pause_for(kLookAgain);
  }
}

}  // namespace gpusched::mover
