// An answer on which the daemon tells lines for as long as the connection is open.
#pragma once

#include <string>
#include <vector>

#include "client/client.h"

namespace gpusched {

class LineStream {
 public:
  // `patience` is for the head of the answer.
  static Result<LineStream> open(const Client& client, const std::string& target,
                                 std::chrono::milliseconds patience);

  // Those that have come, perhaps none, after at most so long. An error: the stream is over.
  Result<std::vector<std::string>> lines(std::chrono::milliseconds most);
  int fd() const { return exchange_.fd(); }

 private:
  explicit LineStream(Exchange exchange) : exchange_(std::move(exchange)) {}
  Result<std::vector<std::string>> take_lines_of(const Result<std::string>& bytes);

  Exchange exchange_;
  std::string rest_;  // A line without its end.
};

}  // namespace gpusched
