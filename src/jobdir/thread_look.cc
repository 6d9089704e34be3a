#include "jobdir/thread_look.h"

#include <dirent.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "os/small_file.h"

namespace gpusched {
namespace {

constexpr std::size_t kThreadsMost = 256;

// Of what the kernel says of a thread; longer is nothing.
constexpr std::size_t kShort = 256;

// From "202 0x7f12 0x189 0x0 0x0 …": a system call and its arguments, as far as we may see them.
bool read_call(const std::string& directory, ThreadLook& thread) {
  const std::string text = read_small_file(directory + "/syscall", kShort);
  if (text.empty()) return false;
  if (text.starts_with("running")) {
    thread.wait = ThreadWait::kNone;
    return true;
  }
  char* at = nullptr;
  const long call = std::strtol(text.c_str(), &at, 10);
  std::uint64_t arguments[4] = {};
  for (std::uint64_t& argument : arguments) argument = std::strtoull(at, &at, 16);
  const auto [address, operation, value, timeout] = arguments;
  constexpr std::uint64_t kWait = 0, kWaitBitset = 9, kFlags = 128 + 256;
  const std::uint64_t kind = operation & ~kFlags;
  thread.wait = ThreadWait::kOther;
  if (call != SYS_futex || (kind != kWait && kind != kWaitBitset)) return true;
  thread.wait = timeout == 0 ? ThreadWait::kFutex : ThreadWait::kTimed;
  thread.address = address;
  return true;
}

// Where the call cannot be seen: the function of the kernel that it waits in.
void read_place(const std::string& directory, ThreadLook& thread) {
  const std::string place = read_small_file(directory + "/wchan", kShort);
  if (place.empty() || place == "0") return;
  thread.wait = place.starts_with("futex") ? ThreadWait::kFutex : ThreadWait::kOther;
}

// False: it has ended, it is the driver's, or this kernel does not count.
bool read_thread(const std::string& directory, ThreadLook& thread) {
  // The driver's own threads stand still while the process is aside, and say nothing of it.
  if (read_small_file(directory + "/comm", kShort).starts_with("cuda")) return false;
  // Nanoseconds on a CPU, nanoseconds of waiting for one, and how often it was given one.
  const std::string counted = read_small_file(directory + "/schedstat", kShort);
  const std::size_t last = counted.find_last_of(' ');
  if (last == std::string::npos) return false;
  thread.turns = std::strtoull(counted.c_str() + last, nullptr, 10);
  if (!read_call(directory, thread)) read_place(directory, thread);
  return true;
}

void add_threads(pid_t pid, std::vector<ThreadLook>& threads) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  DIR* entries = ::opendir(tasks.c_str());
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries)) {
    if (entry->d_name[0] == '.' || threads.size() >= kThreadsMost) continue;
    ThreadLook thread{.id = std::atoi(entry->d_name)};
    if (read_thread(tasks + "/" + entry->d_name, thread)) threads.push_back(std::move(thread));
  }
  ::closedir(entries);
}

}  // namespace

std::optional<HolderLook> look_at_threads(const TreeRoot& root,
                                          const std::vector<ProcessEntry>& all, Boot now) {
  const auto found = std::ranges::find(all, root.pid, &ProcessEntry::pid);
  if (found == all.end() || found->zombie) return std::nullopt;
  std::vector<pid_t> tree{root.pid};
  for (std::size_t next = 0; next < tree.size(); ++next) {
    for (const ProcessEntry& entry : all) {
      if (entry.parent == tree[next] && !entry.zombie) tree.push_back(entry.pid);
    }
  }
  if (!root.with_root) tree.erase(tree.begin());
  HolderLook look{.at = now, .threads = {}};
  for (const pid_t pid : tree) add_threads(pid, look.threads);
  return look;
}

}  // namespace gpusched
