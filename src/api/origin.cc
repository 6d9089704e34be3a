#include "api/origin.h"

#include <fmt/format.h>

#include "base/text.h"
#include "os/tcp_address.h"

namespace gpusched {
namespace {

const std::string* header_of(const HttpRequest& request, const char* name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? nullptr : &found->second;
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// In the one way in which we write it; empty: it is no address.
std::string address_in(const std::string& text, bool brackets) {
  const auto address = parse_tcp_address(brackets ? "[" + text + "]:1" : text + ":1");
  return address ? address->host() : std::string();
}

bool is_loopback_name(const std::string& name) {
  if (name == "localhost" || name.ends_with(".localhost")) return true;
  const bool six = name.find(':') != std::string::npos;
  const auto address = parse_tcp_address(six ? "[" + name + "]:1" : name + ":1");
  return address && address->is_loopback();
}

}  // namespace

std::string name_in_host(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return {};
    const std::string_view rest = host.substr(end + 1);
    if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return {};
    return address_in(std::string(host.substr(1, end - 1)), true);
  }
  const std::size_t colon = host.find(':');
  if (colon != std::string_view::npos && !is_port(host.substr(colon + 1))) return {};
  std::string name = lower_case(std::string(host.substr(0, colon)));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

std::optional<Error> refuses_host(const HttpRequest& request, const std::set<std::string>& names) {
  // No browser leaves it out.
  const std::string* host = header_of(request, "host");
  if (host == nullptr) return std::nullopt;
  const std::string name = name_in_host(*host);
  // A socket has no name, and clients write some word there. But a browser may come through a
  // tunnel, and the foreign name that has led it there is one of the whole net: it has a dot.
  const bool any_word = name.find_first_of(".:") == std::string::npos;
  if (!request.peer.network && any_word) return std::nullopt;
  // A certificate may be for all of a domain.
  const std::size_t dot = name.find('.');
  const bool in_domain = dot != std::string::npos && names.contains("*" + name.substr(dot));
  const bool ours =
      is_loopback_name(name) || name == request.peer.reached || names.contains(name) || in_domain;
  if (!name.empty() && ours) return std::nullopt;
  return Error{ErrorCode::kForbidden,
               fmt::format("this daemon is not called \"{}\"; if it should be, the setting "
                           "network.names must have that name",
                           host->substr(0, 100))};
}

bool is_over_tls(const HttpRequest& request) {
  const std::string* origin = header_of(request, "origin");
  return request.peer.tls || (origin != nullptr && origin->starts_with("https://"));
}

std::optional<Error> refuses_origin(const HttpRequest& request, bool with_cookie) {
  if (request.method == "GET" || request.method == "HEAD") return std::nullopt;
  const auto refusal = [](std::string_view why) {
    return Error{ErrorCode::kForbidden,
                 fmt::format("a change is taken from our own page only: {}", why)};
  };
  const std::string* site = header_of(request, "sec-fetch-site");
  if (const std::string* origin = header_of(request, "origin")) {
    const std::string* host = header_of(request, "host");
    // A proxy may speak TLS for us. The other way round somebody in between has made the page.
    const bool ours = host != nullptr &&
                      (lower_case(*origin) == "https://" + lower_case(*host) ||
                       (!request.peer.tls && lower_case(*origin) == "http://" + lower_case(*host)));
    if (!ours) return refusal(fmt::format("Origin is \"{}\"", origin->substr(0, 100)));
  } else if (with_cookie && site == nullptr) {
    return refusal("with a cookie, the header Origin must say so");
  }
  // "none": somebody has typed it in.
  if (site != nullptr && *site != "same-origin" && (with_cookie || *site != "none")) {
    return refusal(fmt::format("Sec-Fetch-Site is \"{}\"", site->substr(0, 100)));
  }
  return std::nullopt;
}

}  // namespace gpusched
