#include "notifier/mail.h"

#include <fmt/format.h>

#include <utility>

#include "base/number.h"
#include "notifier/mail_encoding.h"
#include "notifier/mail_message.h"
#include "notifier/outcomes.h"
#include "notifier/smtp_dialogue.h"
#include "notifier/smtp_reply.h"

namespace gpusched::notifier {
namespace {

tl::unexpected<Error> bad_host() {
  return failure(ErrorCode::kInvalid, "its host must be like mail.example.org:587");
}

Result<SmtpReply> next_reply(Connection& connection, SmtpReplyReader& replies) {
  while (true) {
    auto reply = replies.take();
    if (!reply) return failure(reply.error());
    if (*reply) return std::move(**reply);
    std::string bytes;
    const auto more = connection.read(bytes);
    if (!more) return failure(more.error());
    if (!*more) return failure(ErrorCode::kUnavailable, "the mail server hung up");
    replies.arrived(bytes);
  }
}

Result<DeliveryOutcome> talk(Connection& connection, SmtpDialogue& dialogue,
                             const std::string& authorities) {
  SmtpReplyReader replies;
  while (true) {
    const auto reply = next_reply(connection, replies);
    if (!reply) return failure(reply.error());
    SmtpDialogue::Step step = dialogue.on_reply(*reply);
    if (step.next == SmtpDialogue::Next::kStartTls) {
      // Words that came before TLS would count as said under it.
      if (replies.has_more()) {
        return failure(ErrorCode::kUnavailable, "the mail server said more than it was asked");
      }
      if (auto begun = connection.start_tls(authorities, false); !begun) {
        return failure(begun.error());
      }
      step = dialogue.after_tls();
    }
    const auto sent = connection.write(step.bytes);
    if (step.next == SmtpDialogue::Next::kEnd) {
      connection.end();
      return dialogue.outcome();
    }
    if (!sent) return failure(sent.error());
  }
}

}  // namespace

Result<Endpoint> mail_endpoint(std::string_view host, std::string_view tls) {
  if (tls != "starttls" && tls != "tls" && tls != "none") {
    return failure(ErrorCode::kInvalid, "its tls must be starttls, tls or none");
  }
  std::string_view port = tls == "starttls" ? "587" : tls == "tls" ? "465" : "25";
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return bad_host();
    const std::string_view rest = host.substr(end + 1);
    host = host.substr(1, end - 1);
    if (!rest.empty() && !rest.starts_with(':')) return bad_host();
    if (!rest.empty()) port = rest.substr(1);
  } else if (const std::size_t colon = host.rfind(':'); colon != std::string_view::npos) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  int number = 0;
  if (host.empty() || !whole_number(port, number) || number < 1 || number > 65535) {
    return bad_host();
  }
  return Endpoint{std::string(host), std::to_string(number), tls == "none"};
}

DeliveryOutcome send_mail(const Delivery& delivery, Boot deadline) {
  const Receiver& receiver = delivery.receiver;
  const auto endpoint = mail_endpoint(receiver.host, receiver.tls);
  if (!endpoint) return outcome_of(delivery, endpoint.error());
  const auto people = mail_people(delivery);
  if (!people) return outcome_of(delivery, people.error());
  SmtpPlan plan{.starttls = receiver.tls == "starttls",
                .encrypted = receiver.tls == "tls",
                .own_name = host_word(delivery.machine),
                .user = receiver.user,
                .password = delivery.secret,
                .from = people->from,
                .to = people->to,
                .data = as_data(mail_message(delivery, *people))};
  auto connection = Connection::open(*endpoint, deadline);
  if (!connection) return outcome_of(delivery, connection.error());
  if (plan.encrypted) {
    if (auto begun = connection->start_tls(delivery.ca, false); !begun) {
      return outcome_of(delivery, begun.error());
    }
  }
  SmtpDialogue dialogue(delivery, std::move(plan));
  const auto said = talk(*connection, dialogue, delivery.ca);
  return said ? *said : outcome_of(delivery, said.error());
}

}  // namespace gpusched::notifier
