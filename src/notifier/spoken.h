// What a receiver said, fit for an error: one short line without anything secret.
#pragma once

#include <string>
#include <string_view>

#include "wire/notifier_lines.h"

namespace gpusched::notifier {

std::string spoken(const Delivery& delivery, std::string_view said);

}  // namespace gpusched::notifier
