// Property lists in XML, as macOS tools print them: the subset dict, array, string, integer, real,
// true, false, date, data. Strict about structure, because a cut-off sample must not become a
// smaller one, with one exception: of a key that stands twice in a dict the first counts, since
// powermetrics itself prints such dicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace gpusched::watch {

struct PlistValue {
  using Array = std::vector<PlistValue>;
  struct Dict {  // In the order of the text; values[i] belongs to keys[i].
    std::vector<std::string> keys;
    std::vector<PlistValue> values;
  };
  // Dates and data are strings, as they stand in the text.
  std::variant<bool, std::int64_t, double, std::string, Array, Dict> value;

  // What a dict has under this key; null for other kinds and other keys.
  const PlistValue* find(std::string_view key) const;
  std::optional<double> number() const;  // Of an integer or a real.
  const std::string* text() const { return std::get_if<std::string>(&value); }
};

Result<PlistValue> parse_plist(std::string_view text);

}  // namespace gpusched::watch
