// The schema of a message, by its list.
#pragma once

#include <map>
#include <memory>

#include "wire/message_json.h"
#include "wire/messages/job.h"
#include "wire/messages/lease.h"
#include "wire/schema.h"
#include "wire/spec_schema.h"
#include "wire/tenant.h"

namespace gpusched::wire {

template <IsMessage T>
void refer(JsonWriter& json, SchemaTexts& texts, Side side, bool nullable = false);

template <class T>
struct ObjectOf;
template <class T>
struct ObjectOf<Named<T>> {
  using Value = T;
};
template <class T>
struct ObjectOf<Sorted<T>> {
  using Value = T;
};
template <class T>
concept IsObject = requires {
  typename ObjectOf<T>::Value;
};
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;

struct SchemaPlace {
  JsonWriter& json;
  SchemaTexts& texts;
  Side side;
};

inline void sample_schema(JsonWriter& json, bool nullable);

template <class T>
void value_schema(const SchemaPlace& place, Terms terms, bool nullable) {
  JsonWriter& json = place.json;
  ValueSchema plain{.nullable = nullable, .words = terms.words, .what = terms.what};
  if (place.side == Side::kRequest) plain.most = terms.most;
  if constexpr (kIsOptional<T>) {
    const bool null = nullable || (!terms.maybe && !terms.always);
    terms.maybe = false;
    value_schema<typename T::value_type>(place, terms, null);
  } else if constexpr (IsMessage<T>) {
    refer<T>(json, place.texts, place.side, nullable);
  } else if constexpr (IsObject<T> || kIsVector<T>) {
    json.begin_object().field("type", IsObject<T> ? "object" : "array");
    json.key(IsObject<T> ? "additionalProperties" : "items");
    if constexpr (IsObject<T>) {
      value_schema<typename ObjectOf<T>::Value>(place, {}, false);
    } else {
      value_schema<typename T::value_type>(place, {}, false);
    }
    json.end_object();
  } else if constexpr (std::is_same_v<T, std::string>) {
    plain.type = "string";
    plain.nullable = nullable || terms.or_null;
    write_schema(json, plain);
  } else if constexpr (std::is_same_v<T, bool>) {
    plain.type = "boolean";
    write_schema(json, plain);
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, Seconds>) {
    plain.type = "integer";
    plain.has_least = std::is_unsigned_v<T> || place.side == Side::kRequest;
    plain.least = terms.least;
    if (std::is_same_v<T, Seconds> && place.side == Side::kRequest) plain.most = kSecondsMost;
    write_schema(json, plain);
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Amount>) {
    plain.type = "number";
    write_schema(json, plain);
  } else if constexpr (std::is_same_v<T, Wall>) {
    plain.type = "string";
    plain.format = "date-time";
    write_schema(json, plain);
  } else if constexpr (std::is_same_v<T, watch::CardSample>) {
    sample_schema(json, nullable);
  } else if constexpr (std::is_same_v<T, Needs>) {
    needs_schema(json);
  } else if constexpr (std::is_same_v<T, TenantRule>) {
    tenant_rule_schema(json, place.side);
  } else {
    static_assert(std::is_same_v<T, CardList>);
    card_list_schema(json, nullable);
  }
}

// The fields of a message, for an object that has others too.
template <IsMessage T>
void properties(const SchemaPlace& place, ObjectSchema& object) {
  for_each_field<T>([&](const auto& row) {
    using Value = typename std::remove_cvref_t<decltype(row)>::Value;
    const bool asked = place.side == Side::kRequest;
    object.property(row.name, asked ? row.terms.must : !row.terms.maybe);
    value_schema<Value>(place, row.terms, asked && !row.terms.must);
  });
}

template <IsMessage T>
std::string schema_text(SchemaTexts& texts, Side side) {
  std::string text;
  JsonWriter json(text);
  ObjectSchema object(json, side);
  properties<T>({json, texts, side}, object);
  if constexpr (std::is_same_v<T, JobDetails>) shown_properties(object, json);
  if constexpr (std::is_same_v<T, LeaseRequest>) needs_properties(object, json);
  if constexpr (std::is_same_v<T, AdoptRequest>) adopt_properties(object, json);
  object.close();
  return text;
}

template <IsMessage T>
void refer(JsonWriter& json, SchemaTexts& texts, Side side, bool nullable) {
  const std::string name(T::kName);
  // Its place is taken first: messages may contain themselves.
  if (texts.try_emplace(name).second) texts[name] = schema_text<T>(texts, side);
  write_reference(json, name, nullable);
}

// What was read of a card; what the driver did not say is left out.
inline void sample_schema(JsonWriter& json, bool nullable) {
  ObjectSchema object(json, Side::kAnswer, nullable);
  SchemaTexts unused;
  watch::CardSample sample;
  each_sample_field(sample, [&](std::string_view name, const auto& field) {
    using Value = typename std::remove_cvref_t<decltype(field)>::value_type;
    object.property(name, false);
    if constexpr (std::is_enum_v<Value>) {
      write_schema(json, {.type = "string"});
    } else {
      value_schema<Value>({json, unused, Side::kAnswer}, {}, false);
    }
  });
  object.property("throttle", false).begin_object().field("type", "array");
  json.key("items").begin_object().field("type", "string").end_object().end_object();
  object.close();
}

}  // namespace gpusched::wire
