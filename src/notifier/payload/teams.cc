// Teams (a Workflows URL): an Adaptive Card of text runs. A run knows no Markdown, so nothing in a
// job's name has a meaning, and mentions would need an entity that is never sent.
#include "json/json_writer.h"
#include "notifier/notice_text.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

void teams_run(JsonWriter& json, const std::string& text, bool bold, std::string_view colour) {
  json.begin_object().field("type", "TextRun").field("text", text);
  if (bold) json.field("weight", "bolder");
  if (!colour.empty()) json.field("color", colour);
  json.end_object();
}

std::string_view teams_colour(const Notice& notice) {
  if (notice.resolved) return "good";
  if (notice.severity == Severity::kCritical) return "attention";
  return notice.severity == Severity::kWarning ? "warning" : "accent";
}

}  // namespace

HttpRequest teams_request(const Delivery& delivery) {
  const NoticeText text = notice_text(delivery);
  HttpRequest request{url_of(delivery), {}, ""};
  JsonWriter json(request.body);
  json.begin_object().field("type", "message").key("attachments").begin_array().begin_object();
  json.field("contentType", "application/vnd.microsoft.card.adaptive");
  json.key("content").begin_object();
  json.field("$schema", "http://adaptivecards.io/schemas/adaptive-card.json");
  json.field("type", "AdaptiveCard").field("version", "1.4");
  json.field("fallbackText", text.title);
  json.key("body").begin_array();
  json.begin_object().field("type", "RichTextBlock").key("inlines").begin_array();
  teams_run(json, text.title, true, teams_colour(delivery.message.notice));
  json.end_array().end_object();
  for (const NoticeText::Line& line : text.lines) {
    json.begin_object().field("type", "RichTextBlock").key("inlines").begin_array();
    if (!line.label.empty()) teams_run(json, line.label + ": ", true, "");
    teams_run(json, line.value, false, "");
    json.end_array().end_object();
  }
  json.end_array();
  if (!text.link.empty()) {
    json.key("actions").begin_array().begin_object().field("type", "Action.OpenUrl");
    json.field("title", "Look at it").field("url", text.link).end_object().end_array();
  }
  json.end_object().end_object().end_array().end_object();
  return request;
}

}  // namespace gpusched::notifier
