// Mattermost: one attachment with a colour. Its texts are Markdown, so what others chose is
// escaped, and an "@" in it calls nobody.
#include "json/json_writer.h"
#include "notifier/notice_text.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kMattermostMost = 12'000;  // Of 16,383 characters for all.

std::string mattermost_words(const std::string& text) {
  return without_mentions(escape_markdown(text));
}

const char* mattermost_colour(const Notice& notice) {
  if (notice.resolved) return "#1b6e53";
  if (notice.severity == Severity::kCritical) return "#b3261e";
  return notice.severity == Severity::kWarning ? "#8a5a00" : "#0b5cad";
}

}  // namespace

HttpRequest mattermost_request(const Delivery& delivery) {
  const NoticeText text = notice_text(delivery);
  std::string details;
  for (const NoticeText::Line& line : text.lines) {
    details += (details.empty() ? "" : "\n") + mattermost_words(line_text(line));
  }
  HttpRequest request{url_of(delivery), {}, ""};
  JsonWriter json(request.body);
  json.begin_object().key("attachments").begin_array().begin_object();
  json.field("fallback", without_mentions(text.title));
  json.field("color", mattermost_colour(delivery.message.notice));
  json.field("title", mattermost_words(text.title));
  if (!text.link.empty()) json.field("title_link", text.link);
  json.field("text", cut(details, kMattermostMost));
  json.end_object().end_array().end_object();
  return request;
}

}  // namespace gpusched::notifier
