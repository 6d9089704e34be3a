#include "core/apply/transitions.h"
#include "core/notify/outbox.h"

namespace gpusched {
namespace {

void tell_lost(std::vector<LostMessage> lost, Applied& applied) {
  for (LostMessage& one : lost) {
    applied.effects.emplace_back(MessageLost{std::move(one.message), std::move(one.why)});
  }
}

}  // namespace

void send_due_messages(State& state, Now now, Applied& applied) {
  std::vector<LostMessage> lost;
  for (Message& message : take_due(state, now, lost)) {
    applied.effects.emplace_back(SendMessage{std::move(message)});
  }
  tell_lost(std::move(lost), applied);
}

Applied apply_messages_settled(State& state, const MessagesSettled& settled, Now now) {
  Applied applied;
  std::vector<LostMessage> lost;
  settle(state, settled, now, lost);
  tell_lost(std::move(lost), applied);
  return applied;
}

}  // namespace gpusched
