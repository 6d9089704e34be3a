#include "notifier/spoken.h"

#include "base/base64.h"
#include "base/text.h"
#include "notifier/http_request.h"
#include "notifier/payload/payload.h"
#include "notifier/plain_text.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kSpokenMost = 200;

void hide(std::string& text, std::string_view secret) {
  // What is that short is no secret, and may be in any word.
  if (secret.size() < 4) return;
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;) {
    text.replace(at, secret.size(), "***");
    at += 3;
  }
}

}  // namespace

std::string spoken(const Delivery& delivery, std::string_view said) {
  std::string text(said.substr(0, 4096));
  const std::string url = url_of(delivery);
  hide(text, url);
  if (const auto parsed = parse_url(url)) {
    hide(text, parsed->target);
    // Each part of it by itself: a token is often the last.
    for (const std::string_view part : split_nonempty(parsed->target, '/')) {
      if (part.size() >= 8) hide(text, part);
    }
  }
  hide(text, delivery.secret);
  hide(text, base64(delivery.secret));
  return cut(one_line(trimmed(text)), kSpokenMost);
}

}  // namespace gpusched::notifier
