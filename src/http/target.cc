#include "http/target.h"

#include <fmt/format.h>

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

// Calls `take` with each piece between separators.
template <class Take>
void split(std::string_view text, char separator, Take take) {
  while (true) {
    const std::size_t at = text.find(separator);
    take(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

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
  std::optional<Error> fault;
  split(path, '/', [&](std::string_view piece) {
    std::optional<std::string> decoded = percent_decoded(piece, false);
    if (!decoded) {
      fault = Error{ErrorCode::kInvalid, "the target has a broken percent escape"};
    } else {
      parsed.segments.push_back(std::move(*decoded));
    }
  });
  if (mark != std::string_view::npos && mark + 1 < target.size()) {
    split(target.substr(mark + 1), '&', [&](std::string_view piece) {
      if (piece.empty()) return;
      const std::size_t equals = piece.find('=');
      std::optional<std::string> name = percent_decoded(piece.substr(0, equals), true);
      std::optional<std::string> value = percent_decoded(
          equals == std::string_view::npos ? std::string_view{} : piece.substr(equals + 1), true);
      if (!name || !value) {
        fault = Error{ErrorCode::kInvalid, "the query has a broken percent escape"};
      } else if (!parsed.query.emplace(*name, std::move(*value)).second) {
        fault = Error{ErrorCode::kInvalid, fmt::format("the query names {} twice", *name)};
      }
    });
  }
  if (fault) return failure(std::move(*fault));
  return parsed;
}

}  // namespace gpusched
