#include "core/state/idle_processes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace gpusched {
namespace {

constexpr double kIdlePercent = 1.0;

std::string_view program_of(const SeenProcess& process) {
  std::string_view name = process.command;
  name = name.substr(0, name.find(' '));
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

bool is_in_list(std::string_view word, std::string_view list) {
  const std::vector<std::string_view> words = split_nonempty(list, ',');
  return std::ranges::find(words, word) != words.end();
}

// A process that may be moved for being idle has to be noticed by then.
Seconds named_after(const Rules& rules) {
  const Seconds moved_after = rules.room.idle_after;
  return moved_after > Seconds{0} ? std::min(moved_after, rules.idle_named_after)
                                  : rules.idle_named_after;
}

}  // namespace

void IdleProcesses::look(CardView& view, const Rules& rules) {
  std::map<Key, Now> idle;
  for (SeenProcess& process : view.processes) {
    if (!process.attempt) {
      process.ignored = process.ignored || process.server ||
                        is_in_list(program_of(process), rules.ignored_programs);
    }
    if (!process.load_percent || *process.load_percent >= kIdlePercent) continue;
    const Key key{process.pid, process.started};
    const auto before = idle_.find(key);
    const Now since = before != idle_.end() ? before->second : view.at;
    idle.emplace(key, since);
    // A server waits for its clients; that is no reason to point at it.
    const bool holds = process.vram_bytes.value_or(0) > 0 && !process.server;
    if (holds && !process.idle_since && view.at.boot - since.boot >= named_after(rules)) {
      process.idle_since = since.wall;
    }
  }
  idle_ = std::move(idle);
}

}  // namespace gpusched
