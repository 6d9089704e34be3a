#include "core/notify/target.h"

#include <algorithm>

#include "base/text.h"

namespace gpusched {
namespace {

constexpr std::size_t kAddressMost = 254;

// What every mail server takes without quotes, so that no address can be anything else.
bool is_plain_address(std::string_view text) {
  const std::size_t at = text.find('@');
  if (text.size() > kAddressMost || at == 0 || at == std::string_view::npos) return false;
  if (at + 1 == text.size() || text.find('@', at + 1) != std::string_view::npos) return false;
  if (text.front() == '-' || text.front() == '.') return false;
  return std::ranges::all_of(text, [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || c == '.' || c == '_' || c == '+' || c == '-' || c == '@';
  });
}

bool takes(const Receiver& receiver, std::string_view address) {
  if (receiver.channel != Channel::kMail || !receiver.for_users) return false;
  const std::string lower = lower_case(address);
  return std::ranges::any_of(receiver.addresses, [&](const std::string& end) {
    return lower.size() > end.size() && lower.ends_with(lower_case(end));
  });
}

std::string what_there_is(const Receivers& receivers) {
  std::vector<std::string> names, ends;
  for (const auto& [name, receiver] : receivers) {
    if (!receiver.for_users) continue;
    names.push_back(name);
    if (receiver.channel == Channel::kMail) {
      ends.insert(ends.end(), receiver.addresses.begin(), receiver.addresses.end());
    }
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    text += i == 0 ? " and addresses that end in " : " or ";
    text += ends[i];
  }
  return text.empty() ? ": no receiver is open to users here" : "; open to users: " + text;
}

}  // namespace

std::optional<Target> target_of_user(const Receivers& receivers, const std::string& text) {
  const auto named = receivers.find(text);
  if (named != receivers.end() && named->second.for_users) return Target{text};
  if (!is_plain_address(text)) return std::nullopt;
  for (const auto& [name, receiver] : receivers) {
    if (takes(receiver, text)) return Target{name, lower_case(text)};
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_targets(const Receivers& receivers, const JobSpec& spec) {
  for (const std::string& text : spec.extras->notify) {
    const auto wish = read_notify_wish(text);
    if (!wish) return fault_of_notify_wish(text);
    if (target_of_user(receivers, wish->target)) continue;
    // The same of one that is for alarms alone: what receivers there are is not everybody's to
    // know.
    return "nobody can be notified at '" + wish->target + "'" + what_there_is(receivers);
  }
  return std::nullopt;
}

}  // namespace gpusched
