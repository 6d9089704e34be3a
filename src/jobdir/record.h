// The text form of everything in a job directory: one key=value per line, values percent-escaped,
// first line `version=1`, last line `end=1`. A record without its last line was cut off and is
// refused, as is one that is too large, repeats a key or holds anything else: what cannot be read
// with certainty counts as absent, never as something else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gpusched {

class Record {
 public:
  static constexpr std::size_t kLargest = 256 * 1024;

  void set(std::string key, std::string_view value) { values_[std::move(key)] = value; }
  void set(std::string key, std::int64_t value) { values_[std::move(key)] = std::to_string(value); }

  const std::string* find(const std::string& key) const;
  // Absent, and also when it is not a plain decimal number.
  std::optional<std::int64_t> number(const std::string& key) const;

  std::string write() const;
  static Result<Record> parse(std::string_view text);

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace gpusched
