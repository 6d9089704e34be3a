// Messages in a world that fails: the receiver may be slow or refuse for now, the daemon may die
// between a delivery and its record. What was delivered is in a journal, as the notifier keeps it.
#include <utility>

#include "sim/fault_world.h"

namespace gpusched {

void FaultWorld::carry_messages() {
  engine_->on_message([this](const Message& message) { take_message(message); },
                      [this](const Message& message, const std::string& why) {
                        violate("message " + std::to_string(message.id) + " was given up: " + why);
                      });
}

void FaultWorld::take_message(const Message& message) {
  const std::string name = "message " + std::to_string(message.id);
  const auto [known, fresh] = said_.try_emplace(message.id, message.notice.what);
  if (!fresh && known->second != message.notice.what) violate(name + " says two things");
  if (carried_) violate(name + " is sent while another is on its way");
  if (const auto before = delivered_.find(message.id); before != delivered_.end()) {
    // Before the daemon died, which could not write it down.
    if (before->second != message.times) violate(name + " has grown since it was delivered");
    engine_->post(MessagesSettled{.delivered = {message.id}});
    return;
  }
  if (message.id < last_delivered_) violate(name + " comes behind a later one");
  carried_ = message;
}

void FaultWorld::deliver_carried() {
  delivered_.emplace(carried_->id, carried_->times);
  last_delivered_ = carried_->id;
  ++tally_.messages;
}

void FaultWorld::messages_go_on() {
  if (!carried_ || !(calm_ || chance(40))) return;
  const std::uint64_t id = carried_->id;
  if (!calm_ && chance(30)) {
    carried_.reset();
    engine_->post(MessagesSettled{.delivered = {}, .failed = {{.id = id, .error = "no answer"}}});
    return;
  }
  deliver_carried();
  carried_.reset();
  engine_->post(MessagesSettled{.delivered = {id}});
}

// The notifier finishes what it has begun, or is gone with the machine.
void FaultWorld::messages_outlive_the_daemon() {
  if (carried_ && chance(50)) deliver_carried();
  carried_.reset();
}

void FaultWorld::check_outbox() {
  constexpr std::size_t kMost = 5;
  if (engine_->state().messages().size() > kMost) violate("the outbox has grown beyond its bound");
}

}  // namespace gpusched
