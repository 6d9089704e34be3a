// The Cookie header of a request, and the one cookie that is ours. Others of the same host may have
// left theirs in it; what cannot be read with certainty counts as absent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpusched {

inline constexpr std::size_t kCookiesMost = 64;

// A browser keeps a name with this prefix to one host, over TLS alone: nobody else can set it.
inline constexpr std::string_view kSecureCookie = "__Host-gpusched";
// Over plain HTTP on loopback, where a browser keeps no secure ones.
inline constexpr std::string_view kPlainCookie = "gpusched";

// The value of the cookie `name`. Absent also if it is there twice.
std::optional<std::string_view> cookie_in(std::string_view header, std::string_view name);

// The header that gives a browser this value for so long, or, with an empty value, takes it away.
std::string set_cookie(bool secure, std::string_view value, long seconds);

}  // namespace gpusched
