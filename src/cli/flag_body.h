// A JSON body from flags: only the fields that are given, and the first error is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"
#include "cli/submit/submission.h"
#include "json/json_writer.h"

namespace gpusched::cli {

class FlagBody {
 public:
  explicit FlagBody(const Arguments& arguments) : arguments_(arguments), json_(text_) {
    json_.begin_object();
  }
  // `parse` makes a Result of the flag's text.
  template <class Parse>
  void field(std::string_view flag, std::string_view name, Parse parse) {
    const FlagValue* value = error_ ? nullptr : arguments_.find(flag);
    if (value == nullptr) return;
    auto parsed = parse(value->text);
    if (!parsed) {
      error_ = bad_value(*value, parsed.error().message).value();
      return;
    }
    json_.key(name);
    write(*parsed);
  }
  // For fields that come from elsewhere.
  JsonWriter& json() { return json_; }
  // No field was given; errors come with finish().
  bool empty() const { return !error_ && text_ == "{"; }
  Result<std::string> finish() {
    if (error_) return failure(*error_);
    json_.end_object();
    return std::move(text_);
  }

 private:
  template <class T>
  void write(const T& value) {
    json_.value(value);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    json_.begin_array();
    for (const T& value : values) json_.value(value);
    json_.end_array();
  }
  void write(const std::vector<CardName>& cards) {
    json_.begin_array();
    for (const CardName& card : cards) {
      std::visit([this](const auto& word) { json_.value(word); }, card);
    }
    json_.end_array();
  }
  void write(const GpuCount& count) {
    if (count.all) {
      json_.value("all");
    } else {
      json_.begin_object().field("least", count.least).field("most", count.most).end_object();
    }
  }

  const Arguments& arguments_;
  std::string text_;
  JsonWriter json_;
  std::optional<Error> error_;
};

}  // namespace gpusched::cli
