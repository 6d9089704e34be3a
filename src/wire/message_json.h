// Messages as JSON, by their lists: written straight into a string; read leniently by a client,
// which passes over what it does not know; read strictly where a request is judged.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "core/model/job.h"
#include "json/json_fields.h"
#include "json/json_value.h"
#include "json/json_writer.h"
#include "wire/message.h"
#include "wire/sample_fields.h"
#include "wire/sampler_lines.h"
#include "wire/spec_fields.h"
#include "wire/spec_values.h"
#include "wire/tenant.h"

namespace gpusched::wire {

template <class T>
using Named = std::vector<std::pair<std::string, T>>;  // An object, in its order.
template <class T>
using Sorted = std::map<std::string, T, std::less<>>;  // An object by name.

template <class T>
void write_message(JsonWriter& json, const T& message);

inline void put_value(JsonWriter& json, const Amount& amount, const Terms&) {
  const double whole = std::round(amount.is);
  if (std::abs(amount.is - whole) < 1e-6) {
    json.value(static_cast<std::uint64_t>(whole));
  } else {
    json.value(amount.is);
  }
}
inline void put_value(JsonWriter& json, const std::string& text, const Terms& terms) {
  terms.or_null ? json.text_or_null(text) : json.value(text);
}
template <class T>
requires requires(JsonWriter& json, const T& value) { json.value(value); }
void put_value(JsonWriter& json, const T& value, const Terms&) { json.value(value); }
template <IsMessage T>
void put_value(JsonWriter& json, const T& message, const Terms&) {
  write_message(json, message);
}
template <class T>
requires(!requires(JsonWriter & json, const T& value) {
  json.value(value);
}) void put_value(JsonWriter& json, const std::optional<T>& maybe, const Terms& terms) {
  if (maybe) {
    put_value(json, *maybe, terms);
  } else {
    json.null();
  }
}
template <class T>
void put_value(JsonWriter& json, const std::vector<T>& list, const Terms& terms) {
  json.begin_array();
  for (const T& value : list) put_value(json, value, terms);
  json.end_array();
}
template <class Object>
void put_object(JsonWriter& json, const Object& object, const Terms& terms) {
  json.begin_object();
  for (const auto& [name, value] : object) {
    json.foreign_key(name);
    put_value(json, value, terms);
  }
  json.end_object();
}
template <class T>
void put_value(JsonWriter& json, const Named<T>& object, const Terms& terms) {
  put_object(json, object, terms);
}
template <class T>
void put_value(JsonWriter& json, const Sorted<T>& object, const Terms& terms) {
  put_object(json, object, terms);
}
inline void put_value(JsonWriter& json, const Needs& needs, const Terms&) {
  write_needs(json, needs);
}
inline void put_value(JsonWriter& json, const TenantRule& rule, const Terms&) {
  write_tenant_rule(json, rule);
}
inline void put_value(JsonWriter& json, const watch::CardSample& sample, const Terms&) {
  write_card_sample(json, sample);
}

// There is nothing to say.
template <class T>
bool is_absent(const T& value) {
  if constexpr (kIsOptional<T>) {
    return !value.has_value();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.empty();
  } else if constexpr (std::is_same_v<T, bool>) {
    return !value;
  } else {
    return false;
  }
}

// `other` is asked first, with the name of each field, and returns true where it has written it:
// for the rows of jobs, which have a writer of their own.
template <class T, class Other>
void write_message(JsonWriter& json, const T& message, Other other) {
  json.begin_object();
  for_each_field<T>([&](const auto& row) {
    if (other(row.name)) return;
    const auto& value = message.*row.where;
    if (row.terms.maybe && is_absent(value)) return;
    json.key(row.name);
    put_value(json, value, row.terms);
  });
  json.end_object();
}
template <class T>
void write_message(JsonWriter& json, const T& message) {
  write_message(json, message, [](std::string_view) { return false; });
}
template <class T>
std::string to_json(const T& message) {
  std::string text;
  JsonWriter json(text);
  write_message(json, message);
  return text;
}

// Reading leniently: each returns false, and leaves `out` alone, where the value is of another
// kind.
template <class T>
void read_message(const JsonValue& value, T& message);
template <class T>
bool get_value(const JsonValue& value, std::optional<T>& out);
template <class T>
bool get_value(const JsonValue& value, std::vector<T>& out);
template <class T>
bool get_value(const JsonValue& value, Named<T>& out);
bool get_value(const JsonValue& value, watch::CardSample& out);
template <class T>
bool get_value(const JsonValue& value, Sorted<T>& out);

inline bool get_value(const JsonValue& value, std::string& out) {
  const auto* text = value.as<std::string>();
  if (text != nullptr) out = *text;
  return text != nullptr;
}
inline bool get_value(const JsonValue& value, bool& out) {
  const auto* fact = value.as<bool>();
  if (fact != nullptr) out = *fact;
  return fact != nullptr;
}
template <class Number>
requires std::is_arithmetic_v<Number>
bool get_value(const JsonValue& value, Number& out) {
  const auto take = [&out](auto number) {
    // What does not fit is another daemon's mistake, and never some other number here.
    if constexpr (std::is_integral_v<Number> && std::is_integral_v<decltype(number)>) {
      if (!std::in_range<Number>(number)) return false;
    } else if constexpr (std::is_integral_v<Number>) {
      constexpr auto kLeast = static_cast<double>(std::numeric_limits<Number>::min());
      constexpr auto kHalf = static_cast<double>(std::numeric_limits<Number>::max() / 2 + 1);
      if (!(number >= kLeast && number < 2 * kHalf)) return false;
    }
    out = static_cast<Number>(number);
    return true;
  };
  if (const auto* found = value.as<std::uint64_t>()) return take(*found);
  if (const auto* negative = value.as<std::int64_t>()) return take(*negative);
  const auto* real = value.as<double>();
  return real != nullptr && take(*real);
}
inline bool get_value(const JsonValue& value, Amount& out) { return get_value(value, out.is); }
inline bool get_value(const JsonValue& value, Seconds& out) {
  std::int64_t seconds = 0;
  if (!get_value(value, seconds)) return false;
  out = Seconds{seconds};
  return true;
}
inline bool get_value(const JsonValue& value, Wall& out) {
  const auto* text = value.as<std::string>();
  if (text == nullptr) return false;
  const Result<Wall> time = parse_rfc3339(*text);
  if (time) out = *time;
  return static_cast<bool>(time);
}
// What was set is for administrators' scripts; what holds is beside it.
inline bool get_value(const JsonValue&, TenantRule&) { return false; }
inline bool get_value(const JsonValue& value, Needs& out) {
  if (value.as<JsonObject>() == nullptr) return false;
  out = read_shown_needs(value);
  return true;
}
template <class T>
requires std::is_enum_v<T>
bool get_value(const JsonValue& value, T& out) {
  const auto* text = value.as<std::string>();
  const auto& words = WordsOf<T>::words;
  const auto word = text == nullptr ? words.end() : std::ranges::find(words, *text);
  if (word == words.end()) return false;
  out = static_cast<T>(word - words.begin());
  return true;
}
template <IsMessage T>
bool get_value(const JsonValue& value, T& out) {
  if (value.as<JsonObject>() == nullptr) return false;
  read_message(value, out);
  return true;
}
template <class T>
bool get_value(const JsonValue& value, std::optional<T>& out) {
  T read{};
  if (!get_value(value, read)) return false;
  out = std::move(read);
  return true;
}
inline bool get_value(const JsonValue& value, watch::CardSample& out) {
  if (value.as<JsonObject>() == nullptr) return false;
  each_sample_field(out, [&](std::string_view name, auto& field) {
    if (const JsonValue* found = value.find(name)) get_value(*found, field);
  });
  return true;
}
template <class T>
bool get_value(const JsonValue& value, std::vector<T>& out) {
  const auto* list = value.as<JsonArray>();
  if (list == nullptr) return false;
  for (const JsonValue& entry : *list) {
    T read{};
    // Null has its place in a list of what may be absent: values side by side in time.
    if (get_value(entry, read) || kIsOptional<T>) out.push_back(std::move(read));
  }
  return true;
}
template <class T>
bool get_value(const JsonValue& value, Named<T>& out) {
  const auto* object = value.as<JsonObject>();
  if (object == nullptr) return false;
  for (const auto& [name, entry] : *object) {
    T read{};
    if (get_value(entry, read)) out.emplace_back(name, std::move(read));
  }
  return true;
}
template <class T>
bool get_value(const JsonValue& value, Sorted<T>& out) {
  const auto* object = value.as<JsonObject>();
  if (object == nullptr) return false;
  for (const auto& [name, entry] : *object) {
    T read{};
    if (get_value(entry, read)) out[name] = std::move(read);
  }
  return true;
}

template <class T>
void read_message(const JsonValue& value, T& message) {
  for_each_field<T>([&](const auto& row) {
    const JsonValue* found = value.find(row.name);
    if (found != nullptr) get_value(*found, message.*row.where);
  });
}

// {"ml1":80}, each within the terms.
inline bool take_numbers(Fields& fields, std::string_view name, const Terms& terms,
                         Sorted<int>& out) {
  const JsonValue* value = fields.value(name);
  if (value == nullptr) return false;
  const auto* object = value->as<JsonObject>();
  if (object == nullptr) {
    fields.fault(name, "must be an object of numbers");
    return false;
  }
  Fields inner(*value, std::string(name) + ".");
  for (const auto& [key, unused] : *object) {
    inner.number(key, out[key], static_cast<int>(terms.least), static_cast<int>(terms.most));
  }
  inner.close();
  fields.merge_fault(inner);
  return true;
}

// Reading strictly: true if the field was there and right.
template <class T>
bool take_field(Fields& fields, std::string_view name, const Terms& terms, T& out) {
  if constexpr (kIsOptional<T> && !std::is_same_v<T, std::optional<Wall>>) {
    typename T::value_type read{};
    if (!take_field(fields, name, terms, read)) return false;
    out = std::move(read);
    return true;
  } else if constexpr (std::is_same_v<T, std::optional<Wall>>) {
    return fields.time(name, out);
  } else if constexpr (std::is_same_v<T, bool>) {
    return fields.flag(name, out);
  } else if constexpr (std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_same_v<T, int>, int, std::uint64_t>;
    return fields.number(name, out, static_cast<Wide>(terms.least), static_cast<Wide>(terms.most));
  } else if constexpr (std::is_same_v<T, Seconds>) {
    return fields.seconds(name, out);
  } else if constexpr (std::is_same_v<T, CardList>) {
    return read_card_list(fields, name, out);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return fields.texts(name, out);
  } else if constexpr (std::is_same_v<T, Sorted<int>>) {
    return take_numbers(fields, name, terms, out);
  } else {
    if (terms.words.empty()) return fields.text(name, out);
    const std::vector<std::string_view> words = split_nonempty(terms.words, '|');
    std::size_t position = 0;
    if (!fields.word(name, words, position)) return false;
    out = words[position];
    return true;
  }
}
template <class T>
void take_fields(Fields& fields, T& request) {
  for_each_field<T>([&](const auto& row) {
    const bool given = take_field(fields, row.name, row.terms, request.*row.where);
    if (!given && row.terms.must) fields.fault(row.name, "is missing");
  });
}
// A body that is there; one that may be empty is "{}" then.
template <class T>
Result<T> read_request(std::string_view body) {
  Result<JsonValue> value = parse_json(body);
  if (!value) return failure(value.error());
  Fields fields(*value);
  T request;
  take_fields(fields, request);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  return request;
}

}  // namespace gpusched::wire
