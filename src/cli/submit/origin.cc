#include "cli/submit/origin.h"

#include <fmt/format.h>

#include <cctype>

#include "base/text.h"
#include "base/words.h"

namespace gpusched::cli {
namespace {

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); !word.empty() && at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_word(text[at - 1]);
    const bool ends = end == text.size() || !is_part_of_word(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// A size is told in GiB, however it was written.
bool has_size(const std::string& message, const std::string& text) {
  const auto size = parse_size(text);
  return size && *size > 0 && message.find(lower(gib_text(*size))) != std::string::npos;
}

bool is_named(const FlagValue& value, const std::string& message) {
  const std::string_view flag = value.flag->name;
  return has_word(message, flag) || has_word(message, flag.substr(2)) ||
         has_word(message, lower(value.text)) || has_size(message, value.text) ||
         (flag == "--mem" && has_word(message, "ram"));
}

// Not where the daemon or the network is at fault.
bool is_about_the_job(ErrorCode code) {
  return code == ErrorCode::kInvalid || code == ErrorCode::kForbidden ||
         code == ErrorCode::kConflict || code == ErrorCode::kNeverFits ||
         code == ErrorCode::kNotFound || code == ErrorCode::kTooLarge;
}

}  // namespace

Error with_origin(Error error, std::span<const FlagValue> defaults) {
  if (!is_about_the_job(error.code)) return error;
  const std::string said = error.message;
  const std::string message = lower(said);
  for (const FlagValue& value : defaults) {
    // One that is wrong by itself begins with its place.
    if (said.starts_with(value.where) || !is_named(value, message)) continue;
    error.message +=
        fmt::format("; {} is a default of {}", value.flag->name.substr(2), value.where);
  }
  return error;
}

}  // namespace gpusched::cli
