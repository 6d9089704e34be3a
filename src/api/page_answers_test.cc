// The page over a real socket, with files of the tests' own.
#include "api/routes/test_routes.h"
#include "http/gzip.h"
#include "tests/support/gunzip.h"

namespace gpusched::testing {
namespace {

constexpr const char* kGzip = "Accept-Encoding: gzip, deflate, br\r\n";
const std::string kIndexText = "<!doctype html><title>t</title>" + std::string(3000, ' ');
const std::string kScriptText = "export const a = 1;\n" + std::string(200'000, '/');

struct Sample {
  explicit Sample(const std::string& text) { Gzip().add(text, true, coded); }
  std::span<const unsigned char> bytes() const {
    return {reinterpret_cast<const unsigned char*>(coded.data()), coded.size()};
  }
  std::string coded;
};

std::span<const PageFile> sample_page() {
  static const Sample index(kIndexText), script(kScriptText), icon("<svg/>");
  static const PageFile files[] = {
      {"assets/index-1a2b3c4d.js", "text/javascript; charset=utf-8", "W/\"1111111111111111\"",
       script.bytes(), kScriptText.size()},
      {"favicon.svg", "image/svg+xml", "W/\"2222222222222222\"", icon.bytes(), 6},
      {"index.html", "text/html; charset=utf-8", "W/\"3333333333333333\"", index.bytes(),
       kIndexText.size()}};
  return files;
}

TestDaemon::Options with_page() {
  TestDaemon::Options options;
  options.page = sample_page();
  return options;
}

class Page : public ::testing::Test {
 protected:
  TestResponse ask(const std::string& target, const std::string& headers = {},
                   const std::string& method = "GET") {
    return testing::ask(daemon.socket(), method, target, {}, headers);
  }
  static std::string header(const TestResponse& response, const std::string& name) {
    const auto it = response.headers.find(name);
    return it == response.headers.end() ? "" : it->second;
  }

  TestDaemon daemon{with_page()};
};

TEST_F(Page, ItsIndexIsAskedForAgainAndItsAssetsAreKept) {
  for (const char* target : {"/", "/index.html", "/?since=1d"}) {
    const TestResponse index = ask(target);
    EXPECT_EQ(index.status, 200) << target;
    EXPECT_EQ(index.body, kIndexText);
    EXPECT_EQ(header(index, "content-type"), "text/html; charset=utf-8");
    EXPECT_EQ(header(index, "cache-control"), "no-cache");
  }
  const TestResponse script = ask("/assets/index-1a2b3c4d.js");
  EXPECT_EQ(script.body, kScriptText);
  EXPECT_EQ(header(script, "content-type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(header(script, "cache-control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(ask("/favicon.ico").body, "<svg/>");
  EXPECT_EQ(header(ask("/favicon.ico"), "content-type"), "image/svg+xml");
}

TEST_F(Page, ComesCompressedToWhoTakesThat) {
  const TestResponse coded = ask("/assets/index-1a2b3c4d.js", kGzip);
  EXPECT_EQ(header(coded, "content-encoding"), "gzip");
  EXPECT_EQ(header(coded, "vary"), "Accept-Encoding");
  EXPECT_EQ(testing::gunzip(coded.body), kScriptText);
  for (const char* no : {"", "Accept-Encoding: br\r\n", "Accept-Encoding: gzip;q=0\r\n"}) {
    const TestResponse plain = ask("/assets/index-1a2b3c4d.js", no);
    EXPECT_EQ(header(plain, "content-encoding"), "");
    EXPECT_EQ(header(plain, "vary"), "Accept-Encoding");
    EXPECT_EQ(plain.body, kScriptText);
  }
}

TEST_F(Page, IsNotSentToWhoHasIt) {
  const std::string tag = header(ask("/"), "etag");
  EXPECT_EQ(tag, "W/\"3333333333333333\"");
  for (const char* method : {"GET", "HEAD"}) {
    const TestResponse known = ask("/", fmt::format("{}If-None-Match: {}\r\n", kGzip, tag), method);
    EXPECT_EQ(known.status, 304);
    EXPECT_EQ(known.body, "");
    EXPECT_EQ(header(known, "content-encoding"), "");
    EXPECT_EQ(header(known, "etag"), tag);
    EXPECT_EQ(header(known, "cache-control"), "no-cache");
  }
  EXPECT_EQ(ask("/", "If-None-Match: W/\"0\"\r\n").status, 200);
}

TEST_F(Page, LoadsAndRunsNothingButItsFiles) {
  for (const char* target : {"/", "/assets/index-1a2b3c4d.js"}) {
    const TestResponse response = ask(target);
    EXPECT_EQ(header(response, "content-security-policy"),
              "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
              "img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
              "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
              "require-trusted-types-for 'script'");
    EXPECT_EQ(header(response, "x-content-type-options"), "nosniff");
    EXPECT_EQ(header(response, "x-frame-options"), "DENY");
    EXPECT_EQ(header(response, "referrer-policy"), "no-referrer");
    EXPECT_EQ(header(response, "cross-origin-opener-policy"), "same-origin");
    EXPECT_EQ(header(response, "cross-origin-resource-policy"), "same-origin");
  }
}

TEST_F(Page, HeadSaysTheSameWithoutABodyAndTheConnectionGoesOn) {
  TestClient client(daemon.socket());
  client.send(
      "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nHEAD /v1/none HTTP/1.1\r\nHost: x\r\n\r\n"
      "GET /favicon.svg HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string read =
      client.read_until([](const std::string& in) { return in.find("<svg/>") != in.npos; });
  EXPECT_TRUE(read.starts_with("HTTP/1.1 200 OK\r\n")) << read;
  EXPECT_NE(read.find(fmt::format("Content-Length: {}\r\n", kIndexText.size())), read.npos);
  EXPECT_EQ(read.find("doctype"), read.npos);
  EXPECT_NE(read.find("\r\n\r\nHTTP/1.1 404 Not Found\r\n"), read.npos) << read;
  EXPECT_EQ(read.find("there is no"), read.npos) << "nor has an error";
}

TEST_F(Page, TakesNoOtherMethod) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    const TestResponse refused = ask("/", {}, method);
    EXPECT_EQ(refused.status, 405) << method;
    EXPECT_EQ(header(refused, "allow"), "GET, HEAD");
    EXPECT_EQ(refused.code(), "invalid");
  }
}

TEST_F(Page, HasNoOtherPaths) {
  for (const char* target :
       {"/assets/index-00000000.js", "/assets", "/assets/..%2findex.html", "/assets/../index.html",
        "/assets%2findex-1a2b3c4d.js", "/index", "/none", "//index.html", "/index.html/x"}) {
    const TestResponse refused = ask(target);
    EXPECT_EQ(refused.status, 404) << target;
    EXPECT_EQ(refused.code(), "not_found");
  }
  EXPECT_NE(ask("/assets/index-00000000.js").message().find("load the page again"),
            std::string::npos);
  EXPECT_EQ(ask("/v1/version").status, 200);
}

TEST(NoPage, SaysHowToGetOne) {
  TestDaemon daemon;
  const TestResponse said = testing::ask(daemon.socket(), "GET", "/");
  EXPECT_EQ(said.status, 200);
  EXPECT_EQ(said.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(said.headers.at("cache-control"), "no-store");
  EXPECT_NE(said.body.find("built without its page"), std::string::npos);
  EXPECT_NE(said.body.find("docs/guide/page.md"), std::string::npos);
  EXPECT_EQ(testing::ask(daemon.socket(), "GET", "/assets/index-1a2b3c4d.js").status, 404);
  EXPECT_EQ(testing::ask(daemon.socket(), "GET", "/favicon.svg").status, 404);
}

}  // namespace
}  // namespace gpusched::testing
