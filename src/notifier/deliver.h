// One try of one delivery, whatever its channel. Waits, at most until the deadline; who calls it
// is a process of its own (couriers.h).
#pragma once

#include "base/time.h"
#include "wire/notifier_lines.h"

namespace gpusched::notifier {

DeliveryOutcome deliver(const Delivery& delivery, Boot deadline);

}  // namespace gpusched::notifier
