#include "http/answer_form.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "http/gzip.h"
#include "http/head.h"

namespace gpusched {
namespace {

// What is shorter fits into one packet or two anyway.
constexpr std::size_t kWorthIt = 2U << 10;
// What is longer is compressed beside the loop.
constexpr std::size_t kOnTheLoop = 16U << 10;
constexpr std::size_t kPiece = 128U << 10;

// Streams of events and lines have to arrive as they come, and bytes may be of any kind.
bool has_text(const HttpResponse& response) {
  return response.content_type == "application/json" ||
         response.content_type == "application/yaml" ||
         response.content_type.starts_with("text/plain") ||
         response.content_type.starts_with("application/openmetrics-text");
}

// A stream that is compressed piece by piece on a thread, in its user's turn.
class CodedStream : public std::enable_shared_from_this<CodedStream> {
 public:
  CodedStream(PullFn plain, Responder responder, std::uint32_t uid,
              std::shared_ptr<Background> coders)
      : plain_(std::move(plain)),
        responder_(std::move(responder)),
        uid_(uid),
        coders_(std::move(coders)) {}

  Pull pull(std::string& out) {
    if (work_->busy) return Pull::kWait;
    if (!work_->coded.empty()) {
      out += std::exchange(work_->coded, {});
      return said_ == Pull::kEnd ? Pull::kEnd : Pull::kMore;
    }
    std::string piece;
    said_ = plain_(piece);
    const bool last = said_ == Pull::kEnd;
    if (said_ == Pull::kAbort || (piece.empty() && !last)) return said_;
    work_->busy = true;
    work_->piece = std::move(piece);
    // The thread has nothing of the stream itself, which belongs to the loop.
    coders_->post(uid_, [work = work_, last, self = weak_from_this()]() -> Background::Then {
      work->gzip.add(work->piece, last, work->coded);
      return [work, self] {
        work->busy = false;
        if (const auto stream = self.lock()) stream->responder_.wake();
      };
    });
    return Pull::kWait;
  }

 private:
  struct Work {
    Gzip gzip;
    std::string piece, coded;
    bool busy = false;  // The thread has it.
  };

  PullFn plain_;
  Responder responder_;
  std::uint32_t uid_;
  std::shared_ptr<Background> coders_;
  std::shared_ptr<Work> work_ = std::make_shared<Work>();
  Pull said_ = Pull::kMore;
};

// A body as a stream of pieces.
PullFn pieces_of(std::string body) {
  return [body = std::make_shared<const std::string>(std::move(body)),
          at = std::size_t{0}](std::string& out) mutable {
    const std::size_t size = std::min(kPiece, body->size() - at);
    out.append(*body, at, size);
    at += size;
    return at == body->size() ? Pull::kEnd : Pull::kMore;
  };
}

}  // namespace

AnswerForm::AnswerForm(const HttpRequest& request, std::uint32_t account,
                       std::shared_ptr<Background> coders)
    : account_(account), coders_(std::move(coders)) {
  const auto header = [&request](const char* name) {
    const auto it = request.headers.find(name);
    return it == request.headers.end() ? std::string() : it->second;
  };
  if (request.method == "GET" || request.method == "HEAD") known_ = header("if-none-match");
  gzip_ = accepts_gzip(header("accept-encoding"));
}

void AnswerForm::shape(HttpResponse& response, const Responder& responder) const {
  if (known_ && !response.stream) tag_version(response, *known_);
  // Who says on what it depends has shaped it.
  const auto shaped = [](const auto& header) { return header.first == "Vary"; };
  if (std::ranges::any_of(response.headers, shaped)) return;
  if (!has_text(response) || response.status >= 400) return;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  const bool worth_it = response.stream || response.body.size() >= kWorthIt;
  if (!gzip_ || !worth_it) return;
  response.headers.emplace_back("Content-Encoding", "gzip");
  if (!response.stream && response.body.size() <= kOnTheLoop) {
    std::string coded;
    Gzip().add(response.body, true, coded);
    response.body = std::move(coded);
    return;
  }
  PullFn plain = response.stream ? std::move(response.stream) : pieces_of(std::move(response.body));
  const auto coded = std::make_shared<CodedStream>(std::move(plain), responder, account_, coders_);
  response.stream = [coded](std::string& out) { return coded->pull(out); };
  response.body.clear();
}

}  // namespace gpusched
