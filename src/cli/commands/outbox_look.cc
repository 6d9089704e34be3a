#include "cli/commands/outbox_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/display.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "cli/views/view_reader.h"
#include "os/clock.h"
#include "wire/messages/outbox.h"

namespace gpusched::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

Result<wire::Outbox> read_outbox(const Client& client) {
  auto body = client.call({.target = "/v1/outbox"});
  if (!body) return failure(body.error());
  return parse_message<wire::Outbox>(*body);
}

const wire::OutboxLine* line_of(const wire::Outbox& outbox, const std::string& receiver) {
  const auto found = std::ranges::find(outbox.receivers, receiver, &wire::OutboxLine::receiver);
  return found == outbox.receivers.end() ? nullptr : &*found;
}

const wire::OutboxSettled* settled(const wire::Outbox& outbox,
                                   const wire::AlarmTestMessage& message) {
  const wire::OutboxLine* line = line_of(outbox, message.receiver);
  if (line == nullptr) return nullptr;
  const auto found = std::ranges::find(line->settled, message.id, &wire::OutboxSettled::id);
  return found == line->settled.end() ? nullptr : &*found;
}

std::string still_tried(const wire::Outbox& outbox, const wire::AlarmTestMessage& message,
                        const Page& page) {
  const wire::OutboxLine* line = line_of(outbox, message.receiver);
  const std::string name = escaped(message.receiver);
  if (line == nullptr || line->waiting == 0) {
    return fmt::format("{}: it has left the outbox; the daemon's log says more", name);
  }
  if (line->error.empty()) return fmt::format("{}: no answer yet; it is still tried", name);
  return fmt::format("{}: still tried: {}{}", name, escaped(line->error),
                     line->next ? "; next try at " + local_time(*line->next, page) : "");
}

}  // namespace

int list_outbox(const Arguments& arguments) {
  if (arguments.operands.size() > 1) {
    return fail({ErrorCode::kInvalid, "alerts outbox takes no further words"});
  }
  const Client client = client_of(arguments);
  const Request request{.target = "/v1/outbox"};
  if (arguments.has("--json")) return pass_through(client, request);
  return call_and_print(client, request, [](const std::string& body) -> Result<std::string> {
    const auto outbox = parse_message<wire::Outbox>(body);
    if (!outbox) return failure(outbox.error());
    if (outbox->receivers.empty()) note("no receiver is set; docs/notifications.md says how");
    return render_outbox(*outbox, stdout_page());
  });
}

int watch_tests(const Client& client, std::vector<wire::AlarmTestMessage> messages,
                Seconds patience) {
  const Boot until = read_clock().boot + patience;
  int code = kExitOk;
  while (!messages.empty()) {
    const auto outbox = read_outbox(client);
    if (!outbox) return fail(outbox.error());
    for (auto one = messages.begin(); one != messages.end();) {
      const wire::OutboxSettled* how = settled(*outbox, *one);
      const bool over = read_clock().boot >= until;
      if (how == nullptr && !over) {
        ++one;
        continue;
      }
      std::string says = escaped(one->receiver) + ": delivered";
      if (how == nullptr) says = still_tried(*outbox, *one, stdout_page());
      if (how != nullptr && !how->delivered) {
        says = escaped(one->receiver) + ": not delivered: " + escaped(how->error);
      }
      if (auto printed = print(says + "\n"); !printed) return fail(printed.error());
      if (how == nullptr && code == kExitOk) code = kExitTryLater;
      if (how != nullptr && !how->delivered) code = exit_code_of(ErrorCode::kUnavailable);
      one = messages.erase(one);
    }
    if (!messages.empty()) pause_for(kBetweenLooks);
  }
  return code;
}

}  // namespace gpusched::cli
