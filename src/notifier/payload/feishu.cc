// Feishu: a post of plain text elements, in which "<at …>" means nothing. The signature is in the
// body: the time and the secret are the key, and nothing is signed with it.
#include <fmt/format.h>

#include "base/base64.h"
#include "base/hmac.h"
#include "json/json_writer.h"
#include "notifier/notice_text.h"
#include "notifier/payload/payload.h"

namespace gpusched::notifier {

HttpRequest feishu_request(const Delivery& delivery) {
  const NoticeText text = notice_text(delivery);
  HttpRequest request{url_of(delivery), {}, ""};
  JsonWriter json(request.body);
  json.begin_object();
  if (!delivery.secret.empty()) {
    const std::string time = unix_time(delivery.now);
    const std::string key = fmt::format("{}\n{}", time, delivery.secret);
    json.field("timestamp", time).field("sign", base64(hmac_sha256(key, "")));
  }
  json.field("msg_type", "post").key("content").begin_object().key("post").begin_object();
  json.key("zh_cn").begin_object().field("title", text.title).key("content").begin_array();
  for (const NoticeText::Line& line : text.lines) {
    json.begin_array().begin_object().field("tag", "text").field("text", line_text(line));
    json.end_object().end_array();
  }
  if (!text.link.empty()) {
    json.begin_array().begin_object().field("tag", "a").field("text", "Look at it");
    json.field("href", text.link).end_object().end_array();
  }
  json.end_array().end_object().end_object().end_object().end_object();
  return request;
}

}  // namespace gpusched::notifier
