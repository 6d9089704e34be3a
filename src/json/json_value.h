// JSON that came in, as a plain tree of standard types. Reading keeps what most readers lose:
// \udcXX becomes the byte it stands for (docs/api.md), a field given twice is an error, and
// nesting is bounded, so that no text can exhaust the stack.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace gpusched {

struct JsonValue;
using JsonArray = std::vector<JsonValue>;
using JsonObject = std::vector<std::pair<std::string, JsonValue>>;  // In the order of the text.

struct JsonValue {
  // Whole numbers are uint64 unless negative; anything with a point or exponent is double.
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, JsonArray,
               JsonObject>
      is = nullptr;

  bool null() const { return std::holds_alternative<std::nullptr_t>(is); }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&is);
  }
  // The field of an object; null if it is absent or this is no object.
  const JsonValue* find(std::string_view name) const;
  // "a string", "a number" …: for messages.
  const char* kind() const;
};

// One whole JSON text. Errors are kInvalid and say where.
Result<JsonValue> parse_json(std::string_view text);

}  // namespace gpusched
