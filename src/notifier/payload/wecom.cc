// WeCom: Markdown of at most 4,096 bytes. "<@user>" would call somebody, so "<" is escaped.
#include "json/json_writer.h"
#include "notifier/notice_text.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kWeComMost = 4000;
constexpr std::size_t kWeComLinkMost = 1000;

// Its Markdown knows entities, but no backslash before "<".
std::string wecom_words(const std::string& text) {
  std::string out;
  for (const char letter : without_mentions(escape_entities(text))) {
    if (std::string_view("\\`*_[]").find(letter) != std::string_view::npos) out += '\\';
    out += letter;
  }
  return out;
}

const char* wecom_colour(const Notice& notice) {
  if (notice.resolved) return "info";
  return notice.severity == Severity::kInfo ? "comment" : "warning";
}

}  // namespace

HttpRequest wecom_request(const Delivery& delivery) {
  const NoticeText text = notice_text(delivery);
  const std::string before = std::string("<font color=\"") + wecom_colour(delivery.message.notice) +
                             "\">" + text.word + "</font>";
  std::string words = wecom_words(text.title.substr(text.word.size()));
  for (const NoticeText::Line& line : text.lines) words += "\n> " + wecom_words(line_text(line));
  std::string link;
  if (!text.link.empty() && text.link.size() < kWeComLinkMost) {
    link = "\n[Look at it](" + text.link + ")";
  }
  HttpRequest request{url_of(delivery), {}, ""};
  JsonWriter json(request.body);
  json.begin_object().field("msgtype", "markdown").key("markdown").begin_object();
  json.field("content", before + cut(words, kWeComMost - before.size() - link.size()) + link);
  json.end_object().end_object();
  return request;
}

}  // namespace gpusched::notifier
