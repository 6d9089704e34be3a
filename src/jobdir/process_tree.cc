#include "jobdir/process_tree.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

#include "os/small_file.h"

namespace gpusched {
namespace {

std::optional<ProcessEntry> read_entry(pid_t pid) {
  const std::string stat = read_small_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  // The name in parentheses may hold anything, parentheses too; the fields follow the last one.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return std::nullopt;
  ProcessEntry entry;
  entry.pid = pid;
  const char* at = stat.c_str() + name_end + 2;
  entry.zombie = *at == 'Z' || *at == 'X';
  entry.stopped = *at == 'T' || *at == 't';
  ++at;
  long long fields[20] = {};  // ppid, pgrp, session, …, starttime is the 19th after the state.
  char* end = nullptr;
  for (long long& field : fields) {
    field = std::strtoll(at, &end, 10);
    if (end == at) return std::nullopt;
    at = end;
  }
  entry.parent = static_cast<pid_t>(fields[0]);
  entry.session = static_cast<pid_t>(fields[2]);
  entry.started = boot_of_ticks(static_cast<std::uint64_t>(fields[18]));
  return entry;
}

// True if the environment the process was started with names this attempt.
bool carries_attempt(pid_t pid, const LostTree& lost) {
  const std::string environment =
      '\0' + read_small_file("/proc/" + std::to_string(pid) + "/environ", 1 << 20) + '\0';
  const auto has = [&](const std::string& variable) {
    return environment.find('\0' + variable + '\0') != std::string::npos;
  };
  return has("GPUSCHED_CHECKPOINT_DIR=" + lost.checkpoint_directory) &&
         has("GPUSCHED_ATTEMPT=" + std::to_string(lost.attempt.number));
}

bool catches(pid_t pid, int signal) {
  const std::string status = read_small_file("/proc/" + std::to_string(pid) + "/status", 1 << 14);
  constexpr std::string_view kLabel = "\nSigCgt:";
  const std::size_t at = status.find(kLabel);
  if (at == std::string::npos) return false;
  const unsigned long long caught = std::strtoull(status.c_str() + at + kLabel.size(), nullptr, 16);
  return ((caught >> (signal - 1)) & 1U) != 0;
}

}  // namespace

Boot boot_of_ticks(std::uint64_t ticks) {
  static const long kTicksPerSecond = ::sysconf(_SC_CLK_TCK);
  return Boot{Microseconds{static_cast<std::int64_t>(ticks) * 1'000'000 / kTicksPerSecond}};
}

std::vector<ProcessEntry> list_processes() {
  std::vector<ProcessEntry> found;
  DIR* directory = ::opendir("/proc");
  if (directory == nullptr) return found;
  while (const dirent* name = ::readdir(directory)) {
    if (name->d_name[0] < '1' || name->d_name[0] > '9') continue;
    if (auto entry = read_entry(std::atoi(name->d_name))) found.push_back(*entry);
  }
  ::closedir(directory);
  return found;
}

std::optional<ProcessEntry> find_process(pid_t pid) { return read_entry(pid); }

std::optional<uid_t> user_of_process(pid_t pid) {
  const std::string status = read_small_file("/proc/" + std::to_string(pid) + "/status", 1 << 14);
  constexpr std::string_view kLabel = "\nUid:";
  const std::size_t at = status.find(kLabel);
  if (at == std::string::npos) return std::nullopt;
  return static_cast<uid_t>(std::strtoul(status.c_str() + at + kLabel.size(), nullptr, 10));
}

std::vector<pid_t> descendants_of(pid_t root) {
  const std::vector<ProcessEntry> all = list_processes();
  std::vector<pid_t> tree{root};
  for (std::size_t next = 0; next < tree.size(); ++next) {
    for (const ProcessEntry& entry : all) {
      if (entry.parent == tree[next] && !entry.zombie) tree.push_back(entry.pid);
    }
  }
  tree.erase(tree.begin());
  return tree;
}

std::size_t signal_descendants(pid_t root, int signal) {
  const std::vector<pid_t> tree = descendants_of(root);
  for (const pid_t pid : tree) ::kill(pid, signal);
  return tree.size();
}

std::vector<pid_t> nearest_that_catch(pid_t command, pid_t reaper, int signal) {
  if (signal < 1 || signal > 64) return {};
  if (catches(command, signal)) return {command};
  const std::vector<ProcessEntry> all = list_processes();
  for (const pid_t root : {command, reaper}) {
    std::vector<pid_t> level{root};
    while (!level.empty()) {
      std::vector<pid_t> below;
      for (const ProcessEntry& entry : all) {
        const bool child = std::ranges::find(level, entry.parent) != level.end();
        if (child && !entry.zombie && entry.pid != command) below.push_back(entry.pid);
      }
      std::vector<pid_t> found;
      std::ranges::copy_if(below, std::back_inserter(found),
                           [&](pid_t pid) { return catches(pid, signal); });
      if (!found.empty()) return found;
      level = std::move(below);
    }
  }
  return {};
}

std::vector<pid_t> find_lost_tree(const LostTree& lost) {
  const std::vector<ProcessEntry> all = list_processes();
  // While a session has members its number is not given away, so members without a leader are
  // ours. A leader is ours only if it was born when our command was.
  bool session_is_ours = lost.session > 1;
  for (const ProcessEntry& entry : all) {
    if (!session_is_ours || entry.pid != lost.session) continue;
    const auto apart = entry.started > lost.session_started ? entry.started - lost.session_started
                                                            : lost.session_started - entry.started;
    // The status is written after exec; a slow directory or disk may lie between the two.
    session_is_ours = entry.started <= lost.session_started + Seconds{1} &&
                      (apart < Seconds{2} || carries_attempt(entry.pid, lost));
  }
  std::vector<pid_t> found;
  for (const ProcessEntry& entry : all) {
    if (entry.zombie || entry.pid == ::getpid() || entry.pid == 1) continue;
    const bool member = session_is_ours && entry.session == lost.session;
    // A directory that was at the same path before may have had such a job, too. Between the first
    // process of a start and its command lies at most a slow commit.
    constexpr Seconds kStartMost{60};
    const bool before = lost.session > 1 && entry.started + kStartMost < lost.session_started;
    if (member || (!before && carries_attempt(entry.pid, lost))) found.push_back(entry.pid);
  }
  return found;
}

std::vector<pid_t> find_container(const std::string& group, Boot since) {
  if (group.size() < 2 || group.front() != '/') return {};
  const auto is_in = [&](const std::string& pid) {
    // The path as a whole: a part of it could be chosen by anybody who may make groups.
    std::string groups = read_small_file("/proc/" + pid + "/cgroup", 1 << 16);
    if (groups.empty() || groups.back() != '\n') groups += '\n';
    return groups.find(':' + group + '\n') != std::string::npos ||
           groups.find(':' + group + '/') != std::string::npos;
  };
  if (is_in("self")) return {};
  std::vector<pid_t> found;
  for (const ProcessEntry& entry : list_processes()) {
    if (entry.zombie || entry.pid == 1 || !is_in(std::to_string(entry.pid))) continue;
    // Start times are counted in ticks, and the attempt's was taken a little after its command's.
    if (entry.started + Seconds{1} < since) return {};
    found.push_back(entry.pid);
  }
  return found;
}

}  // namespace gpusched
