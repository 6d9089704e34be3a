// Named groups with a limit on how many of their jobs run at once.
#include "core/apply/transitions.h"

namespace gpusched {

Applied apply_group_set(State& state, const GroupSetAsked& asked) {
  if (!may(asked.actor, Action::kChangeGroup)) {
    return refused(only_administrators(Action::kChangeGroup));
  }
  if (asked.name.empty()) return refused(RefusalKind::kInvalid, "a group needs a name");
  if (asked.limit < 0) {
    return refused(RefusalKind::kInvalid, "the limit of a group cannot be negative");
  }
  state.put(Group{asked.name, asked.limit});
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

Applied apply_group_remove(State& state, const GroupRemoveAsked& asked) {
  if (!may(asked.actor, Action::kRemoveGroup)) {
    return refused(only_administrators(Action::kRemoveGroup));
  }
  if (!state.groups().contains(asked.name)) {
    return refused(RefusalKind::kNotFound, "there is no group '" + asked.name + "'");
  }
  state.remove<Group>(asked.name);
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

}  // namespace gpusched
