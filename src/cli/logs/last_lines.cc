#include "cli/logs/last_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gpusched::cli {
namespace {

// A line of a log is seldom longer; more is fetched when it is.
constexpr std::uint64_t kBytesPerLine = 200;

std::size_t start_of_last_lines(std::string_view text, std::uint64_t lines) {
  std::size_t at = text.size();
  if (at > 0 && text[at - 1] == '\n') --at;  // The end of the last line.
  while (lines > 0) {
    const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    if (newline == std::string_view::npos) return 0;
    at = newline;
    if (--lines == 0) return at + 1;
  }
  return text.size();
}

}  // namespace

std::string LogRequest::target(std::string_view how) const {
  return fmt::format("/v1/jobs/{}/log?{}{}", id, how, extra);
}

Result<LastLines> last_lines(const Client& client, const LogRequest& log, std::uint64_t lines) {
  std::uint64_t bytes = std::max<std::uint64_t>(lines * kBytesPerLine, 4096);
  Patience patience = client.patience();
  while (true) {
    auto exchange = client.open({.target = log.target(fmt::format("tail={}", bytes))});
    if (!exchange) return failure(exchange.error());
    const std::string size_text = exchange->header("gpusched-log-size");
    auto text = exchange->read_all();
    if (!text && client.far() && is_away(text.error()) && patience.wait_a_moment()) continue;
    if (!text) return failure(text.error());
    std::uint64_t size = text->size();
    std::from_chars(size_text.data(), size_text.data() + size_text.size(), size);
    const std::size_t start = start_of_last_lines(*text, lines);
    const bool whole = text->size() >= size || text->size() < bytes;
    if (start == 0 && !whole) {
      bytes *= 4;
      continue;
    }
    return LastLines{text->substr(start), std::max<std::uint64_t>(size, text->size())};
  }
}

std::string_view after_returns(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t at = line.rfind('\r');
  return at == std::string_view::npos ? line : line.substr(at + 1);
}

}  // namespace gpusched::cli
