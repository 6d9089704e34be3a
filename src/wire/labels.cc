#include "wire/labels.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpusched {
namespace {

using Fault = std::optional<std::string>;
constexpr std::size_t kTagsMost = 64;

template <class Value>
Fault fault_of_value(std::string_view, const Value&, std::uint64_t) {
  return std::nullopt;
}
Fault fault_of_value(std::string_view field, const std::string& text, std::uint64_t most) {
  return fault_of_label(field, text, most);
}
Fault fault_of_value(std::string_view field, const std::vector<std::string>& texts,
                     std::uint64_t most) {
  if (texts.size() > kTagsMost) {
    return fmt::format("{} has {} entries; at most {} are kept", field, texts.size(), kTagsMost);
  }
  for (const std::string& text : texts) {
    if (text.empty()) return fmt::format("{} must not hold an empty string", field);
    if (Fault fault = fault_of_label(field, text, most)) return fault;
  }
  return std::nullopt;
}

}  // namespace

Fault fault_of_label(std::string_view field, std::string_view text, std::uint64_t most) {
  if (text.size() > most) {
    return fmt::format("{} has {} bytes; at most {} are kept", field, text.size(), most);
  }
  const bool control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (control) return fmt::format("{} must not contain control characters", field);
  return std::nullopt;
}

Fault fault_of_labels(const JobSpec& spec, FieldName name) {
  Fault fault;
  for_each_spec_field([&](const auto& row) {
    if (!fault && row.terms.most > 0) {
      fault = fault_of_value(name(row.name), row.in(spec), row.terms.most);
    }
  });
  return fault;
}

}  // namespace gpusched
