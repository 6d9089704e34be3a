// Replies of a mail server out of bytes as they come. Pure and bounded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpusched::notifier {

struct SmtpReply {
  int code = 0;                    // 200 to 599.
  std::vector<std::string> lines;  // Without their codes; at least one.
  bool good() const { return code < 400; }
  bool for_now() const { return code >= 400 && code < 500; }
};

class SmtpReplyReader {
 public:
  void arrived(std::string_view bytes) { buffer_ += bytes; }
  // Nothing: it is not complete yet. An error: what came is no mail server.
  Result<std::optional<SmtpReply>> take();
  // Something has come that nobody asked for.
  bool has_more() const { return !buffer_.empty(); }

 private:
  std::string buffer_;
  SmtpReply reply_;
};

}  // namespace gpusched::notifier
