#include "api/page_answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "http/gzip.h"

namespace gpusched {
namespace {

constexpr std::string_view kIndex = "index.html";
constexpr std::string_view kAssets = "assets/";

// Styles and scripts are files of ours; what becomes markup or code must be made by us.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

constexpr const char* kNoPage =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>gpusched</title>\n<h1>This gpuschedd was built without its page</h1>\n"
    "<p>The page is made by npm, with Node.js 18 or newer, when gpusched is built; neither was "
    "there, or packages could not be fetched. Install them, build again and restart the daemon: "
    "docs/guide/page.md says how.</p>\n"
    "<p>Everything else works: <code>gpusched</code> and <code>gpusched top</code> show the same "
    "in a terminal, and the API is at <code>/v1</code>.</p>\n";

// Without the slash before it. Segments that were decoded to hold one are no path of ours.
std::string page_path(const HttpRequest& request) {
  std::string path;
  for (const std::string& segment : request.segments) {
    if (segment.find('/') != std::string::npos) return "/";
    path += "/" + segment;
  }
  return path.size() <= 1 ? std::string(kIndex) : path.substr(1);
}

void add_policy(HttpResponse& response) {
  response.headers.insert(response.headers.end(), {{"Content-Security-Policy", kPolicy},
                                                   {"Cross-Origin-Opener-Policy", "same-origin"},
                                                   {"Cross-Origin-Resource-Policy", "same-origin"},
                                                   {"Referrer-Policy", "no-referrer"},
                                                   {"X-Content-Type-Options", "nosniff"},
                                                   {"X-Frame-Options", "DENY"}});
}

HttpResponse no_page() {
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.body = kNoPage;
  response.headers = {{"Cache-Control", "no-store"}};
  add_policy(response);
  return response;
}

HttpResponse wrong_method(const HttpRequest& request) {
  HttpResponse response =
      error_response({ErrorCode::kInvalid, fmt::format("the page does not take {}, only GET, HEAD",
                                                       request.method.substr(0, 20))});
  response.status = 405;
  response.headers = {{"Allow", "GET, HEAD"}};
  return response;
}

}  // namespace

const PageFile* PageAnswers::find(std::string_view path) const {
  const auto same = [path](const PageFile& file) { return file.path == path; };
  const auto found = std::ranges::find_if(files_, same);
  return found == files_.end() ? nullptr : &*found;
}

std::optional<HttpResponse> PageAnswers::answer(const HttpRequest& request) {
  const std::string path = page_path(request);
  const PageFile* file = find(path);
  // Browsers ask for it unasked.
  if (file == nullptr && path == "favicon.ico") file = find("favicon.svg");
  const bool asset = path.starts_with(kAssets);
  if (file == nullptr && path != kIndex && !asset) return std::nullopt;
  if (request.method != "GET" && request.method != "HEAD") return wrong_method(request);
  if (file != nullptr) return file_answer(*file, request);
  if (!asset) return no_page();
  return error_response({ErrorCode::kNotFound,
                         "the page of this daemon has no such file; perhaps it is another version "
                         "by now: load the page again"});
}

HttpResponse PageAnswers::file_answer(const PageFile& file, const HttpRequest& request) {
  HttpResponse response;
  response.content_type = file.type;
  const bool for_ever = file.path.starts_with(kAssets);
  response.headers = {
      {"Cache-Control", for_ever ? "public, max-age=31536000, immutable" : "no-cache"},
      {"ETag", std::string(file.tag)},
      {"Vary", "Accept-Encoding"}};
  add_policy(response);
  const std::string_view coded(reinterpret_cast<const char*>(file.gzip.data()), file.gzip.size());
  const auto accepts = request.headers.find("accept-encoding");
  if (accepts != request.headers.end() && accepts_gzip(accepts->second)) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = coded;
    return response;
  }
  auto plain = plain_.find(file.path);
  if (plain == plain_.end()) {
    auto text = gunzip(coded, file.bytes);
    CHECK(text.has_value());  // It was made when we were built.
    plain = plain_.emplace(file.path, std::move(*text)).first;
  }
  response.body = plain->second;
  return response;
}

}  // namespace gpusched
