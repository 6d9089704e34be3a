#include "jobdir/record.h"

#include "base/number.h"

namespace gpusched {
namespace {

constexpr std::string_view kFirst = "version=1\n";
constexpr std::string_view kLast = "end=1\n";

bool plain(char c) { return c >= 0x20 && c < 0x7f && c != '%'; }

void append_escaped(std::string& out, std::string_view value) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : value) {
    if (plain(c)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kHex[byte >> 4]);
    out.push_back(kHex[byte & 15]);
  }
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<std::string> unescape(std::string_view text) {
  std::string value;
  value.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (!plain(text[i])) return std::nullopt;
      value.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    value.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return value;
}

bool key_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

const std::string* Record::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> Record::number(const std::string& key) const {
  const std::string* text = find(key);
  if (text == nullptr) return std::nullopt;
  std::int64_t value = 0;
  return whole_number(*text, value) ? std::optional(value) : std::nullopt;
}

std::string Record::write() const {
  std::string out(kFirst);
  for (const auto& [key, value] : values_) {
    out += key;
    out.push_back('=');
    append_escaped(out, value);
    out.push_back('\n');
  }
  out += kLast;
  return out;
}

Result<Record> Record::parse(std::string_view text) {
  const auto bad = [](const char* why) { return failure(ErrorCode::kIo, why); };
  if (text.size() > kLargest) return bad("the record is too large");
  if (text.substr(0, kFirst.size()) != kFirst) return bad("the record is not of a known version");
  text.remove_prefix(kFirst.size());
  if (text.size() < kLast.size() || text.substr(text.size() - kLast.size()) != kLast) {
    return bad("the record is cut off");
  }
  text.remove_suffix(kLast.size());
  Record record;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return bad("the record is cut off");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::size_t equals = line.find('=');
    if (equals == 0 || equals == std::string_view::npos) return bad("a line is not key=value");
    std::string key(line.substr(0, equals));
    for (const char c : key) {
      if (!key_character(c)) return bad("a key has characters that no key has");
    }
    auto value = unescape(line.substr(equals + 1));
    if (!value) return bad("a value is not escaped as it should be");
    if (!record.values_.emplace(std::move(key), std::move(*value)).second) {
      return bad("a key is there twice");
    }
  }
  return record;
}

}  // namespace gpusched
