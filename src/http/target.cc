#include "http/target.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace gpusched {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

tl::unexpected<Error> invalid(const char* what, std::string_view text) {
  return failure(ErrorCode::kInvalid, fmt::format("{}: {}", what, text.substr(0, 200)));
}

std::string percent_encoded_piece(std::string_view text) {
  constexpr std::string_view kPlain = "-._~,@";
  std::string out;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

}  // namespace

std::string target_text(const HttpTarget& target) {
  std::string out;
  for (const std::string& segment : target.segments) out += "/" + percent_encoded_piece(segment);
  char mark = '?';
  for (const auto& [name, value] : target.query) {
    out += std::exchange(mark, '&') + percent_encoded_piece(name) + "=";
    out += percent_encoded_piece(value);
  }
  return out;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Result<HttpTarget> parse_target(std::string_view target) {
  // Proxies and some clients send the absolute form.
  if (target.starts_with("http://")) {
    const std::size_t slash = target.find('/', 7);
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  if (!target.starts_with('/')) return invalid("the target must begin with a slash", target);
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  std::string_view path = target.substr(1, mark == std::string_view::npos ? mark : mark - 1);
  if (path.ends_with('/')) path.remove_suffix(1);

  HttpTarget parsed;
  for (const std::string_view piece : split(path, '/')) {
    std::optional<std::string> decoded = percent_decoded(piece, false);
    if (!decoded) {
      return failure(ErrorCode::kInvalid, "the target has a broken percent escape");
    }
    parsed.segments.push_back(std::move(*decoded));
  }
  if (mark == std::string_view::npos) return parsed;
  for (std::string_view piece : split_nonempty(target.substr(mark + 1), '&')) {
    const std::optional<std::string> name = percent_decoded(take_until(piece, '='), true);
    std::optional<std::string> value = percent_decoded(piece, true);
    if (!name || !value) {
      return failure(ErrorCode::kInvalid, "the query has a broken percent escape");
    }
    if (!parsed.query.emplace(*name, std::move(*value)).second) {
      return failure(ErrorCode::kInvalid, fmt::format("the query names {} twice", *name));
    }
  }
  return parsed;
}

}  // namespace gpusched
