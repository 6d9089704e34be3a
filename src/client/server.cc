#include "client/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/number.h"

namespace gpusched {
namespace {

constexpr std::string_view kSsh = "ssh://";
constexpr std::string_view kUnix = "unix://";

tl::unexpected<Error> wrong(std::string_view text, std::string_view why) {
  return failure(ErrorCode::kInvalid, fmt::format("the server '{}' {}", text, why));
}

// What ssh would take for an option, or a shell for something else, is no name of a machine.
bool is_name(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._@:[]%").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, plain);
}

bool is_port(std::string_view text) {
  std::uint16_t number = 0;
  return whole_number(text, number) && number > 0;
}

Result<Server> parse_ssh(std::string_view text) {
  std::string_view rest = text.substr(kSsh.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  Server server;
  const std::size_t colon = rest.rfind(':');
  // Inside [::1] it is part of the address.
  const std::size_t bracket = rest.rfind(']');
  // So it is in an address that is written without them.
  const bool bare_address = bracket == std::string_view::npos && rest.find(':') != colon;
  const bool has_port = !bare_address && colon != std::string_view::npos &&
                        (bracket == std::string_view::npos || colon > bracket);
  if (has_port) {
    server.port = rest.substr(colon + 1);
    if (!is_port(server.port)) return wrong(text, "has a port that is not one of 1 to 65535");
    rest = rest.substr(0, colon);
  }
  if (!is_name(rest) || rest.ends_with('@')) {
    return wrong(text, "names no machine; write ssh://box or ssh://you@box:22");
  }
  server.machine = rest;
  std::erase_if(server.machine, [](char c) { return c == '[' || c == ']'; });
  if (!is_name(server.machine)) return wrong(text, "names no machine; write ssh://box");
  return server;
}

}  // namespace

Result<Server> parse_server(std::string_view text) {
  if (text.starts_with(kSsh)) return parse_ssh(text);
  const std::string_view path = text.starts_with(kUnix) ? text.substr(kUnix.size()) : text;
  if (path.starts_with('/')) return Server{.sockets = {std::string(path)}};
  if (text.starts_with("http://") || text.starts_with("https://")) {
    return wrong(text, "cannot be reached yet: other machines are reached by ssh://HOST");
  }
  return wrong(text, "is neither ssh://HOST nor the path of a socket");
}

}  // namespace gpusched
