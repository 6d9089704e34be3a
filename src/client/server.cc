#include "client/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/number.h"
#include "base/text.h"
#include "os/tcp_address.h"

namespace gpusched {
namespace {

constexpr std::string_view kSsh = "ssh://";
constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";
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

// What people write who think of a page; empty: none of these.
std::string_view fault_of_network(std::string_view rest) {
  if (rest.find('@') != std::string_view::npos) {
    return "names a user; a token says who you are, so write https://HOST[:PORT]";
  }
  if (rest.find_first_of("/?#") != std::string_view::npos) {
    return "has a path; write https://HOST[:PORT] alone";
  }
  return {};
}

Result<Server> parse_network(std::string_view text, bool tls) {
  std::string_view rest = text.substr(tls ? kHttps.size() : kHttp.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (const auto fault = fault_of_network(rest); !fault.empty()) return wrong(text, fault);
  Server server{.port = std::string(kUsualPort), .tls = tls};
  const std::size_t colon = rest.rfind(':');
  const std::size_t bracket = rest.rfind(']');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    server.port = rest.substr(colon + 1);
    if (!is_port(server.port)) return wrong(text, "has a port that is not one of 1 to 65535");
    server.port.erase(0, server.port.find_first_not_of('0'));
    rest = rest.substr(0, colon);
  }
  // Only an address in brackets has colons.
  const bool six = parse_tcp_address(fmt::format("{}:0", rest)) && rest.starts_with('[');
  if (six) rest = rest.substr(1, rest.size() - 2);
  if (!six && (!is_name(rest) || rest.find_first_of("@[]%:") != std::string_view::npos)) {
    return wrong(text, "names no machine; write https://box or https://box:7340");
  }
  // One server has one name, by which its certificate is kept.
  server.host = lower_case(rest);
  if (tls || is_loopback_host(server.host)) return server;
  return wrong(text, "would be read by everybody on the way; write https://HOST or ssh://HOST");
}

}  // namespace

std::string Server::name() const {
  const bool six = host.find(':') != std::string::npos;
  return six ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

bool is_token(std::string_view text) {
  constexpr std::size_t kLongest = 1024;
  return !text.empty() && text.size() <= kLongest &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

Result<Server> parse_server(std::string_view as_written) {
  // A scheme is the same in capitals.
  std::string whole(as_written);
  const std::size_t scheme = whole.find("://");
  if (scheme != std::string::npos)
    whole = lower_case(whole.substr(0, scheme)) + whole.substr(scheme);
  const std::string_view text = whole;
  if (text.starts_with(kSsh)) return parse_ssh(text);
  const std::string_view path = text.starts_with(kUnix) ? text.substr(kUnix.size()) : text;
  if (path.starts_with('/')) return Server{.sockets = {std::string(path)}};
  if (text.starts_with(kHttps)) return parse_network(text, true);
  if (text.starts_with(kHttp)) return parse_network(text, false);
  if (scheme == std::string::npos && text.find('/') != std::string_view::npos) {
    return wrong(text,
                 "has no scheme; write https://HOST, ssh://HOST, or a socket by its whole path");
  }
  return wrong(text, "is neither ssh://HOST nor https://HOST nor the path of a socket");
}

}  // namespace gpusched
