// Named groups with a limit on how many of their jobs run at once.
#include "core/apply/transitions.h"

namespace gpusched {

Applied apply_group_set(State& state, const GroupSetAsked& asked) {
  if (!asked.actor.administrator) {
    return refused(RefusalKind::kForbidden, "only an administrator may change a group");
  }
  if (asked.name.empty()) return refused(RefusalKind::kInvalid, "a group needs a name");
  if (asked.limit < 0) {
    return refused(RefusalKind::kInvalid, "the limit of a group cannot be negative");
  }
  state.put(Group{asked.name, asked.limit});
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

Applied apply_group_remove(State& state, const GroupRemoveAsked& asked) {
  if (!asked.actor.administrator) {
    return refused(RefusalKind::kForbidden, "only an administrator may remove a group");
  }
  if (!state.groups().contains(asked.name)) {
    return refused(RefusalKind::kNotFound, "there is no group '" + asked.name + "'");
  }
  state.remove<Group>(asked.name);
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

}  // namespace gpusched
