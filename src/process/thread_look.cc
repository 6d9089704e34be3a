#include "process/thread_look.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/fd.h"

namespace gpusched {
namespace {

constexpr std::size_t kThreadsMost = 256;

std::string read_short(const std::string& path) {
  char text[256];
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = file ? ::read(file.get(), text, sizeof text) : 0;
  return {text, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

// False: it has ended, or this kernel does not count.
bool read_thread(const std::string& directory, ThreadLook& thread) {
  // Nanoseconds on a CPU, nanoseconds of waiting for one, and how often it was given one.
  const std::string counted = read_short(directory + "/schedstat");
  char* end = nullptr;
  const long long ran = std::strtoll(counted.c_str(), &end, 10);
  if (end == counted.c_str()) return false;
  std::strtoll(end, &end, 10);
  thread.cpu = Microseconds{ran / 1000};
  thread.turns = std::strtoull(end, nullptr, 10);
  thread.waits_in = read_short(directory + "/wchan");
  if (thread.waits_in == "0") thread.waits_in.clear();
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
