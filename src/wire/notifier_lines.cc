#include "wire/notifier_lines.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "json/json_fields.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

void put_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}
// An empty text is left out: it is what the reader begins with.
void put_text(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json.field(name, text);
}

void put_receiver(JsonWriter& json, const Receiver& receiver) {
  json.key("receiver").begin_object();
  json.field("name", receiver.name).field("channel", channel_word(receiver.channel));
  put_text(json, "url", receiver.url);
  put_text(json, "url_file", receiver.url_file);
  put_text(json, "secret_file", receiver.secret_file);
  put_text(json, "ca_file", receiver.ca_file);
  put_text(json, "topic", receiver.topic);
  put_texts(json, "command", receiver.command);
  put_text(json, "host", receiver.host);
  json.field("tls", receiver.tls);
  put_text(json, "user", receiver.user);
  put_text(json, "from", receiver.from);
  put_texts(json, "to", receiver.to);
  json.field("for_users", receiver.for_users);
  put_texts(json, "addresses", receiver.addresses);
  json.field("timeout_s", receiver.timeout).field("give_up_s", receiver.give_up);
  json.end_object();
}

void put_notice(JsonWriter& json, const Notice& notice, std::string_view attachment) {
  json.key("notice").begin_object();
  put_text(json, "thread", notice.thread);
  put_text(json, "group", notice.group);
  json.field("severity", severity_word(notice.severity)).field("resolved", notice.resolved);
  put_text(json, "rule", notice.rule);
  put_text(json, "subject", notice.subject);
  put_text(json, "what", notice.what);
  put_text(json, "whom", notice.whom);
  if (notice.since) json.field("since", *notice.since);
  put_text(json, "advice", notice.advice);
  if (notice.job) json.field("job", *notice.job);
  if (notice.card) json.field("card", number_of(*notice.card));
  put_text(json, "attachment", attachment);
  json.end_object();
}

void put_message(JsonWriter& json, const Message& message, std::string_view attachment) {
  json.key("message").begin_object();
  json.field("id", message.id);
  put_text(json, "receiver", message.receiver);
  put_text(json, "address", message.address);
  put_notice(json, message.notice, attachment);
  json.field("times", message.times);
  put_texts(json, "others", message.others);
  json.field("at", message.at).field("last_at", message.last_at).field("due", message.due);
  json.field("tries", message.tries);
  put_text(json, "error", message.error);
  json.end_object();
}

std::string delivery_line(const Delivery& delivery, std::string_view attachment) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("v", 1).field("type", "deliver").field("id", delivery.id);
  put_receiver(json, delivery.receiver);
  put_text(json, "url", delivery.url);
  put_text(json, "secret", delivery.secret);
  put_text(json, "ca", delivery.ca);
  put_message(json, delivery.message, attachment);
  put_text(json, "mark", delivery.mark);
  put_text(json, "machine", delivery.machine);
  put_text(json, "link", delivery.link);
  json.field("now", delivery.now).end_object();
  return line;
}

