#include "wire/labels.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpusched {
namespace {

constexpr std::size_t kLabelMost = 255;

}  // namespace

std::optional<std::string> fault_of_label(std::string_view field, std::string_view text) {
  if (text.size() > kLabelMost) {
    return fmt::format("{} has {} bytes; at most {} are kept", field, text.size(), kLabelMost);
  }
  const bool control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (control) return fmt::format("{} must not contain control characters", field);
  return std::nullopt;
}

}  // namespace gpusched
