#include "json/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace gpusched {
namespace {

constexpr std::size_t kDepthMost = 32;

// --- Bytes that are not UTF-8 ------------------------------------------------------------------
// nlohmann refuses lone surrogates, so \udcXX is rewritten before parsing and undone after. NUL is
// the mark: \udcXX becomes U+0000 U+00XX, and a real U+0000 becomes U+0000 U+0000. Both directions
// are exact, whatever the text holds.

std::optional<unsigned> hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  unsigned number = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const char c = text[i];
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<unsigned>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    number = number * 16 + digit;
  }
  return number;
}

// Empty if the text has nothing to rewrite.
std::optional<std::string> mark_bad_bytes(std::string_view text) {
  if (text.find("\\u") == std::string_view::npos) return std::nullopt;
  std::string out;
  out.reserve(text.size() + 64);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t slash = std::min(text.find('\\', i), text.size());
    out.append(text, i, slash - i);
    i = slash;
    if (i + 1 >= text.size()) {
      out.append(text, i);
      break;
    }
    const std::optional<unsigned> unit = text[i + 1] == 'u' ? hex4(text, i + 2) : std::nullopt;
    if (!unit) {  // Another escape, or a broken one: the parser judges it.
      out.append(text, i, 2);
      i += 2;
      continue;
    }
    const bool high = *unit >= 0xd800 && *unit <= 0xdbff;
    if (high && text.substr(i + 6, 2) == "\\u") {  // A pair, or an error: not ours.
      out.append(text, i, 12);
      i += std::min<std::size_t>(12, text.size() - i);
      continue;
    }
    if (*unit >= 0xdc80 && *unit <= 0xdcff) {
      out += fmt::format("\\u0000\\u{:04x}", *unit - 0xdc00);
    } else if (*unit == 0) {
      out += "\\u0000\\u0000";
    } else {
      out.append(text, i, 6);
    }
    i += 6;
  }
  return out;
}

std::string restore_bad_bytes(std::string text) {
  std::size_t to = text.find('\0');
  if (to == std::string::npos) return text;
  std::size_t from = to;
  while (from < text.size()) {
    if (text[from] != '\0' || from + 1 >= text.size()) {
      text[to++] = text[from++];
      continue;
    }
    const auto lead = static_cast<unsigned char>(text[from + 1]);
    if (lead == 0) {
      text[to++] = '\0';
      from += 2;
    } else {  // U+0080..U+00FF is two bytes of UTF-8: C2 or C3, then six bits.
      const auto low = static_cast<unsigned char>(text[from + 2]);
      text[to++] = static_cast<char>(((lead & 3U) << 6) | (low & 0x3fU));
      from += 3;
    }
  }
  text.resize(to);
  return text;
}

// --- From nlohmann's events to our tree ---------------------------------------------------------
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TreeBuilder(bool marked) : marked_(marked) {}

  JsonValue root;
  std::string error;

  bool null() override { return add(JsonValue{}); }
  bool boolean(bool fact) override { return add({fact}); }
  bool number_integer(std::int64_t number) override { return add({number}); }
  bool number_unsigned(std::uint64_t number) override { return add({number}); }
  bool number_float(double number, const std::string&) override { return add({number}); }
  bool string(std::string& text) override { return add({restored(text)}); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open({JsonObject{}}); }
  bool start_array(std::size_t) override { return open({JsonArray{}}); }
  bool end_array() override { return close(); }
  bool end_object() override {
    const auto& fields = std::get<JsonObject>(stack_.back()->is);
    // Sorted, not hashed: names can be chosen so that they all meet in one place of a hash table.
    std::vector<std::string_view> names;
    names.reserve(fields.size());
    for (const auto& [name, field] : fields) names.push_back(name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice == names.end()) return close();
    error = fmt::format("the field \"{}\" is given twice", clipped(std::string(*twice)));
    return false;
  }
  bool key(std::string& name) override {
    std::get<JsonObject>(stack_.back()->is).emplace_back(restored(name), JsonValue{});
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception&) override {
    // The position counts rewritten text; then only the token helps.
    error = marked_ ? fmt::format("not JSON near \"{}\"", clipped(token))
                    : fmt::format("not JSON at byte {}, near \"{}\"", position, clipped(token));
    return false;
  }

 private:
  static std::string clipped(const std::string& token) {
    std::string shown;
    for (const char c : token.substr(0, 40)) shown += c >= 0x20 && c < 0x7f ? c : '?';
    return shown;
  }
  std::string restored(std::string& text) {
    return marked_ ? restore_bad_bytes(std::move(text)) : std::move(text);
  }
  JsonValue* place(JsonValue value) {
    if (stack_.empty()) {
      root = std::move(value);
      return &root;
    }
    if (auto* array = std::get_if<JsonArray>(&stack_.back()->is)) {
      return &array->emplace_back(std::move(value));
    }
    JsonValue& slot = std::get<JsonObject>(stack_.back()->is).back().second;
    slot = std::move(value);
    return &slot;
  }
  bool add(JsonValue value) {
    place(std::move(value));
    return true;
  }
  bool open(JsonValue value) {
    if (stack_.size() >= kDepthMost) {
      error = fmt::format("nested more than {} deep", kDepthMost);
      return false;
    }
    // The pointer stays good: its parent does not grow before this one is closed.
    stack_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }

  bool marked_;
  std::vector<JsonValue*> stack_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  const auto* fields = as<JsonObject>();
  if (fields == nullptr) return nullptr;
  const auto it = std::ranges::find(*fields, name, &JsonObject::value_type::first);
  return it == fields->end() ? nullptr : &it->second;
}

const char* JsonValue::kind() const {
  static constexpr const char* kKinds[] = {"null",     "true or false", "a number", "a number",
                                           "a number", "a string",      "a list",   "an object"};
  return kKinds[is.index()];
}

Result<JsonValue> parse_json(std::string_view text) {
  const std::optional<std::string> marked = mark_bad_bytes(text);
  const std::string_view parsed = marked ? *marked : text;
  TreeBuilder builder(marked.has_value());
  if (!nlohmann::json::sax_parse(parsed.begin(), parsed.end(), &builder)) {
    return failure(ErrorCode::kInvalid,
                   builder.error.empty() ? "not JSON" : std::move(builder.error));
  }
  return std::move(builder.root);
}

}  // namespace gpusched
