#include "core/state/outbox_book.h"

namespace gpusched {
namespace {

std::optional<std::pair<Wall, std::uint64_t>> head_of(const OutboxBook::Line& line) {
  if (line.waiting.empty()) return std::nullopt;
  return std::pair(line.waiting.begin()->second, line.waiting.begin()->first);
}

// The head may be another one afterwards.
template <class Change>
void change_line(OutboxBook::Lines& lines, OutboxBook::Line& line, Change change) {
  if (const auto before = head_of(line)) lines.heads.erase(*before);
  change();
  if (const auto after = head_of(line)) lines.heads.insert(*after);
}

}  // namespace

std::string OutboxBook::group_key(const Notice& notice) {
  return notice.group.empty() ? std::string() : (notice.resolved ? "-" : "+") + notice.group;
}

void OutboxBook::add(const Message& message) {
  Lines& lines = receivers_[message.receiver];
  Line& line = lines.by_address[message.address];
  change_line(lines, line, [&] {
    line.waiting.emplace(message.id, message.due);
    if (!message.notice.group.empty()) line.groups[group_key(message.notice)].insert(message.id);
  });
  if (message.address.empty()) return;
  ++lines.addressed;
  lines.by_user[message.notice.whom].insert(message.id);
}

void OutboxBook::drop(const Message& message) {
  Lines& lines = receivers_.at(message.receiver);
  Line& line = lines.by_address.at(message.address);
  change_line(lines, line, [&] {
    line.waiting.erase(message.id);
    if (message.notice.group.empty()) return;
    const auto group = line.groups.find(group_key(message.notice));
    group->second.erase(message.id);
    if (group->second.empty()) line.groups.erase(group);
  });
  if (!message.address.empty()) {
    --lines.addressed;
    const auto user = lines.by_user.find(message.notice.whom);
    user->second.erase(message.id);
    if (user->second.empty()) lines.by_user.erase(user);
  }
  if (line.waiting.empty()) lines.by_address.erase(message.address);
  if (lines.by_address.empty()) receivers_.erase(message.receiver);
}

const OutboxBook::Line* OutboxBook::find(const std::string& receiver,
                                         const std::string& address) const {
  const auto lines = receivers_.find(receiver);
  if (lines == receivers_.end()) return nullptr;
  const auto line = lines->second.by_address.find(address);
  return line == lines->second.by_address.end() ? nullptr : &line->second;
}

std::size_t OutboxBook::waiting() const {
  std::size_t count = 0;
  for (const auto& [name, lines] : receivers_) {
    for (const auto& [address, line] : lines.by_address) count += line.waiting.size();
  }
  return count;
}

}  // namespace gpusched
