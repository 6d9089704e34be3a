#include "jobdir/running_process.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "jobdir/process_tree.h"
#include "os/small_file.h"

namespace gpusched {
namespace {

// Arguments beyond this are not kept: they are for people.
constexpr std::size_t kArgumentsMost = 32 * 1024;

std::string read_of(pid_t pid, const char* name, std::size_t most) {
  return read_small_file("/proc/" + std::to_string(pid) + "/" + name, most);
}

// "Uid:\t1000\t1000\t1000\t1000": the first three, real, effective, saved.
bool read_ids(const std::string& status, std::string_view label, std::uint32_t (&ids)[3]) {
  const std::size_t at = status.find(label);
  if (at == std::string::npos) return false;
  const char* text = status.c_str() + at + label.size();
  for (std::uint32_t& id : ids) {
    char* end = nullptr;
    id = static_cast<std::uint32_t>(std::strtoul(text, &end, 10));
    if (end == text) return false;
    text = end;
  }
  return true;
}

std::vector<std::string> words_of(std::string_view content) {
  std::vector<std::string> words;
  while (!content.empty()) words.emplace_back(take_until(content, '\0'));
  return words;
}

std::string name_from(const std::string& status) {
  constexpr std::string_view kLabel = "Name:\t";
  const std::size_t at = status.find(kLabel);
  if (at == std::string::npos) return "?";
  return status.substr(at + kLabel.size(), status.find('\n', at) - at - kLabel.size());
}

}  // namespace

Result<RunningProcess> look_at_process(pid_t pid) {
  const auto gone = [&] {
    return failure(ErrorCode::kNotFound, "there is no process " + std::to_string(pid));
  };
  const auto entry = find_process(pid);
  if (!entry || entry->zombie) return gone();
  RunningProcess found{.pid = pid, .started = entry->started};
  const std::string status = read_of(pid, "status", 1 << 14);
  std::uint32_t users[3] = {};
  std::uint32_t groups[3] = {};
  if (!read_ids(status, "\nUid:", users) || !read_ids(status, "\nGid:", groups)) return gone();
  found.uid = users[0];
  found.gid = groups[0];
  found.plain_identity = users[1] == users[0] && users[2] == users[0];
  found.argv = words_of(read_of(pid, "cmdline", kArgumentsMost));
  if (found.argv.empty()) found.argv = {name_from(status)};
  char directory[PATH_MAX];
  const ssize_t length =
      ::readlink(("/proc/" + std::to_string(pid) + "/cwd").c_str(), directory, sizeof directory);
  if (length > 0) found.working_directory.assign(directory, static_cast<std::size_t>(length));
  found.tree.push_back(pid);
  for (const pid_t below : descendants_of(pid)) found.tree.push_back(below);
  for (auto parent = find_process(entry->parent); parent && parent->pid > 1;
       parent = find_process(parent->parent)) {
    found.ancestors.push_back(parent->pid);
    if (found.ancestors.size() > 1024) break;
  }
  const auto again = find_process(pid);
  if (!again || again->started != found.started) return gone();
  return found;
}

}  // namespace gpusched