// The first half, but no half of a character.
std::string_view half_of(std::string_view text) {
  std::size_t size = text.size() / 2;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

void take_time(Fields& fields, std::string_view name, Wall& out) {
  std::optional<Wall> time;
  if (fields.time(name, time)) out = *time;
}

template <class E, class Words>
void take_word(Fields& fields, std::string_view name, const Words& words, E& out) {
  std::size_t position = 0;
  if (fields.word(name, {words.begin(), words.end()}, position)) out = static_cast<E>(position);
}

Receiver take_receiver(Fields& fields) {
  Receiver receiver;
  fields.text("name", receiver.name);
  take_word(fields, "channel", kChannelWords, receiver.channel);
  fields.text("url", receiver.url);
  fields.text("url_file", receiver.url_file);
  fields.text("secret_file", receiver.secret_file);
  fields.text("ca_file", receiver.ca_file);
  fields.text("topic", receiver.topic);
  fields.texts("command", receiver.command);
  fields.text("host", receiver.host);
  fields.text("tls", receiver.tls);
  fields.text("user", receiver.user);
  fields.text("from", receiver.from);
  fields.texts("to", receiver.to);
  fields.flag("for_users", receiver.for_users);
  fields.texts("addresses", receiver.addresses);
  fields.seconds("timeout_s", receiver.timeout);
  fields.seconds("give_up_s", receiver.give_up);
  return receiver;
}

Notice take_notice(Fields& fields) {
  Notice notice;
  fields.text("thread", notice.thread);
  fields.text("group", notice.group);
  take_word(fields, "severity", kSeverityWords, notice.severity);
  fields.flag("resolved", notice.resolved);
  fields.text("rule", notice.rule);
  fields.text("subject", notice.subject);
  fields.text("what", notice.what);
  fields.text("whom", notice.whom);
  fields.time("since", notice.since);
  fields.text("advice", notice.advice);
  std::uint64_t number = 0;
  if (fields.number("job", number, 0, kAnyNumber)) notice.job = JobId{number};
  if (fields.number("card", number, 0, std::numeric_limits<std::uint16_t>::max())) {
    notice.card = CardNumber{static_cast<std::uint16_t>(number)};
  }
  fields.text("attachment", notice.attachment);
  return notice;
}

// An inner object, with its faults.
template <class T, class Read>
void take_object(Fields& outer, std::string_view name, T& out, Read read) {
  const JsonValue* found = outer.value(name);
  if (found == nullptr) return outer.fault(name, "must be there");
  Fields inner(*found, std::string(name) + ".");
  out = read(inner);
  outer.merge_fault(inner);
}

Message take_message(Fields& fields) {
  Message message;
  fields.number("id", message.id, 0, kAnyNumber);
  fields.text("receiver", message.receiver);
  fields.text("address", message.address);
  take_object(fields, "notice", message.notice, take_notice);
  fields.number("times", message.times, 0, kAnyNumber);
  fields.texts("others", message.others);
  take_time(fields, "at", message.at);
  take_time(fields, "last_at", message.last_at);
  take_time(fields, "due", message.due);
  std::uint64_t tries = 0;
  fields.number("tries", tries, 0, std::numeric_limits<std::uint32_t>::max());
  message.tries = static_cast<std::uint32_t>(tries);
  fields.text("error", message.error);
  return message;
}

// The object of a line of this type. A parser's own words may quote the line: they are not used.
Result<JsonValue> object_of(std::string_view line) {
  if (line.size() > kNotifierLineMost) return failure(ErrorCode::kTooLarge, "the line is too long");
  auto value = parse_json(line);
  if (!value) return failure(ErrorCode::kInvalid, "the line is not JSON");
  return value;
}

void check_begin(Fields& fields, std::string_view type, std::uint64_t& id) {
  std::string said;
  fields.text("type", said);
  if (said != type) fields.fault("type", "must be \"" + std::string(type) + "\"");
  if (!fields.number("id", id, 0, kAnyNumber)) fields.fault("id", "must be there");
}

}  // namespace

bool is_mark(std::string_view text) {
  return !text.empty() && text.size() <= kMarkMost && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::string write_line(const Delivery& delivery) {
  std::string_view attachment = delivery.message.notice.attachment;
  std::string line = delivery_line(delivery, attachment);
  while (line.size() > kNotifierLineMost && !attachment.empty()) {
    attachment = half_of(attachment);
    line = delivery_line(delivery, attachment);
  }
  return line;
}

Result<Delivery> read_delivery(std::string_view line) {
  auto value = object_of(line);
  if (!value) return failure(std::move(value.error()));
  Fields fields(*value);
  Delivery delivery;
  check_begin(fields, "deliver", delivery.id);
  take_object(fields, "receiver", delivery.receiver, take_receiver);
  fields.text("url", delivery.url);
  fields.text("secret", delivery.secret);
  fields.text("ca", delivery.ca);
  take_object(fields, "message", delivery.message, take_message);
  fields.text("mark", delivery.mark);
  if (!delivery.mark.empty() && !is_mark(delivery.mark)) {
    fields.fault("mark", "must be a word of letters, digits and -");
  }
  fields.text("machine", delivery.machine);
  fields.text("link", delivery.link);
  take_time(fields, "now", delivery.now);
  if (fields.failed()) return failure(std::move(fields.finish().error()));
  return delivery;
}

std::string write_line(const DeliveryOutcome& outcome) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().field("v", 1).field("type", "outcome").field("id", outcome.id);
  json.field("result", result_word(outcome.result));
  put_text(json, "error", outcome.error);
  if (outcome.retry_after) json.field("retry_after_s", *outcome.retry_after);
  json.end_object();
  return line;
}

Result<DeliveryOutcome> read_outcome(std::string_view line) {
  auto value = object_of(line);
  if (!value) return failure(std::move(value.error()));
  Fields fields(*value);
  DeliveryOutcome outcome;
  check_begin(fields, "outcome", outcome.id);
  take_word(fields, "result", kDeliveryResultWords, outcome.result);
  fields.text("error", outcome.error);
  Seconds after{};
  if (fields.seconds("retry_after_s", after)) outcome.retry_after = after;
  if (fields.failed()) return failure(std::move(fields.finish().error()));
  return outcome;
}

}  // namespace gpusched
