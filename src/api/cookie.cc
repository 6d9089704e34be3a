#include "api/cookie.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace gpusched {
namespace {

// RFC 6265, without the quotes that some allow: we never write them.
bool is_cookie_octet(char c) {
  return c > ' ' && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
}

}  // namespace

std::optional<std::string_view> cookie_in(std::string_view header, std::string_view name) {
  std::optional<std::string_view> found;
  std::size_t pairs = 0;
  while (!header.empty()) {
    if (++pairs > kCookiesMost) return std::nullopt;
    std::string_view pair = take_until(header, ';');
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    while (pair.ends_with(' ')) pair.remove_suffix(1);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
    const std::string_view value = pair.substr(equals + 1);
    if (found || value.empty() || !std::ranges::all_of(value, is_cookie_octet)) return std::nullopt;
    found = value;
  }
  return found;
}

std::string set_cookie(bool secure, std::string_view value, long seconds) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict{}; Max-Age={}",
                     secure ? kSecureCookie : kPlainCookie, value, secure ? "; Secure" : "",
                     value.empty() ? 0 : seconds);
}

}  // namespace gpusched
