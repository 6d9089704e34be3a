// Facts about one thing, a line each with its label before it.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "cli/display.h"
#include "cli/render/render.h"

namespace gpusched::cli {

// "Label:        value", the value wrapped under itself; nothing for an empty value.
class Sheet {
 public:
  static constexpr std::size_t kLabelWidth = 14;

  explicit Sheet(const Page& page) : page_(page) {}
  void line(std::string_view label, const std::string& value) {
    if (value.empty()) return;
    const std::string head = fmt::format("{:<{}}", fmt::format("{}:", label), kLabelWidth);
    text_ += styled(head, Style::kDim, page_.colour) +
             wrapped(escaped(value), page_.width, kLabelWidth) + "\n";
  }
  void time(std::string_view label, const std::optional<Wall>& at) {
    if (at) line(label, local_time(*at, page_));
  }
  std::string take() { return std::move(text_); }

 private:
  const Page& page_;
  std::string text_;
};

}  // namespace gpusched::cli
