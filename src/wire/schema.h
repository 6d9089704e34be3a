// JSON Schema, as OpenAPI 3.1 has it: the parts of which the schemas of messages are made.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_writer.h"

namespace gpusched::wire {

// Answers may have more fields than a client knows, and leave some out; requests may not have
// others, and null is as good as absent in them.
enum class Side : unsigned char { kAnswer, kRequest };

// What is meant by the names that schemas refer to.
using SchemaTexts = std::map<std::string, std::string>;

// One value; each writes a whole schema.
struct ValueSchema {
  std::string_view type;
  bool nullable = false;
  std::string_view format = {};
  std::string_view words = {};  // "a|b"
  std::string_view what = {};
  std::uint64_t least = 0;
  bool has_least = false;
  std::uint64_t most = 0;  // 0: any.
};
void write_schema(JsonWriter& json, const ValueSchema& value);
// {"$ref":…}, or null.
void write_reference(JsonWriter& json, std::string_view name, bool nullable);

// An object whose fields are written one by one.
class ObjectSchema {
 public:
  ObjectSchema(JsonWriter& json, Side side, bool nullable = false);
  // The schema of its value follows.
  JsonWriter& property(std::string_view name, bool required);
  void close();

 private:
  JsonWriter& json_;
  Side side_;
  std::vector<std::string> required_;
};

}  // namespace gpusched::wire
