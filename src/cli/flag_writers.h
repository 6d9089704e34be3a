// From the text of a flag to a field of a request, one writer for each kind of value. Rows of flag
// tables name them (Flag::write).
#pragma once

#include "cli/flag_values.h"
#include "cli/flags.h"
#include "wire/spec_values.h"

namespace gpusched::cli {

// A value that is written as its type is.
template <auto Parse>
Result<void> write_flag(const FlagValue& value, const FlagAround&, JsonWriter& json) {
  const auto parsed = Parse(value.text);
  if (!parsed) return failure(parsed.error());
  write_value(json, *parsed, Plain{});
  return {};
}

Result<void> write_text(const FlagValue& value, const FlagAround& around, JsonWriter& json);
// TAG,…; repeatable.
Result<void> write_texts(const FlagValue& value, const FlagAround& around, JsonWriter& json);
// WHAT:TARGET; repeatable.
Result<void> write_notify(const FlagValue& value, const FlagAround& around, JsonWriter& json);
// A switch, and for `set` =yes or =no.
Result<void> write_fact(const FlagValue& value, const FlagAround& around, JsonWriter& json);
// A program, by name or path.
Result<void> write_shell(const FlagValue& value, const FlagAround& around, JsonWriter& json);
// One of the words of the flag.
Result<void> write_word(const FlagValue& value, const FlagAround& around, JsonWriter& json);
Result<void> write_time(const FlagValue& value, const FlagAround& around, JsonWriter& json);
Result<void> write_milliseconds(const FlagValue& value, const FlagAround& around, JsonWriter& json);
Result<void> write_cpu_use(const FlagValue& value, const FlagAround& around, JsonWriter& json);
Result<void> write_warning(const FlagValue& value, const FlagAround& around, JsonWriter& json);
Result<void> write_checkpoint(const FlagValue& value, const FlagAround& around, JsonWriter& json);
// N, or N:CAUSE,…
Result<void> write_retries(const FlagValue& value, const FlagAround& around, JsonWriter& json);

}  // namespace gpusched::cli
