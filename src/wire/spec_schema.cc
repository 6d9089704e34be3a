#include "wire/spec_schema.h"

#include <algorithm>
#include <limits>

#include "core/model/spec_fields.h"
#include "json/json_fields.h"
#include "wire/spec_values.h"
#include "wire/tenant.h"

namespace gpusched::wire {
namespace {

constexpr std::uint64_t kCardNumberMost = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kSignalMost = 64;

// How a field of the list is meant.
struct Place {
  JsonWriter& json;
  const FieldTerms& terms;
  Side side;
  bool nullable;

  bool asked() const { return side == Side::kRequest; }
  void plain(ValueSchema value) const {
    value.nullable = nullable;
    write_schema(json, value);
  }
  void number(std::uint64_t most) const {
    plain({.type = "integer", .has_least = true, .most = asked() ? most : 0});
  }
  void texts() const {
    write_list([&] { write_schema(json, {.type = "string"}); });
  }
  template <class Items>
  void write_list(Items items) const {
    json.begin_object().key("type");
    if (nullable) {
      json.begin_array().value("array").value("null").end_array();
    } else {
      json.value("array");
    }
    json.key("items");
    items();
    json.end_object();
  }
};

template <class T>
struct Is {};

void schema_of(const Place& place, Is<std::string>, Plain) {
  place.plain({.type = "string", .most = place.asked() ? place.terms.most : 0});
}
void schema_of(const Place& place, Is<std::vector<std::string>>, Plain) { place.texts(); }
void schema_of(const Place& place, Is<bool>, Plain) { place.plain({.type = "boolean"}); }
void schema_of(const Place& place, Is<int>, Plain) { place.number(place.terms.most); }
void schema_of(const Place& place, Is<std::uint32_t>, Plain) { place.number(place.terms.most); }
void schema_of(const Place& place, Is<std::uint64_t>, Plain) { place.number(place.terms.most); }
void schema_of(const Place& place, Is<Seconds>, Plain) { place.number(kSecondsMost); }
void schema_of(const Place& place, Is<std::optional<Wall>>, Plain) {
  write_schema(place.json, {.type = "string", .nullable = true, .format = "date-time"});
}
void schema_of(const Place& place, Is<CpuUse>, Plain) {
  place.plain({.type = "string", .words = "never|prefer|fallback"});
}
void schema_of(const Place& place, Is<PreemptPolicy>, Plain) {
  place.plain({.type = "string", .words = "auto|cooperative|never"});
}
void schema_of(const Place& place, Is<Attach>, Plain) {
  place.plain({.type = "string", .words = "none|pipes|pty"});
}
void schema_of(const Place& place, Is<CardList>, Plain) {
  card_list_schema(place.json, place.nullable);
}
void schema_of(const Place& place, Is<CauseSet>, Plain) {
  std::string words;
  for (const Cause cause : kAllCauses) {
    words += (words.empty() ? "" : "|") + std::string(cause_name(cause));
  }
  place.write_list([&] { write_schema(place.json, {.type = "string", .words = words}); });
}

void schema_of(const Place& place, Is<CardCount>, Plain) {
  JsonWriter& json = place.json;
  const std::uint64_t most = place.asked() ? kCardsMost : 0;
  const ValueSchema number{.type = "integer", .has_least = true, .most = most};
  json.begin_object().key("anyOf").begin_array();
  ObjectSchema object(json, place.side);
  object.property("least", true);
  write_schema(json, number);
  object.property("most", !place.asked()).begin_object().key("anyOf").begin_array();
  write_schema(json, number);
  write_schema(json, {.type = "string", .words = "all"});
  if (place.asked()) write_schema(json, {.type = "null"});
  json.end_array().end_object();
  object.close();
  if (place.asked()) {
    write_schema(json, number);
    write_schema(json, {.type = "string", .words = "all"});
    write_schema(json, {.type = "null"});
  }
  json.end_array().end_object();
}

void schema_of(const Place& place, Is<std::vector<Dependency>>, Plain) {
  place.write_list([&] {
    ObjectSchema object(place.json, place.side);
    object.property("job", true);
    write_schema(place.json, {.type = "integer", .least = 1, .has_least = true});
    object.property("kind", !place.asked());
    write_schema(place.json, {.type = "string", .nullable = place.asked(), .words = "ok|any|fail"});
    object.close();
  });
}

void schema_of(const Place& place, Is<std::shared_ptr<const ResourceLimits>>, Plain) {
  place.write_list([&] {
    ObjectSchema object(place.json, place.side);
    object.property("resource", true);
    write_schema(place.json, {.type = "integer", .has_least = true, .most = 31});
    for (const char* name : {"soft", "hard"}) {
      object.property(name, true);
      write_schema(place.json, {.type = "integer",
                                .has_least = true,
                                .most = std::numeric_limits<std::uint64_t>::max()});
    }
    object.close();
  });
}

// An object of two numbers.
void pair_schema(const Place& place, const std::pair<const char*, ValueSchema>& first,
                 const std::pair<const char*, ValueSchema>& second, bool first_is_needed) {
  ObjectSchema object(place.json, place.side, place.nullable);
  for (const auto* one : {&first, &second}) {
    const bool needed = !place.asked() || (one == &first && first_is_needed);
    object.property(one->first, needed);
    ValueSchema value = one->second;
    value.nullable = place.asked() && !needed;
    value.has_least = true;
    write_schema(place.json, value);
  }
  object.close();
}

void schema_of(const Place& place, Is<std::shared_ptr<const SaveTerms>>, Plain) {
  pair_schema(place, {"signal", {.type = "integer", .most = kSignalMost}},
              {"grace_s", {.type = "integer", .most = kSecondsMost}}, false);
}
void schema_of(const Place& place, Is<TimeRule>, AsWarnSignal) {
  Place one = place;
  one.nullable = true;
  pair_schema(one, {"number", {.type = "integer", .least = 1, .most = kSignalMost}},
              {"before_s", {.type = "integer", .most = kSecondsMost}}, true);
}
void schema_of(const Place& place, Is<SpecExtras>, AsTerminal) {
  pair_schema(place, {"rows", {.type = "integer", .most = 65535}},
              {"columns", {.type = "integer", .most = 65535}}, false);
}
void schema_of(const Place& place, Is<int>, AsArrayLimit) {
  place.number(place.terms.most);  // Only in the store.
}

template <class Row>
void spec_property(ObjectSchema& object, const Place& place, std::string_view name, bool required,
                   const Row&) {
  using Value = typename Row::Value;
  object.property(name, required);
  schema_of(place, Is<Value>{}, typename Row::Form{});
}

template <class Row>
constexpr bool kOfNeeds =
    std::is_same_v<typename Row::Part, Needs> || std::is_same_v<typename Row::Part, CardFilter>;

// A field of a request.
template <class Row>
void asked_property(ObjectSchema& object, JsonWriter& json, const Row& row, bool required = false) {
  spec_property(object, {json, row.terms, Side::kRequest, !required}, row.name, required, row);
}

void priority_property(ObjectSchema& object, JsonWriter& json) {
  object.property("priority", false);
  write_schema(json, {.type = "integer", .nullable = true, .has_least = true, .most = 100});
}

void array_property(ObjectSchema& object, JsonWriter& json) {
  object.property("array", false);
  ObjectSchema array(json, Side::kRequest, true);
  array.property("indices", true);
  write_schema(json, {.type = "string", .what = "0-99, 1,3,5 or 0-100:10"});
  array.property("limit", false);
  write_schema(json, {.type = "integer",
                      .nullable = true,
                      .has_least = true,
                      .most = spec_fields::kTasksAtOnceMost});
  array.close();
}

void tasks_property(ObjectSchema& object, JsonWriter& json) {
  object.property("tasks", false).begin_object().key("type");
  json.begin_array().value("array").value("null").end_array().field("minItems", 1).key("items");
  ObjectSchema task(json, Side::kRequest);
  task.property("values", false).begin_object().field("type", "object");
  json.key("additionalProperties");
  write_schema(json, {.type = "string"});
  json.end_object();
  task.close();
  json.end_object();
}

}  // namespace

void card_list_schema(JsonWriter& json, bool nullable) {
  json.begin_object().key("type");
  if (nullable) {
    json.begin_array().value("array").value("null").end_array();
  } else {
    json.value("array");
  }
  json.key("items").begin_object().key("anyOf").begin_array();
  write_schema(json, {.type = "integer", .has_least = true, .most = kCardNumberMost});
  write_schema(json, {.type = "string", .what = "an alias or a tag"});
  json.end_array().end_object().end_object();
}

void needs_schema(JsonWriter& json) {
  ObjectSchema object(json, Side::kAnswer);
  for_each_spec_field([&](const auto& row) {
    if constexpr (kOfNeeds<std::remove_cvref_t<decltype(row)>>) {
      spec_property(object, {json, row.terms, Side::kAnswer, false}, row.name, true, row);
    }
  });
  object.close();
}

void needs_properties(ObjectSchema& object, JsonWriter& json) {
  for_each_spec_field([&](const auto& row) {
    if constexpr (kOfNeeds<std::remove_cvref_t<decltype(row)>>) asked_property(object, json, row);
  });
}

void adopt_properties(ObjectSchema& object, JsonWriter& json) {
  for_each_spec_field([&](const auto& row) {
    if (std::ranges::find(kAdoptFields, row.name) == kAdoptFields.end()) return;
    asked_property(object, json, row);
  });
}

void shown_properties(ObjectSchema& object, JsonWriter& json) {
  for_each_spec_field([&](const auto& row) {
    const Shown shown = row.terms.shown;
    if (shown != Shown::kDetails && shown != Shown::kPlaces) return;
    const Place place{json, row.terms, Side::kAnswer, row.terms.null_at_default};
    spec_property(object, place, row.shown_name(), shown == Shown::kDetails, row);
  });
}

void submit_schema(JsonWriter& json) {
  ObjectSchema object(json, Side::kRequest);
  for_each_spec_field([&](const auto& row) {
    if (!row.terms.stored_only) asked_property(object, json, row, row.name == "command");
  });
  priority_property(object, json);
  object.property("hold", false);
  write_schema(json, {.type = "boolean", .nullable = true});
  object.property("environment", false);
  const FieldTerms terms;
  Place{json, terms, Side::kRequest, true}.texts();
  array_property(object, json);
  tasks_property(object, json);
  object.close();
}

void patch_schema(JsonWriter& json) {
  ObjectSchema object(json, Side::kRequest);
  for_each_spec_field([&](const auto& row) {
    if (row.terms.set != Settable::kNever) asked_property(object, json, row);
  });
  priority_property(object, json);
  object.property("before", false);
  write_schema(json, {.type = "integer", .nullable = true, .least = 1, .has_least = true});
  object.close();
}

void tenant_rule_schema(JsonWriter& json, Side side) {
  const bool asked = side == Side::kRequest;
  ObjectSchema object(json, side);
  object.property("weight", false);
  write_schema(json, {.type = "number", .nullable = asked, .has_least = true, .most = 1'000'000});
  for (const TenantLimit& limit : kTenantLimits) {
    object.property(limit.name, false).begin_object().key("anyOf").begin_array();
    write_schema(json, {.type = "integer", .has_least = true, .most = limit.most});
    write_schema(json, {.type = "string", .words = "none"});
    if (asked) write_schema(json, {.type = "null"});
    json.end_array().end_object();
  }
  object.property("gpu_hours", false);
  write_schema(json, {.type = "string", .nullable = asked, .what = "200/week, or none"});
  object.property("projects", false).begin_object().key("type");
  if (asked) {
    json.begin_array().value("object").value("null").end_array();
  } else {
    json.value("object");
  }
  json.key("additionalProperties");
  write_schema(json, {.type = "number", .has_least = true, .most = 1'000'000});
  json.end_object();
  object.close();
}

}  // namespace gpusched::wire
