// What a receiver answers, whole and in pieces: neither HTTP answers nor a mail server's replies
// may crash the reader, and what is kept and quoted of them is bounded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "notifier/http_post.h"
#include "notifier/smtp_dialogue.h"
#include "notifier/smtp_reply.h"

namespace {

using namespace gpusched;
using namespace gpusched::notifier;

void check(const DeliveryOutcome& outcome) {
  if (outcome.error.size() > 2000 || outcome.error.find('\n') != std::string::npos) std::abort();
}

void read_http(std::string_view bytes, std::size_t piece) {
  AnswerReader reader;
  for (std::size_t i = 0; i < bytes.size(); i += piece) {
    const auto complete = reader.take(bytes.substr(i, piece));
    if (!complete) return;
    if (*complete) break;
  }
  if (reader.said().body.size() > kAnswerBodyMost) std::abort();
  for (const Channel channel : {Channel::kWebhook, Channel::kFeishu, Channel::kTeams}) {
    Delivery delivery;
    delivery.url = "https://a.example/hush-hush";
    delivery.receiver.channel = channel;
    check(verdict_on(delivery, reader.said()));
  }
}

void read_smtp(std::string_view bytes, std::size_t piece) {
  const Delivery delivery;
  SmtpDialogue dialogue(delivery, {.own_name = "a",
                                   .user = "u",
                                   .password = "p",
                                   .from = "a@b",
                                   .to = {"c@d", "e@f"},
                                   .data = ".\r\n"});
  SmtpReplyReader replies;
  for (std::size_t i = 0; i < bytes.size(); i += piece) {
    replies.arrived(bytes.substr(i, piece));
    while (true) {
      const auto reply = replies.take();
      if (!reply) return;
      if (!*reply) break;
      const SmtpDialogue::Step step = dialogue.on_reply(**reply);
      if (step.next == SmtpDialogue::Next::kEnd) return check(dialogue.outcome());
      if (step.next == SmtpDialogue::Next::kStartTls) dialogue.after_tls();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, size + 1}) {
    read_http(bytes, piece);
    read_smtp(bytes, piece);
  }
  return 0;
}
