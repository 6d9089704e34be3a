#include "notifier/http_request.h"

#include <gtest/gtest.h>

namespace gpusched::notifier {
namespace {

std::string url_parts(std::string_view text) {
  const auto url = parse_url(text);
  if (!url) return url.error().message;
  return std::string(url->tls ? "tls " : "plain ") + url->host + " " + url->port + " " +
         url->target;
}

TEST(HttpRequest, TakesUrlsApart) {
  EXPECT_EQ(url_parts("https://a.example/x?y=1#z"), "tls a.example 443 /x?y=1");
  EXPECT_EQ(url_parts("https://a.example:8443"), "tls a.example 8443 /");
  EXPECT_EQ(url_parts("http://127.0.0.1:80?q"), "plain 127.0.0.1 80 /?q");
  EXPECT_EQ(url_parts("https://[::1]:9/x"), "tls ::1 9 /x");
}

TEST(HttpRequest, RefusesWhatIsNoUrlAndQuotesNothing) {
  EXPECT_EQ(url_parts(""), "it has no url");
  EXPECT_EQ(url_parts("ftp://a/hush"),
            "its url must begin with https://, or http:// on this machine");
  EXPECT_EQ(url_parts("https://a/\r\nHost: b"), "its url has characters that no URL has");
  EXPECT_EQ(url_parts("https:///hush"), "its url names no host");
  EXPECT_EQ(url_parts("https://a:99999/"), "its url has a wrong port");
  EXPECT_EQ(url_parts("https://a:b:1/"), "its url has a wrong port");
  EXPECT_EQ(url_parts("https://[::1/"), "its url has no end of its address");
  EXPECT_EQ(url_parts("https://me:hush@a/"),
            "its url has a user name in it; put a token into secret_file instead");
}

TEST(HttpRequest, IsSentWithItsLengthAndWithoutForeignLines) {
  const HttpRequest request{"https://[::1]:9/x", {{"Authorization", "Bearer a\r\nEvil: b"}}, "{}"};
  EXPECT_EQ(request_bytes(*parse_url(request.url), request),
            "POST /x HTTP/1.1\r\nHost: [::1]:9\r\n"
            "User-Agent: gpusched-notifier/" GPUSCHED_VERSION
            "\r\n"
            "Content-Type: application/json; charset=utf-8\r\nAccept: */*\r\n"
            "Connection: close\r\nAuthorization: Bearer aEvil: b\r\n"
            "Content-Length: 2\r\n\r\n{}");
}

TEST(HttpRequest, AddsToUrls) {
  EXPECT_EQ(with_query("https://a/x", "b=1"), "https://a/x?b=1");
  EXPECT_EQ(with_query("https://a/x?t=2", "b=1"), "https://a/x?t=2&b=1");
  EXPECT_EQ(with_path("https://a/am/", "api"), "https://a/am/api");
  EXPECT_EQ(with_path("https://a?x=1", "api"), "https://a/api?x=1");
  EXPECT_EQ(percent_encoded("a+b/c=="), "a%2Bb%2Fc%3D%3D");
}

}  // namespace
}  // namespace gpusched::notifier
