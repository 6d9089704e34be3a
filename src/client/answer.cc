#include "client/answer.h"

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "client/away.h"

namespace gpusched {
namespace {

constexpr std::size_t kHeadMost = 64 * 1024;
constexpr std::size_t kHeadersMost = 200;

}  // namespace

Result<bool> HttpAnswer::read_head() {
  const std::size_t first_end = buffer_.find("\r\n");
  if (first_end != std::string::npos &&
      (!buffer_.starts_with("HTTP/1.") || first_end < 12 ||
       !whole_number(std::string_view(buffer_).substr(9, 3), status_, 10))) {
    return failure(ErrorCode::kUnsupported, "what answers there is no gpusched daemon");
  }
  const std::size_t end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (buffer_.size() > kHeadMost) return daemon_lost("sent a header without an end");
    return false;
  }
  std::string_view lines = std::string_view(buffer_).substr(0, end + 2);
  lines.remove_prefix(first_end + 2);
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find("\r\n"));
    lines.remove_prefix(line.size() + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || headers_.size() > kHeadersMost) {
      return daemon_lost("sent a broken header");
    }
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    headers_.emplace_back(lower_case(line.substr(0, colon)), value);
  }
  buffer_.erase(0, end + 4);
  if (auto framed = read_framing(); !framed) return failure(framed.error());
  return true;
}

std::string HttpAnswer::header(std::string_view name) const {
  const auto found = std::ranges::find(headers_, name, [](const auto& one) { return one.first; });
  return found == headers_.end() ? "" : found->second;
}

Result<void> HttpAnswer::read_framing() {
  if (lower_case(header("transfer-encoding")) == "chunked") {
    framing_ = Framing::kChunked;
  } else if (const std::string length = header("content-length"); !length.empty()) {
    framing_ = Framing::kLength;
    if (!whole_number(length, left_, 10)) return daemon_lost("sent a broken header");
    ended_ = left_ == 0;
  } else if (status_ == 204) {
    framing_ = Framing::kLength;
    ended_ = true;
  }
  return {};
}

void HttpAnswer::take(std::string& out) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
  out.append(buffer_, 0, size);
  buffer_.erase(0, size);
  left_ -= size;
}

// False: the line is not complete yet.
Result<bool> HttpAnswer::take_chunk_line() {
  const std::size_t end = buffer_.find("\r\n");
  if (end == std::string::npos) {
    if (buffer_.size() > kHeadMost) return daemon_lost("sent a broken chunk");
    return false;
  }
  const std::string text = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  if (part_ == ChunkPart::kDataEnd) {
    part_ = ChunkPart::kSize;
  } else if (part_ == ChunkPart::kTrailer) {
    ended_ = text.empty();
  } else {
    if (!whole_number(std::string_view(text).substr(0, text.find(';')), left_, 16)) {
      return daemon_lost("sent a broken chunk");
    }
    part_ = left_ > 0 ? ChunkPart::kData : ChunkPart::kTrailer;
  }
  return true;
}

Result<std::string> HttpAnswer::take_body() {
  std::string out;
  if (framing_ == Framing::kUntilClose) return std::exchange(buffer_, {});
  if (framing_ == Framing::kLength) {
    take(out);
    ended_ = left_ == 0;
    return out;
  }
  while (!ended_) {
    if (part_ == ChunkPart::kData) {
      take(out);
      if (left_ > 0) break;
      part_ = ChunkPart::kDataEnd;
    }
    auto complete = take_chunk_line();
    if (!complete) return failure(complete.error());
    if (!*complete) break;
  }
  return out;
}

Result<void> HttpAnswer::close() {
  if (framing_ != Framing::kUntilClose) {
    return daemon_lost("closed the connection while it answered");
  }
  ended_ = true;
  return {};
}

bool HttpAnswer::followed() const {
  return ended_ && framing_ != Framing::kUntilClose && buffer_.empty() &&
         lower_case(header("connection")) != "close";
}

}  // namespace gpusched
