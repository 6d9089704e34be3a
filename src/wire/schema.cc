#include "wire/schema.h"

#include "base/text.h"

namespace gpusched::wire {
namespace {

void write_type(JsonWriter& json, std::string_view type, bool nullable) {
  json.key("type");
  if (nullable) {
    json.begin_array().value(type).value("null").end_array();
  } else {
    json.value(type);
  }
}

}  // namespace

void write_schema(JsonWriter& json, const ValueSchema& value) {
  json.begin_object();
  write_type(json, value.type, value.nullable);
  if (!value.format.empty()) json.field("format", value.format);
  if (!value.words.empty()) {
    json.key("enum").begin_array();
    for (const std::string_view word : split_nonempty(value.words, '|')) json.value(word);
    if (value.nullable) json.null();
    json.end_array();
  }
  const bool text = value.type == "string";
  if (value.has_least && !text) json.field("minimum", value.least);
  if (value.most > 0) json.field(text ? "maxLength" : "maximum", value.most);
  if (!value.what.empty()) json.field("description", value.what);
  json.end_object();
}

void write_reference(JsonWriter& json, std::string_view name, bool nullable) {
  const std::string place = "#/components/schemas/" + std::string(name);
  json.begin_object();
  if (!nullable) {
    json.field("$ref", place).end_object();
    return;
  }
  json.key("anyOf").begin_array().begin_object().field("$ref", place).end_object();
  json.begin_object().field("type", "null").end_object().end_array().end_object();
}

ObjectSchema::ObjectSchema(JsonWriter& json, Side side, bool nullable) : json_(json), side_(side) {
  json_.begin_object();
  write_type(json_, "object", nullable);
  json_.key("properties").begin_object();
}

JsonWriter& ObjectSchema::property(std::string_view name, bool required) {
  if (required) required_.emplace_back(name);
  return json_.key(name);
}

void ObjectSchema::close() {
  json_.end_object();
  if (!required_.empty()) {
    json_.key("required").begin_array();
    for (const std::string& name : required_) json_.value(name);
    json_.end_array();
  }
  if (side_ == Side::kRequest) json_.field("additionalProperties", false);
  json_.end_object();
}

}  // namespace gpusched::wire
