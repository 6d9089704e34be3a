// What an HTTP answer means for a delivery. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/notifier_lines.h"

namespace gpusched::notifier {

inline constexpr std::size_t kAnswerBodyMost = 64U << 10;

struct AnswerSaid {
  int status = 0;
  std::string retry_after;  // The header, as it came.
  std::string body;         // At most kAnswerBodyMost.
};

// With a sentence where it is not delivered; what the receiver said is quoted without secrets.
DeliveryOutcome verdict_on(const Delivery& delivery, const AnswerSaid& answer);

// "120", or a date as HTTP writes it; at most a day. Nothing if it is neither.
std::optional<Seconds> read_retry_after(std::string_view text, Wall now);

}  // namespace gpusched::notifier
