// Reading answers leniently: what is absent or of another type leaves the default alone, so that a
// newer or older daemon is understood as far as it goes. For views*.cc only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "json/json_value.h"
#include "wire/message_json.h"

namespace gpusched::cli {

// The fields of one object, or of nothing.
class Reader {
 public:
  explicit Reader(const JsonValue* value) : value_(value) {}

  const JsonValue* find(std::string_view name) const {
    return value_ == nullptr ? nullptr : value_->find(name);
  }
  bool present() const { return value_ != nullptr && value_->as<JsonObject>() != nullptr; }
  Reader inner(std::string_view name) const { return Reader(find(name)); }

  void text(std::string_view name, std::string& out) const {
    if (const JsonValue* field = find(name); field != nullptr) {
      if (const auto* found = field->as<std::string>()) out = *found;
    }
  }
  void fact(std::string_view name, bool& out) const {
    if (const JsonValue* field = find(name); field != nullptr) {
      if (const auto* found = field->as<bool>()) out = *found;
    }
  }
  template <class Number>
  void number(std::string_view name, Number& out) const {
    if (const JsonValue* field = find(name); field != nullptr) number_of(*field, out);
  }
  template <class Number>
  void number(std::string_view name, std::optional<Number>& out) const {
    Number value{};
    const JsonValue* field = find(name);
    if (field != nullptr && number_of(*field, value)) out = value;
  }
  void time(std::string_view name, std::optional<Wall>& out) const {
    std::string text_of_it;
    text(name, text_of_it);
    if (auto parsed = parse_rfc3339(text_of_it)) out = *parsed;
  }
  template <class Number>
  void numbers(std::string_view name, std::vector<Number>& out) const {
    each(name, [&](const JsonValue& entry) {
      Number value{};
      if (number_of(entry, value)) out.push_back(value);
    });
  }
  // Texts, and whole numbers as texts.
  void words(std::string_view name, std::vector<std::string>& out) const {
    each(name, [&](const JsonValue& entry) {
      if (const auto* found = entry.as<std::string>()) out.push_back(*found);
      if (const auto* found = entry.as<std::uint64_t>()) out.push_back(std::to_string(*found));
    });
  }
  void texts(std::string_view name, std::vector<std::string>& out) const {
    each(name, [&](const JsonValue& entry) {
      if (const auto* found = entry.as<std::string>()) out.push_back(*found);
    });
  }
  template <class Visit>
  void each(std::string_view name, Visit visit) const {
    const JsonValue* field = find(name);
    if (field == nullptr) return;
    const auto* list = field->as<JsonArray>();
    if (list == nullptr) return;
    for (const JsonValue& entry : *list) visit(entry);
  }

 private:
  template <class Number>
  static bool number_of(const JsonValue& value, Number& out) {
    return wire::get_value(value, out);
  }

  const JsonValue* value_;
};

inline Result<JsonValue> parse_answer(std::string_view body) {
  auto value = parse_json(body);
  if (!value) {
    return failure(
        ErrorCode::kUnsupported,
        "the daemon's answer is not what this client understands: " + value.error().message);
  }
  return value;
}

// The whole answer, by its list.
template <class Message>
Result<Message> parse_message(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  Message message;
  wire::read_message(*value, message);
  return message;
}

}  // namespace gpusched::cli
