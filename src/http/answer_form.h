// The form in which one client takes an answer: which version it has already (If-None-Match), and
// whether it takes it compressed (Accept-Encoding). Internal to the server.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/background.h"
#include "http/types.h"

namespace gpusched {

class AnswerForm {
 public:
  AnswerForm() = default;
  // `coders`: where what is large is compressed, beside the loop.
  AnswerForm(const HttpRequest& request, std::uint32_t account, std::shared_ptr<Background> coders);

  // Brings the answer into that form. `responder` is the way that it will go.
  void shape(HttpResponse& response, const Responder& responder) const;

 private:
  std::optional<std::string> known_;  // What the client of a GET or HEAD has.
  bool gzip_ = false;
  std::uint32_t account_ = 0;
  std::shared_ptr<Background> coders_;
};

}  // namespace gpusched
