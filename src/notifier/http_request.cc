#include "notifier/http_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kUrlMost = 4096;

tl::unexpected<Error> bad_url(const char* why) {
  return failure(ErrorCode::kInvalid, fmt::format("its url {}", why));
}

bool is_host_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '-' || letter == '.' || letter == '_' ||
         letter == ':';
}

// Host and port off the authority of a URL.
Result<void> read_authority(std::string_view authority, Url& url) {
  if (authority.find('@') != std::string_view::npos) {
    return bad_url("has a user name in it; put a token into secret_file instead");
  }
  std::string_view host = authority;
  std::string_view port;
  const bool bracketed = authority.starts_with('[');
  const std::size_t end = bracketed ? authority.find(']') : authority.rfind(':');
  if (bracketed) {
    if (end == std::string_view::npos) return bad_url("has no end of its address");
    host = authority.substr(1, end - 1);
    std::string_view rest = authority.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':')) return bad_url("has a wrong port");
    if (!rest.empty()) port = rest.substr(1);
  } else if (end != std::string_view::npos) {
    host = authority.substr(0, end);
    port = authority.substr(end + 1);
    if (host.find(':') != std::string_view::npos) return bad_url("has a wrong port");
  }
  if (host.empty() || host.size() > 255 || !std::ranges::all_of(host, is_host_letter)) {
    return bad_url("names no host");
  }
  int number = url.tls ? 443 : 80;
  if (!port.empty() && (!whole_number(port, number, 10) || number < 1 || number > 65535)) {
    return bad_url("has a wrong port");
  }
  url.host = host;
  url.port = std::to_string(number);
  return {};
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  if (text.empty()) return failure(ErrorCode::kInvalid, "it has no url");
  const auto is_printable = [](char letter) { return letter > ' ' && letter < '\x7f'; };
  if (text.size() > kUrlMost || !std::ranges::all_of(text, is_printable)) {
    return bad_url("has characters that no URL has");
  }
  Url url;
  url.tls = text.starts_with("https://");
  if (!url.tls && !text.starts_with("http://")) {
    return bad_url("must begin with https://, or http:// on this machine");
  }
  text.remove_prefix(url.tls ? 8 : 7);
  text = text.substr(0, text.find('#'));
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  if (auto read = read_authority(text.substr(0, end), url); !read) return failure(read.error());
  url.target = text.substr(end);
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return url;
}

std::string with_query(std::string url, std::string_view query) {
  url += url.find('?') == std::string::npos ? '?' : '&';
  return url += query;
}

std::string with_path(std::string_view url, std::string_view path) {
  const std::size_t end = std::min(url.find('?'), url.size());
  std::string_view before = url.substr(0, end);
  while (before.ends_with('/')) before.remove_suffix(1);
  return fmt::format("{}/{}{}", before, path, url.substr(end));
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') ||
                       std::string_view("-._~").find(letter) != std::string_view::npos;
    if (plain) {
      out += letter;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return out;
}

std::string request_bytes(const Url& url, const HttpRequest& request) {
  const bool usual = url.port == (url.tls ? "443" : "80");
  const bool v6 = url.host.find(':') != std::string::npos;
  std::string out = fmt::format("POST {} HTTP/1.1\r\nHost: {}{}{}{}\r\n", url.target, v6 ? "[" : "",
                                url.host, v6 ? "]" : "", usual ? "" : ":" + url.port);
  out += "User-Agent: gpusched-notifier/" GPUSCHED_VERSION "\r\n";
  out += "Content-Type: application/json; charset=utf-8\r\nAccept: */*\r\nConnection: close\r\n";
  for (const auto& [name, value] : request.headers) {
    std::string clean;
    for (const char letter : value) {
      if (letter >= ' ' && letter < '\x7f') clean += letter;
    }
    out += fmt::format("{}: {}\r\n", name, clean);
  }
  out += fmt::format("Content-Length: {}\r\n\r\n", request.body.size());
  return out + request.body;
}

}  // namespace gpusched::notifier
