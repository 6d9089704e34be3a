#include "notifier/http_post.h"

#include <utility>

#include "notifier/connection.h"

namespace gpusched::notifier {
namespace {

// Head, body and their wrapping: who sends more is not heard to the end.
constexpr std::size_t kAnswerMost = 256U << 10;

// The reader's own words speak of a daemon.
tl::unexpected<Error> no_http() {
  return failure(ErrorCode::kUnavailable, "its answer is not HTTP");
}

}  // namespace

Result<bool> AnswerReader::take(std::string_view bytes) {
  taken_ += bytes.size();
  answer_.arrived() += bytes;
  while (!has_head_) {
    const auto complete = answer_.read_head();
    if (!complete) return no_http();
    if (!*complete) return taken_ > kAnswerMost ? Result<bool>(no_http()) : false;
    if (answer_.status() >= 200) {
      has_head_ = true;
      said_.status = answer_.status();
      said_.retry_after = answer_.header("retry-after");
    } else {
      // "Go on" and the like come before the answer.
      std::string rest = std::exchange(answer_.arrived(), {});
      answer_ = HttpAnswer();
      answer_.arrived() = std::move(rest);
    }
  }
  return take_body();
}

Result<bool> AnswerReader::take_body() {
  const auto body = answer_.take_body();
  if (!body) return no_http();
  said_.body += *body;
  const bool too_long = said_.body.size() > kAnswerBodyMost || taken_ > kAnswerMost;
  if (said_.body.size() > kAnswerBodyMost) said_.body.resize(kAnswerBodyMost);
  return answer_.ended() || too_long;
}

Result<void> AnswerReader::close() {
  if (!has_head_) {
    return failure(ErrorCode::kUnavailable, "it closed the connection without an answer");
  }
  // Ignoring failure: the status has been said, and says more than the rest of the body.
  (void)answer_.close();
  return {};
}

Result<AnswerSaid> post(const HttpRequest& request, const std::string& authorities, Boot deadline) {
  const auto url = parse_url(request.url);
  if (!url) return failure(url.error());
  auto connection = Connection::open({url->host, url->port, !url->tls}, deadline);
  if (!connection) return failure(connection.error());
  if (url->tls) {
    if (auto begun = connection->start_tls(authorities, true); !begun) {
      return failure(begun.error());
    }
  }
  // A receiver may answer, and hang up, before it has read everything.
  const auto sent = connection->write(request_bytes(*url, request));
  AnswerReader reader;
  while (true) {
    std::string bytes;
    const auto more = connection->read(bytes);
    // Once the status is there it counts: a message must not go twice for the sake of a slow body.
    if (!more && reader.has_status()) break;
    if (!more) return failure(sent ? more.error() : sent.error());
    if (!*more) break;
    const auto complete = reader.take(bytes);
    if (!complete) return failure(complete.error());
    if (*complete) {
      connection->end();
      return reader.said();
    }
  }
  if (auto closed = reader.close(); !closed) return failure(sent ? closed.error() : sent.error());
  return reader.said();
}

}  // namespace gpusched::notifier
