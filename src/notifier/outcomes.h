// What an error means for a delivery.
#pragma once

#include "base/result.h"
#include "wire/notifier_lines.h"

namespace gpusched::notifier {

// What will not go away by itself is refused; all else may work later.
inline DeliveryOutcome outcome_of(const Delivery& delivery, const Error& error) {
  const bool lasting = error.code == ErrorCode::kInvalid || error.code == ErrorCode::kForbidden ||
                       error.code == ErrorCode::kUnsupported;
  return {.id = delivery.id,
          .result = lasting ? DeliveryResult::kRefused : DeliveryResult::kAgain,
          .error = error.message};
}

}  // namespace gpusched::notifier
