// One POST and its answer, within the time of the try.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "client/answer.h"
#include "notifier/http_request.h"
#include "notifier/http_verdict.h"

namespace gpusched::notifier {

// `authorities` as for Connection. Errors: kInvalid and kForbidden will not go away by themselves.
Result<AnswerSaid> post(const HttpRequest& request, const std::string& authorities, Boot deadline);

// An answer out of bytes as they come. What is too long of a body is left out.
class AnswerReader {
 public:
  // True: the answer is there. Errors: what came is no HTTP.
  Result<bool> take(std::string_view bytes);
  // Nothing more comes.
  Result<void> close();
  bool has_status() const { return has_head_; }
  const AnswerSaid& said() const { return said_; }

 private:
  Result<bool> take_body();

  HttpAnswer answer_;
  bool has_head_ = false;
  std::size_t taken_ = 0;
  AnswerSaid said_;
};

}  // namespace gpusched::notifier
