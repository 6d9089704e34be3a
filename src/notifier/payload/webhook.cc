// Our own webhook: the whole message as JSON (docs/notifier-protocol.md), signed with HMAC-SHA256
// over id, time and body, so that a receiver knows who sent it, and an old one from a new one.
#include <fmt/format.h>

#include "base/hmac.h"
#include "json/json_writer.h"
#include "notifier/notice_text.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {

std::string url_of(const Delivery& delivery) {
  return delivery.url.empty() ? delivery.receiver.url : delivery.url;
}

std::string unix_time(Wall time) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

std::string message_json(const Delivery& delivery) {
  const Message& message = delivery.message;
  const Notice& notice = message.notice;
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("v", 1).field("id", message.id);
  json.field("machine", one_line(delivery.machine))
      .field("severity", severity_word(notice.severity));
  json.field("resolved", notice.resolved).field("rule", one_line(notice.rule));
  json.field("subject", one_line(notice.subject)).field("what", one_line(notice.what));
  json.key("whom").text_or_null(one_line(notice.whom));
  json.field("since", notice.since);
  json.key("advice").text_or_null(one_line(notice.advice));
  json.field("job", notice.job);
  json.key("card");
  notice.card ? json.value(number_of(*notice.card)) : json.null();
  json.field("thread", one_line(notice.thread)).field("times", message.times);
  json.key("others").begin_array();
  for (const std::string& other : message.others) json.value(one_line(other));
  json.end_array().field("at", message.at).field("last_at", message.last_at);
  json.key("link").text_or_null(one_line(delivery.link));
  json.key("attachment").text_or_null(clean_lines(notice.attachment));
  json.field("text", whole_text(notice_text(delivery))).end_object();
  return out;
}

HttpRequest webhook_request(const Delivery& delivery) {
  const std::string id = std::to_string(delivery.message.id);
  const std::string time = unix_time(delivery.now);
  HttpRequest request{url_of(delivery), {}, message_json(delivery)};
  request.headers = {{"Gpusched-Id", id}, {"Gpusched-Timestamp", time}};
  if (!delivery.secret.empty()) {
    const std::string proof =
        hmac_sha256_hex(delivery.secret, fmt::format("{}.{}.{}", id, time, request.body));
    request.headers.emplace_back("Gpusched-Signature", "v1=" + proof);
  }
  return request;
}

}  // namespace gpusched::notifier
