#include "cli/screen_modes.h"

#include <algorithm>
#include <array>

#include "base/number.h"

namespace gpusched::cli {
namespace {

// Alternate screens, kinds of mouse reports, focus reports, bracketed paste, arrow keys of
// programs.
constexpr std::array kOffOtherwise = {1,    9,    47,   1000, 1001, 1002, 1003,
                                      1004, 1005, 1006, 1015, 1047, 1049, 2004};
constexpr int kCursor = 25;
constexpr std::size_t kNumbersMost = 64;

bool is_off_otherwise(int mode) {
  return std::ranges::find(kOffOtherwise, mode) != kOffOtherwise.end();
}

}  // namespace

void ScreenModes::see(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\x1b') {
      at_ = At::kEscape;
    } else if (at_ == At::kEscape) {
      at_ = c == '[' ? At::kBracket : At::kText;
    } else if (at_ == At::kBracket) {
      at_ = c == '?' ? At::kNumbers : At::kText;
      numbers_.clear();
    } else if (at_ == At::kNumbers) {
      const bool goes_on = (c >= '0' && c <= '9') || c == ';';
      if (goes_on && numbers_.size() < kNumbersMost) {
        numbers_ += c;
        continue;
      }
      at_ = At::kText;
      if (c == 'h' || c == 'l') end_of_sequence(c == 'h');
    }
  }
}

void ScreenModes::end_of_sequence(bool on) {
  std::string_view rest = numbers_;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    int mode = 0;
    if (!whole_number(word, mode)) continue;
    if (mode == kCursor) hidden_cursor_ = !on;
    if (!is_off_otherwise(mode)) continue;
    if (on) {
      on_.insert(mode);
    } else {
      on_.erase(mode);
    }
  }
}

std::string ScreenModes::undo() const {
  std::string bytes;
  for (const int mode : on_) bytes += "\x1b[?" + std::to_string(mode) + "l";
  if (hidden_cursor_) bytes += "\x1b[?25h";
  if (!bytes.empty()) bytes += "\x1b[0m";
  return bytes;
}

}  // namespace gpusched::cli
