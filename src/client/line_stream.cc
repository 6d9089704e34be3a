#include "client/line_stream.h"

#include "base/text.h"

namespace gpusched {
namespace {

constexpr std::size_t kLineMost = 16U << 20;

}  // namespace

Result<LineStream> LineStream::open(const Client& client, const std::string& target,
                                    std::chrono::milliseconds patience) {
  Result<Exchange> exchange = client.open({.target = target}, patience);
  if (!exchange) return failure(exchange.error());
  return LineStream(std::move(*exchange));
}

Result<std::vector<std::string>> LineStream::lines(std::chrono::milliseconds most) {
  // Something may have come together with the head.
  Result<std::vector<std::string>> found = take_lines_of(exchange_.read_buffered());
  if (!found || !found->empty()) return found;
  if (exchange_.ended()) return daemon_lost("ended the stream");
  return take_lines_of(exchange_.read_within(most));
}

Result<std::vector<std::string>> LineStream::take_lines_of(const Result<std::string>& bytes) {
  if (!bytes) return failure(bytes.error());
  std::vector<std::string> found;
  rest_ += *bytes;
  take_lines(rest_, [&](std::string_view line) { found.emplace_back(line); });
  if (rest_.size() > kLineMost) return daemon_lost("sent a line without an end");
  return found;
}

}  // namespace gpusched
