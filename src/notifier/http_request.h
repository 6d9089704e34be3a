// One POST to a receiver, before anything is connected.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gpusched::notifier {

struct HttpRequest {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // Beside those of every request.
  std::string body;                                          // JSON.
};

struct Url {
  bool tls = true;
  std::string host;  // Without brackets.
  std::string port;
  std::string target;  // Path and query.
};
// Errors quote nothing: a URL may be a secret.
Result<Url> parse_url(std::string_view text);
// "key=value" behind what there is.
std::string with_query(std::string url, std::string_view query);
// The path appended, with one slash between; a query stays behind it.
std::string with_path(std::string_view url, std::string_view path);
// As a value in a query.
std::string percent_encoded(std::string_view text);

// As it is sent.
std::string request_bytes(const Url& url, const HttpRequest& request);

}  // namespace gpusched::notifier
