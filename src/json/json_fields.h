// Takes a JSON object apart field by field: types and ranges checked, the first fault kept as one
// sentence that names the field, fields nobody asked for refused. Null means absent everywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "json/json_value.h"

namespace gpusched {

// A century: far past any use, and safe to turn into microseconds.
inline constexpr std::uint64_t kSecondsMost = 100ULL * 366 * 24 * 3600;

class Fields {
 public:
  // `path` is put before names in messages: "gpus." gives "gpus.least".
  // `called` gives a field another name in messages: that of a flag.
  using Called = std::string_view (*)(std::string_view field);
  explicit Fields(const JsonValue& value, std::string path = {}, Called called = nullptr);

  // Each returns true, and sets `out`, if the field is there and right.
  bool text(std::string_view name, std::string& out);
  bool texts(std::string_view name, std::vector<std::string>& out);
  bool flag(std::string_view name, bool& out);
  bool number(std::string_view name, std::uint64_t& out, std::uint64_t least, std::uint64_t most);
  bool number(std::string_view name, int& out, int least, int most);
  bool seconds(std::string_view name, Seconds& out);
  bool time(std::string_view name, std::optional<Wall>& out);
  // One word of a list; `out` becomes its position.
  bool word(std::string_view name, const std::vector<std::string_view>& words, std::size_t& out);
  // The value as it is; null if absent.
  const JsonValue* value(std::string_view name);
  const JsonArray* list(std::string_view name);
  // It is there, as null; for the few who tell that from absent.
  bool is_null(std::string_view name);

  // Keeps the first fault: `name` of this object, then what is wrong with it.
  void fault(std::string_view name, std::string_view what);
  void merge_fault(const Fields& inner);
  bool failed() const { return error_.has_value(); }

  // The first fault, or the first field that nobody took.
  Result<void> finish();
  // The same for an inner object: unknown fields become faults of it, to be adopted.
  void close();

 private:
  const JsonValue& value_;
  std::string path_;
  Called called_;
  std::optional<std::string> error_;
  std::vector<std::string_view> taken_;
};

// A whole number from a value, or nothing if it is none or out of range.
std::optional<std::uint64_t> whole_number(const JsonValue& value);

}  // namespace gpusched
