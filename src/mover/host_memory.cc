#include "mover/host_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "os/fd.h"
#include "os/small_file.h"

namespace gpusched::mover {
namespace {

// The number after a word at the beginning of a line.
std::uint64_t number_after(const std::string& text, const std::string& word) {
  const std::size_t at = ("\n" + text).find("\n" + word + " ");
  if (at == std::string::npos) return 0;
  return std::strtoull(text.c_str() + at + word.size() + 1, nullptr, 10);
}

}  // namespace

std::optional<std::uint64_t> room_in_groups(const std::string& base, std::string group) {
  std::optional<std::uint64_t> room;
  while (!group.empty() && group != "/") {
    const std::string directory = base + group;
    if (const auto limit = read_memory_max(directory)) {
      const std::uint64_t most = std::strtoull(limit->c_str(), nullptr, 10);
      std::uint64_t used =
          std::strtoull(read_small_file(directory + "/memory.current").c_str(), nullptr, 10);
      used -= std::min(used, number_after(read_small_file(directory + "/memory.stat"), "file"));
      const std::uint64_t left = most - std::min(most, used);
      room = std::min(room.value_or(left), left);
    }
    group.resize(group.rfind('/'));
  }
  return room;
}

std::optional<std::uint64_t> room_in_groups(int pid) {
  const std::string groups = "\n" + read_small_file("/proc/" + std::to_string(pid) + "/cgroup");
  const std::string mark = "\n0::";
  const std::size_t at = groups.find(mark);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + mark.size();
  return room_in_groups("/sys/fs/cgroup", groups.substr(begin, groups.find('\n', begin) - begin));
}

std::optional<std::uint64_t> available_ram() {
  const std::string text = read_small_file("/proc/meminfo");
  const std::string key = "MemAvailable:";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(text.c_str() + at + key.size(), nullptr, 10) * 1024;
}

std::optional<std::string> read_memory_max(const std::string& leaf) {
  if (leaf.empty()) return std::nullopt;
  std::string text = read_small_file(leaf + "/memory.max");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.empty() || text == "max") return std::nullopt;
  return text;
}

bool write_memory_max(const std::string& leaf, const std::string& value) {
  const Fd file(::open((leaf + "/memory.max").c_str(), O_WRONLY | O_CLOEXEC));
  return file &&
         ::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

}  // namespace gpusched::mover
