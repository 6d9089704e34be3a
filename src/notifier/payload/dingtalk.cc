// DingTalk: Markdown; the signature is in the query. It signs time and secret, not the text.
#include <fmt/format.h>

#include "base/base64.h"
#include "base/hmac.h"
#include "json/json_writer.h"
#include "notifier/notice_text.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kDingTalkMost = 4500;  // Of about 5,000 bytes.

std::string dingtalk_words(const std::string& text) {
  return without_mentions(escape_markdown(text));
}

}  // namespace

HttpRequest dingtalk_request(const Delivery& delivery) {
  const NoticeText text = notice_text(delivery);
  std::string words = "**" + dingtalk_words(text.title) + "**";
  for (const NoticeText::Line& line : text.lines) words += "\n\n" + dingtalk_words(line_text(line));
  words = cut(words, kDingTalkMost);
  if (!text.link.empty()) words += "\n\n[Look at it](" + text.link + ")";
  HttpRequest request{url_of(delivery), {}, ""};
  if (!delivery.secret.empty()) {
    const auto ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(delivery.now.time_since_epoch());
    const std::string time = std::to_string(ms.count());
    const std::string proof =
        base64(hmac_sha256(delivery.secret, fmt::format("{}\n{}", time, delivery.secret)));
    request.url =
        with_query(request.url, fmt::format("timestamp={}&sign={}", time, percent_encoded(proof)));
  }
  JsonWriter json(request.body);
  json.begin_object().field("msgtype", "markdown").key("markdown").begin_object();
  json.field("title", without_mentions(cut(text.title, 100))).field("text", words).end_object();
  json.key("at").begin_object().field("isAtAll", false).end_object().end_object();
  return request;
}

}  // namespace gpusched::notifier
