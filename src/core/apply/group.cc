// Named groups with a limit on how many of their jobs run at once: everybody's, or a user's own.
#include <algorithm>

#include "core/apply/transitions.h"

namespace gpusched {
namespace {

Subject owner_of(const std::string& name) { return {.user = owner_of_group(name)}; }

}  // namespace

std::string group_for(const StateView& state, const std::string& user, const std::string& name) {
  if (name.empty() || !owner_of_group(name).empty()) return name;
  std::string own = own_group(user, name);
  return state.groups().contains(own) ? own : name;
}

std::optional<Refusal> check_group(const std::string& user, const std::string& name) {
  const std::string_view owner = owner_of_group(name);
  if (owner.empty() || user == owner) return std::nullopt;
  return Refusal{RefusalKind::kForbidden,
                 "group '" + name + "' is for the jobs of " + std::string(owner) + " alone"};
}

Applied apply_group_set(State& state, const GroupSetAsked& asked) {
  if (!may(asked.actor, Action::kChangeGroup, owner_of(asked.name))) {
    return refused(only_others_may(Action::kChangeGroup));
  }
  const std::string_view owner = owner_of_group(asked.name);
  if (asked.name.empty() || asked.name.ends_with('/')) {
    return refused(RefusalKind::kInvalid, "a group needs a name");
  }
  if (asked.limit.value_or(0) < 0) {
    return refused(RefusalKind::kInvalid, "the limit of a group cannot be negative");
  }
  const auto before = state.groups().find(asked.name);
  const bool is_new = before == state.groups().end();
  // A user who mistypes the group must not be told that it is paused.
  if (is_new && !asked.limit) {
    return refused(RefusalKind::kNotFound, "there is no group '" + asked.name + "'");
  }
  const auto own = static_cast<std::size_t>(std::ranges::count_if(
      state.groups(), [&](const auto& entry) { return owner_of_group(entry.first) == owner; }));
  if (is_new && !owner.empty() && own >= kOwnGroupsMost) {
    return refused(RefusalKind::kConflict, "a user has at most " + std::to_string(kOwnGroupsMost) +
                                               " groups; remove one first");
  }
  Group group = is_new ? Group{.name = asked.name} : before->second;
  group.limit = asked.limit.value_or(group.limit);
  group.paused = asked.paused.value_or(group.paused);
  state.put(std::move(group));
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

std::optional<Refusal> check_group_remove(const StateView& state, const GroupRemoveAsked& asked) {
  if (!may(asked.actor, Action::kRemoveGroup, owner_of(asked.name))) {
    return only_others_may(Action::kRemoveGroup);
  }
  const auto group = state.groups().find(asked.name);
  if (group == state.groups().end()) {
    return Refusal{RefusalKind::kNotFound, "there is no group '" + asked.name + "'"};
  }
  // Who paused it did not mean these jobs to start.
  const std::uint64_t waiting = state.waiting_in_group(asked.name);
  if (!group->second.paused || waiting == 0 || asked.resume) return std::nullopt;
  const bool one = waiting == 1;
  const std::string who =
      one ? "1 of its jobs waits" : std::to_string(waiting) + " of its jobs wait";
  return Refusal{RefusalKind::kConflict,
                 "group '" + asked.name + "' is paused, and " + who +
                     ": without the group nothing keeps " + (one ? "it" : "them") +
                     " from starting; remove the group with --resume if that is meant"};
}

Applied apply_group_remove(State& state, const GroupRemoveAsked& asked) {
  if (auto refusal = check_group_remove(state, asked)) return refused(std::move(*refusal));
  state.remove<Group>(asked.name);
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

}  // namespace gpusched
