#include "http/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>

namespace gpusched {

std::string head_of(const HttpResponse& response, std::string_view framing, bool keep_alive) {
  const auto reason =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(response.status));
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nGpusched-Version: " GPUSCHED_VERSION "\r\nContent-Type: {}\r\n",
      response.status, std::string_view(reason.data(), reason.size()), response.content_type);
  for (const auto& [name, value] : response.headers) {
    head += fmt::format("{}: {}\r\n", name, value);
  }
  head += framing;
  head += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
  return head;
}

void add_browser_headers(HttpResponse& response) {
  const auto add = [&response](const char* name, const char* value) {
    const auto same = [name](const auto& header) { return header.first == name; };
    if (std::ranges::none_of(response.headers, same)) response.headers.emplace_back(name, value);
  };
  add("Cache-Control", "no-store");
  add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  add("Referrer-Policy", "no-referrer");
  add("X-Content-Type-Options", "nosniff");
  add("X-Frame-Options", "DENY");
}

std::string last_words(std::string_view content_type, const Error& why) {
  if (content_type == "text/event-stream") {
    return "event: bye\ndata: " + error_json(why) + "\n\n";
  }
  return content_type == "application/x-ndjson" ? error_json(why) + "\n" : std::string();
}

void tag_version(HttpResponse& response, std::string_view known) {
  if (response.status != 200) return;
  const auto own =
      std::ranges::find(response.headers, "ETag", [](const auto& h) { return h.first; });
  std::string tag;
  if (own != response.headers.end()) {
    tag = own->second;
  } else {
    // Weak: of the same body, by a hash that costs next to nothing.
    tag = fmt::format("W/\"{:016x}\"", std::hash<std::string>{}(response.body));
    response.headers.emplace_back("ETag", tag);
  }
  // As strong ones are compared without their W/, so may be those that a client has kept.
  const bool has = known == "*" || known.find(std::string_view(tag).substr(2)) != known.npos;
  if (!has) return;
  response.status = 304;
  response.body.clear();
  std::erase_if(response.headers, [](const auto& h) { return h.first == "Content-Encoding"; });
}

std::string refusal_bytes(const Error& error) {
  HttpResponse response = error_response(error);
  return head_of(response, fmt::format("Content-Length: {}\r\n", response.body.size()), false) +
         response.body;
}

std::optional<Error> fault_of_request(boost::system::error_code fault, std::uint64_t body_most,
                                      std::uint64_t header_most) {
  namespace http = boost::beast::http;
  if (fault == http::error::body_limit) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("this request's body may have at most {} bytes", body_most)};
  }
  if (fault == http::error::header_limit || fault == http::error::buffer_overflow) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("a request's header may have at most {} bytes", header_most)};
  }
  const bool bad_http =
      fault.category() == http::make_error_code(http::error::bad_method).category() &&
      fault != http::error::end_of_stream && fault != http::error::partial_message;
  if (!bad_http) return std::nullopt;
  return Error{ErrorCode::kInvalid, fmt::format("not an HTTP request: {}", fault.message())};
}

}  // namespace gpusched
