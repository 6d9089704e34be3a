// GET /v1/outbox
#include "wire/messages/outbox.h"
#include "api/answers.h"
#include "api/routes/routes.h"
#include "core/model/receiver.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

// Neither addresses nor places: who looks after the machine need not know them.
wire::OutboxLine outbox_line(const Context& context, const std::string& name) {
  const StateView& state = context.state();
  wire::OutboxLine line;
  line.receiver = name;
  if (context.ports.dropped) line.dropped = context.ports.dropped(name);
  if (context.ports.settled) {
    for (const SettledMessage& one : context.ports.settled(name)) {
      line.settled.push_back(
          {.id = one.id, .delivered = one.delivered, .at = one.at, .error = one.error});
    }
  }
  const Receivers& known = state.rules().known_receivers();
  if (const auto receiver = known.find(name); receiver != known.end()) {
    line.channel = channel_word(receiver->second.channel);
  }
  const auto lines = state.outbox().receivers().find(name);
  if (lines == state.outbox().receivers().end()) return line;
  std::optional<Wall> failed_at;
  for (const auto& [address, waiting] : lines->second.by_address) {
    for (const auto& [id, due] : waiting.waiting) {
      const Message& message = state.messages().at(id);
      ++line.waiting;
      line.notices += message.times;
      if (!line.oldest || message.at < *line.oldest) {
        line.oldest = message.at;
        line.tries = message.tries;
      }
      if (message.error.empty() || (failed_at && *failed_at >= due)) continue;
      failed_at = due;
      line.error = message.error;
    }
  }
  line.next = lines->second.heads.begin()->first;
  return line;
}

}  // namespace

void get_outbox(Context& context, Call call) {
  const StateView& state = context.state();
  wire::Outbox answer;
  for (const auto& [name, receiver] : state.rules().known_receivers()) {
    answer.receivers.push_back(outbox_line(context, name));
  }
  for (const auto& [name, lines] : state.outbox().receivers()) {
    if (state.rules().known_receivers().contains(name)) continue;
    answer.receivers.push_back(outbox_line(context, name));
  }
  call.responder.send(json_response(wire::to_json(answer)));
}

}  // namespace gpusched
