// Alertmanager: one alert, whose labels are the same from its beginning to its end, so that the
// end finds it. Labels are few and bounded: never a job's name.
#include <algorithm>

#include "json/json_writer.h"
#include "notifier/notice_text.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kLabelMost = 100;
// Alarms that go on are told again each day; what is never told again is over after one.
constexpr std::chrono::hours kGoesOn{25};

void alert_label(JsonWriter& json, std::string_view name, std::string_view value) {
  if (!value.empty()) json.field(name, cut(one_line(value), kLabelMost));
}

}  // namespace

HttpRequest alertmanager_request(const Delivery& delivery) {
  const Message& message = delivery.message;
  const Notice& notice = message.notice;
  const NoticeText text = notice_text(delivery);
  HttpRequest request{with_path(url_of(delivery), "api/v2/alerts"), {}, ""};
  if (!delivery.secret.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + delivery.secret);
  }
  const Wall began = notice.since.value_or(message.at);
  JsonWriter json(request.body);
  json.begin_array().begin_object().key("labels").begin_object();
  alert_label(json, "alertname", notice.rule.empty() ? "gpusched" : notice.rule);
  alert_label(json, "severity", severity_word(notice.severity));
  alert_label(json, "instance", delivery.machine);
  alert_label(json, "subject", notice.subject);
  if (notice.card) json.field("card", std::to_string(number_of(*notice.card)));
  if (notice.job) json.field("job", to_string(*notice.job));
  json.end_object().key("annotations").begin_object();
  json.field("summary", text.title).field("description", whole_text(text));
  if (!notice.advice.empty()) json.field("advice", one_line(notice.advice));
  json.end_object().field("startsAt", began);
  // A clock that was set back must not make it end before it began.
  json.field("endsAt", std::max(began, notice.resolved ? delivery.now : delivery.now + kGoesOn));
  if (!text.link.empty()) json.field("generatorURL", text.link);
  json.end_object().end_array();
  return request;
}

}  // namespace gpusched::notifier
