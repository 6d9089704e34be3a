#include "cli/flag_writers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "core/model/notify_wish.h"
#include "json/json_writer.h"

namespace gpusched::cli {
namespace {

tl::unexpected<Error> not_so(std::string why) {
  return failure(ErrorCode::kInvalid, std::move(why));
}

}  // namespace

Result<void> write_text(const FlagValue& value, const FlagAround&, JsonWriter& json) {
  json.value(value.text);
  return {};
}

Result<void> write_texts(const FlagValue& value, const FlagAround& around, JsonWriter& json) {
  std::vector<std::string> texts;
  for (const FlagValue* given : around.arguments.all(value.flag->name)) {
    if (around.setting && given->text.empty()) continue;
    for (std::string& text : split_at(given->text, ',')) {
      if (text.empty()) return not_so("a tag is empty");
      texts.push_back(std::move(text));
    }
  }
  write_value(json, texts, Plain{});
  return {};
}

Result<void> write_notify(const FlagValue& value, const FlagAround& around, JsonWriter& json) {
  std::vector<std::string> wishes;
  for (const FlagValue* given : around.arguments.all(value.flag->name)) {
    if (given->text == "none" || (around.setting && given->text.empty())) continue;
    if (auto fault = fault_of_notify_wish(given->text)) return not_so(std::move(*fault));
    wishes.push_back(given->text);
  }
  write_value(json, wishes, Plain{});
  return {};
}

Result<void> write_fact(const FlagValue& value, const FlagAround&, JsonWriter& json) {
  if (!value.text.empty() && value.text != "yes" && value.text != "no") {
    return not_so(fmt::format("'{}' is neither yes nor no", value.text));
  }
  json.value(value.text != "no");
  return {};
}

Result<void> write_shell(const FlagValue& value, const FlagAround&, JsonWriter& json) {
  if (value.text.find_first_of(" \t\n") != std::string::npos) {
    return not_so(fmt::format("'{}' is not the name of one program", value.text));
  }
  json.value(value.text);
  return {};
}

Result<void> write_word(const FlagValue& value, const FlagAround&, JsonWriter& json) {
  const std::vector<std::string> words = split_at(value.flag->words, ' ');
  if (std::ranges::find(words, value.text) == words.end()) {
    return not_so(fmt::format("'{}' is none of {}", value.text, fmt::join(words, ", ")));
  }
  json.value(value.text);
  return {};
}

Result<void> write_milliseconds(const FlagValue& value, const FlagAround&, JsonWriter& json) {
  const auto duration = parse_duration(value.text);
  if (!duration) return failure(duration.error());
  json.value(duration->count() * 1000);
  return {};
}

Result<void> write_time(const FlagValue& value, const FlagAround& around, JsonWriter& json) {
  if (around.setting && (value.text == "none" || value.text.empty())) {
    json.null();
    return {};
  }
  const Seconds offset = around.offset_at == nullptr ? Seconds{0} : around.offset_at(around.now);
  const auto time = parse_time(value.text, around.now, offset);
  if (!time) return failure(time.error());
  json.value(*time);
  return {};
}

Result<void> write_cpu_use(const FlagValue& value, const FlagAround& around, JsonWriter& json) {
  const std::string& text = value.text;
  if (text == "fallback" || (around.setting && text == "never")) {
    json.value(text);
  } else if (text.empty() || text == "prefer") {
    json.value("prefer");
  } else {
    const std::string_view words =
        around.setting ? "none of prefer, fallback, never" : "neither prefer nor fallback";
    return not_so(fmt::format("'{}' is {}", text, words));
  }
  return {};
}

Result<void> write_warning(const FlagValue& value, const FlagAround&, JsonWriter& json) {
  const auto signal = parse_signal(value.text);
  if (!signal) return failure(signal.error());
  json.begin_object().field("number", signal->first).field("before_s", signal->second);
  json.end_object();
  return {};
}

Result<void> write_checkpoint(const FlagValue& value, const FlagAround&, JsonWriter& json) {
  const auto terms = parse_checkpoint(value.text);
  if (!terms) return failure(terms.error());
  json.begin_object().field("signal", terms->first).field("grace_s", terms->second).end_object();
  return {};
}

Result<void> write_retries(const FlagValue& value, const FlagAround& around, JsonWriter& json) {
  const std::size_t colon = around.setting ? std::string::npos : value.text.find(':');
  const auto retries = parse_whole(value.text.substr(0, colon), 0, spec_fields::kRetriesMost);
  if (!retries) return failure(retries.error());
  json.value(*retries);
  if (colon == std::string::npos) return {};
  const auto causes = parse_causes(value.text.substr(colon + 1));
  if (!causes) return failure(causes.error());
  if (!around.arguments.has("--retry-on")) {
    json.key("retry_causes");
    write_value(json, *causes, Plain{});
  }
  return {};
}

}  // namespace gpusched::cli
