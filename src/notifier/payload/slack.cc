// Slack: blocks of plain text, in which nothing has a meaning, so that no job's name calls a
// channel or hides a link. `text` is what a phone shows; there &, < and > are escaped.
#include "json/json_writer.h"
#include "notifier/notice_text.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kSlackSectionMost = 2900;  // Of 3,000 characters.

void slack_section(JsonWriter& json, std::string_view type, const std::string& text) {
  json.begin_object().field("type", "section").key("text").begin_object();
  json.field("type", type).field("text", text);
  if (type == "plain_text") json.field("emoji", false);
  if (type == "mrkdwn") json.field("verbatim", true);
  json.end_object().end_object();
}

}  // namespace

HttpRequest slack_request(const Delivery& delivery) {
  const NoticeText text = notice_text(delivery);
  std::string details;
  for (const NoticeText::Line& line : text.lines) {
    details += (details.empty() ? "" : "\n") + line_text(line);
  }
  HttpRequest request{url_of(delivery), {}, ""};
  JsonWriter json(request.body);
  json.begin_object().field("text", escape_entities(text.title)).field("mrkdwn", false);
  json.key("blocks").begin_array();
  slack_section(json, "plain_text", cut(text.title, kSlackSectionMost));
  if (!details.empty()) slack_section(json, "plain_text", cut(details, kSlackSectionMost));
  if (!text.link.empty()) {
    std::string link = escape_entities(text.link);
    std::erase(link, '|');
    slack_section(json, "mrkdwn", "<" + link + "|Look at it>");
  }
  json.end_array().end_object();
  return request;
}

}  // namespace gpusched::notifier
