#include "json/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"

namespace gpusched {
namespace {}  // namespace

std::optional<std::uint64_t> whole_number(const JsonValue& value) {
  if (const auto* number = value.as<std::uint64_t>()) return *number;
  return std::nullopt;
}

Fields::Fields(const JsonValue& value, std::string path, Called called)
    : value_(value), path_(std::move(path)), called_(called) {
  if (value_.as<JsonObject>() == nullptr) {
    std::string_view what = path_;
    if (what.ends_with('.')) what.remove_suffix(1);
    error_ = what.empty() ? fmt::format("must be a JSON object, not {}", value_.kind())
                          : fmt::format("{} must be an object, not {}", what, value_.kind());
  }
}

void Fields::fault(std::string_view name, std::string_view what) {
  constexpr std::size_t kNameShown = 80;
  if (error_) return;
  if (called_ != nullptr && path_.empty()) name = called_(name);
  const bool cut = name.size() > kNameShown;
  error_ = fmt::format("{}{}{} {}", path_, name.substr(0, kNameShown), cut ? "…" : "", what);
}

void Fields::merge_fault(const Fields& inner) {
  if (!error_) error_ = inner.error_;
}

const JsonValue* Fields::value(std::string_view name) {
  taken_.push_back(name);
  const JsonValue* found = value_.find(name);
  return found == nullptr || found->null() ? nullptr : found;
}

bool Fields::is_null(std::string_view name) {
  const JsonValue* found = value_.find(name);
  if (found == nullptr || !found->null()) return false;
  taken_.push_back(name);
  return true;
}

bool Fields::text(std::string_view name, std::string& out) {
  const JsonValue* found = value(name);
  if (found == nullptr) return false;
  const auto* text = found->as<std::string>();
  if (text == nullptr) {
    fault(name, fmt::format("must be a string, not {}", found->kind()));
    return false;
  }
  if (text->find('\0') != std::string::npos) {
    fault(name, "must not contain a NUL byte");
    return false;
  }
  out = *text;
  return true;
}

bool Fields::texts(std::string_view name, std::vector<std::string>& out) {
  const JsonArray* found = list(name);
  if (found == nullptr) return false;
  std::vector<std::string> read;
  read.reserve(found->size());
  for (const JsonValue& element : *found) {
    const auto* text = element.as<std::string>();
    if (text == nullptr) {
      fault(name, fmt::format("must be a list of strings, but has {} in it", element.kind()));
      return false;
    }
    if (text->find('\0') != std::string::npos) {
      fault(name, "must not contain a NUL byte");
      return false;
    }
    read.push_back(*text);
  }
  out = std::move(read);
  return true;
}

bool Fields::flag(std::string_view name, bool& out) {
  const JsonValue* found = value(name);
  if (found == nullptr) return false;
  const auto* fact = found->as<bool>();
  if (fact == nullptr) {
    fault(name, fmt::format("must be true or false, not {}", found->kind()));
    return false;
  }
  out = *fact;
  return true;
}

bool Fields::number(std::string_view name, std::uint64_t& out, std::uint64_t least,
                    std::uint64_t most) {
  const JsonValue* found = value(name);
  if (found == nullptr) return false;
  if (found->as<std::uint64_t>() == nullptr && found->as<std::int64_t>() == nullptr) {
    fault(name, fmt::format("must be a whole number, not {}",
                            found->as<double>() != nullptr ? "a fraction" : found->kind()));
    return false;
  }
  const std::optional<std::uint64_t> number = whole_number(*found);
  if (!number || *number < least || *number > most) {
    fault(name, fmt::format("must be from {} to {}", least, most));
    return false;
  }
  out = *number;
  return true;
}

bool Fields::number(std::string_view name, int& out, int least, int most) {
  std::uint64_t wide = 0;
  if (!number(name, wide, static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most))) {
    return false;
  }
  out = static_cast<int>(wide);
  return true;
}

bool Fields::seconds(std::string_view name, Seconds& out) {
  std::uint64_t count = 0;
  if (!number(name, count, 0, kSecondsMost)) return false;
  out = Seconds{static_cast<std::int64_t>(count)};
  return true;
}

bool Fields::time(std::string_view name, std::optional<Wall>& out) {
  std::string written;
  if (!text(name, written)) return false;
  const Result<Wall> read = parse_rfc3339(written);
  if (!read) {
    fault(name, "must be a time like \"2026-01-01T08:00:00Z\"");
    return false;
  }
  out = *read;
  return true;
}

bool Fields::word(std::string_view name, const std::vector<std::string_view>& words,
                  std::size_t& out) {
  std::string written;
  if (!text(name, written)) return false;
  const auto it = std::ranges::find(words, written);
  if (it == words.end()) {
    fault(name, fmt::format("must be one of {}", fmt::join(words, ", ")));
    return false;
  }
  out = static_cast<std::size_t>(it - words.begin());
  return true;
}

const JsonArray* Fields::list(std::string_view name) {
  const JsonValue* found = value(name);
  if (found == nullptr) return nullptr;
  const auto* array = found->as<JsonArray>();
  if (array == nullptr) fault(name, fmt::format("must be a list, not {}", found->kind()));
  return array;
}

void Fields::close() {
  const auto* fields = value_.as<JsonObject>();
  if (fields == nullptr) return;
  for (const auto& [name, unused] : *fields) {
    if (std::ranges::find(taken_, name) != taken_.end()) continue;
    const std::string near = nearest_word(name, taken_.data(), taken_.size());
    fault(name, near.empty() ? "is not a known field"
                             : fmt::format("is not a known field; did you mean {}?", near));
    return;
  }
}

Result<void> Fields::finish() {
  close();
  if (error_) return failure(ErrorCode::kInvalid, *error_);
  return {};
}

}  // namespace gpusched
