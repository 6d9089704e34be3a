// The fields of a JSON body that flags say: only those that are given, and the first error is kept.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "cli/flags.h"
#include "json/json_writer.h"

namespace gpusched::cli {

class FlagBody {
 public:
  explicit FlagBody(const FlagAround& around) : around_(around), json_(text_) {}

  // Every flag of these that is a field and is given.
  void add(std::span<const FlagSection> sections) {
    for (const FlagSection& section : sections) {
      for (const Flag& flag : section.flags) {
        if (flag.write != nullptr && !error_) add(flag);
      }
    }
  }
  // For fields that come from elsewhere.
  JsonWriter& json() { return json_; }
  // The fields without braces around them.
  Result<std::string> fields() {
    if (error_) return failure(*error_);
    return std::move(text_);
  }
  Result<std::string> object() {
    if (error_) return failure(*error_);
    return "{" + text_ + "}";
  }

 private:
  void add(const Flag& flag) {
    const FlagValue* value = around_.arguments.find(flag.name);
    if (value == nullptr) return;
    Result<void> written;
    if (value->text.empty() && flag.kind == FlagKind::kValue && !around_.setting) {
      written = failure(ErrorCode::kInvalid, "is empty");
    } else {
      json_.key(flag.field);
      written = flag.write(*value, around_, json_);
    }
    if (!written) error_ = bad_value(*value, written.error().message).value();
  }

  FlagAround around_;
  std::string text_;
  JsonWriter json_;
  std::optional<Error> error_;
};

}  // namespace gpusched::cli
