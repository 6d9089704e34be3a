// ntfy: JSON to the server's root, which names the topic. Plain text, as phones show it.
#include "json/json_writer.h"
#include "notifier/notice_text.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kNtfyTitleMost = 250;
constexpr std::size_t kNtfyMessageMost = 3500;  // Of 4 KiB.

int ntfy_priority(const Notice& notice) {
  if (notice.resolved) return 3;
  if (notice.severity == Severity::kCritical) return 5;
  return notice.severity == Severity::kWarning ? 4 : 3;
}
const char* ntfy_tag(const Notice& notice) {
  if (notice.resolved) return "white_check_mark";
  if (notice.severity == Severity::kCritical) return "rotating_light";
  return notice.severity == Severity::kWarning ? "warning" : "information_source";
}

}  // namespace

HttpRequest ntfy_request(const Delivery& delivery) {
  const NoticeText text = notice_text(delivery);
  // "https://ntfy.example/topic" is how people know it: then the last part is the topic.
  std::string root = url_of(delivery);
  std::string topic = delivery.receiver.topic;
  const std::size_t host = root.find("://");
  const std::size_t slash = root.rfind('/');
  if (topic.empty() && host != std::string::npos && slash > host + 2) {
    topic = root.substr(slash + 1);
    root.resize(slash + 1);
  }
  std::string details;
  for (const NoticeText::Line& line : text.lines) {
    details += (details.empty() ? "" : "\n") + line_text(line);
  }
  if (details.empty()) details = text.title;
  HttpRequest request{root, {}, ""};
  if (!delivery.secret.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + delivery.secret);
  }
  JsonWriter json(request.body);
  json.begin_object().field("topic", topic).field("title", cut(text.title, kNtfyTitleMost));
  json.field("message", cut(details, kNtfyMessageMost));
  json.field("priority", ntfy_priority(delivery.message.notice));
  json.key("tags").begin_array().value(ntfy_tag(delivery.message.notice)).end_array();
  if (!text.link.empty()) json.field("click", text.link);
  json.end_object();
  return request;
}

}  // namespace gpusched::notifier
