#include "notifier/smtp_reply.h"

#include <utility>

#include "base/number.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kReplyLineMost = 2048;  // Of 512 by the standard.
constexpr std::size_t kReplyLinesMost = 128;

tl::unexpected<Error> no_smtp() {
  return failure(ErrorCode::kUnavailable, "what answers there is no mail server");
}

}  // namespace

Result<std::optional<SmtpReply>> SmtpReplyReader::take() {
  while (true) {
    const std::size_t end = buffer_.find('\n');
    if (end == std::string::npos) {
      if (buffer_.size() > kReplyLineMost) return no_smtp();
      return std::nullopt;
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    if (line.ends_with('\r')) line.pop_back();
    int code = 0;
    if (line.size() < 3 || line.size() > kReplyLineMost ||
        !whole_number(std::string_view(line).substr(0, 3), code) || code < 200 || code > 599) {
      return no_smtp();
    }
    const char mark = line.size() > 3 ? line[3] : ' ';
    if ((mark != ' ' && mark != '-') || (!reply_.lines.empty() && code != reply_.code) ||
        reply_.lines.size() >= kReplyLinesMost) {
      return no_smtp();
    }
    reply_.code = code;
    reply_.lines.push_back(line.size() > 4 ? line.substr(4) : "");
    if (mark == ' ') return std::exchange(reply_, {});
  }
}

}  // namespace gpusched::notifier
