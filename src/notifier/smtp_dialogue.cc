#include "notifier/smtp_dialogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "notifier/spoken.h"

namespace gpusched::notifier {
namespace {

// The words behind a key word that the server knows: "PLAIN LOGIN" of AUTH. Nothing: it does not.
std::optional<std::string> offered(const SmtpReply& hello, std::string_view word) {
  // The first line is its name.
  for (std::size_t i = 1; i < hello.lines.size(); ++i) {
    const std::string line = lower_case(hello.lines[i]);
    if (!line.starts_with(word)) continue;
    if (line.size() == word.size()) return "";
    // Old servers write "AUTH=PLAIN".
    if (line[word.size()] == ' ' || line[word.size()] == '=') return line.substr(word.size() + 1);
  }
  return std::nullopt;
}

bool has_word(const std::string& words, std::string_view word) {
  const auto all = split_nonempty(words, ' ');
  return std::ranges::find(all, word) != all.end();
}

}  // namespace

SmtpDialogue::SmtpDialogue(const Delivery& delivery, SmtpPlan plan)
    : delivery_(delivery), plan_(std::move(plan)) {}

SmtpDialogue::Step SmtpDialogue::send(Stage stage, const std::string& line) {
  stage_ = stage;
  return {Next::kSend, line + "\r\n"};
}

SmtpDialogue::Step SmtpDialogue::end(DeliveryResult result, std::string error) {
  outcome_ = {.id = delivery_.id, .result = result, .error = std::move(error)};
  return {Next::kEnd, "QUIT\r\n"};
}

SmtpDialogue::Step SmtpDialogue::refused(const std::string& doing, const SmtpReply& reply) {
  return end(reply.for_now() ? DeliveryResult::kAgain : DeliveryResult::kRefused,
             fmt::format("the mail server {}: {} {}", doing, reply.code,
                         spoken(delivery_, reply.lines.front())));
}

SmtpDialogue::Step SmtpDialogue::on_reply(const SmtpReply& reply) {
  switch (stage_) {
    case Stage::kGreeting:
      if (reply.code != 220) return refused("does not let us in", reply);
      return send(Stage::kHello, "EHLO " + plan_.own_name);
    case Stage::kHello:
      return after_hello(reply);
    case Stage::kStartTls:
      if (reply.code != 220) return refused("does not begin with TLS", reply);
      return {Next::kStartTls, ""};
    case Stage::kLoginUser:
      if (reply.code != 334) return refused("does not take the login", reply);
      return send(Stage::kLoginPassword, base64(plan_.user));
    case Stage::kLoginPassword:
      if (reply.code != 334) return refused("does not take the login", reply);
      return send(Stage::kLogin, base64(plan_.password));
    case Stage::kLogin:
      if (reply.code != 235) return refused("does not take the login", reply);
      return begin_mail();
    case Stage::kFrom:
      if (!reply.good()) return refused("does not take the sender", reply);
      return send(Stage::kTo, "RCPT TO:<" + plan_.to[next_to_] + ">");
    case Stage::kTo:
      return after_recipient(reply);
    case Stage::kData:
      if (reply.code != 354) return refused("does not take the message", reply);
      stage_ = Stage::kText;
      return {Next::kSend, plan_.data};
    case Stage::kText:
      return after_text(reply);
  }
  return end(DeliveryResult::kAgain, "");
}

SmtpDialogue::Step SmtpDialogue::after_tls() {
  plan_.encrypted = true;
  // What it said before may have been somebody else's words.
  return send(Stage::kHello, "EHLO " + plan_.own_name);
}

SmtpDialogue::Step SmtpDialogue::after_hello(const SmtpReply& reply) {
  if (!reply.good()) return refused("does not let us in", reply);
  if (plan_.starttls && !plan_.encrypted) {
    if (!offered(reply, "starttls")) {
      return end(DeliveryResult::kAgain,
                 "the mail server offers no STARTTLS; without it nothing is sent");
    }
    return send(Stage::kStartTls, "STARTTLS");
  }
  return plan_.user.empty() ? begin_mail() : log_in(reply);
}

SmtpDialogue::Step SmtpDialogue::log_in(const SmtpReply& hello) {
  if (!plan_.encrypted) {
    return end(DeliveryResult::kRefused, "a login is sent over TLS alone; set tls, or no user");
  }
  const std::string ways = offered(hello, "auth").value_or("");
  if (has_word(ways, "plain")) {
    const std::string both = '\0' + plan_.user + '\0' + plan_.password;
    return send(Stage::kLogin, "AUTH PLAIN " + base64(both));
  }
  if (has_word(ways, "login")) return send(Stage::kLoginUser, "AUTH LOGIN");
  return end(DeliveryResult::kRefused,
             "the mail server offers no login with a password (AUTH PLAIN or LOGIN)");
}

SmtpDialogue::Step SmtpDialogue::after_recipient(const SmtpReply& reply) {
  if (reply.good()) {
    ++taken_;
  } else {
    some_later_ = some_later_ || reply.for_now();
    if (first_refused_.empty()) {
      first_refused_ = fmt::format("{}: {} {}", plan_.to[next_to_], reply.code,
                                   spoken(delivery_, reply.lines.front()));
    }
  }
  if (++next_to_ < plan_.to.size()) {
    return send(Stage::kTo, "RCPT TO:<" + plan_.to[next_to_] + ">");
  }
  if (taken_ > 0) return send(Stage::kData, "DATA");
  return end(some_later_ ? DeliveryResult::kAgain : DeliveryResult::kRefused,
             "the mail server takes no recipient; " + first_refused_);
}

SmtpDialogue::Step SmtpDialogue::after_text(const SmtpReply& reply) {
  if (!reply.good()) return refused("does not take the message", reply);
  // Sent again, those who have it would get it twice: it stays with saying so.
  const std::size_t missing = plan_.to.size() - taken_;
  return end(DeliveryResult::kDelivered,
             missing == 0 ? ""
                          : fmt::format("{} of {} recipients did not get it; {}", missing,
                                        plan_.to.size(), first_refused_));
}

}  // namespace gpusched::notifier
