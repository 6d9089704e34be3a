#include "notify/drop_tally.h"

#include <algorithm>
#include <utility>

namespace gpusched {
namespace {

constexpr std::size_t kNamedMost = 5;
// Of one receiver between two lines; the rest are "others".
constexpr std::size_t kUsersMost = 1000;

}  // namespace

void DropTally::add(const std::vector<Untold>& untold) {
  for (const Untold& one : untold) {
    totals_[one.target.receiver] += one.times;
    auto& users = gathered_[one.target.receiver];
    const bool many = users.size() >= kUsersMost && !users.contains(one.user);
    users[many ? "others" : one.user] += one.times;
  }
}

std::vector<DropTally::Line> DropTally::take() {
  std::vector<Line> lines;
  for (const auto& [receiver, users] : std::exchange(gathered_, {})) {
    Line line{.receiver = receiver};
    std::vector<std::pair<std::string, std::uint64_t>> order(users.begin(), users.end());
    std::ranges::stable_sort(order,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      line.notices += order[i].second;
      if (i >= kNamedMost) continue;
      line.users +=
          (i == 0 ? "" : ", ") + order[i].first + " (" + std::to_string(order[i].second) + ")";
    }
    if (order.size() > kNamedMost) {
      line.users += " and " + std::to_string(order.size() - kNamedMost) + " more";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::uint64_t DropTally::total(const std::string& receiver) const {
  const auto found = totals_.find(receiver);
  return found == totals_.end() ? 0 : found->second;
}

}  // namespace gpusched
