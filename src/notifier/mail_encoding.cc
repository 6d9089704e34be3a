#include "notifier/mail_encoding.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"

namespace gpusched::notifier {
namespace {

constexpr std::size_t kMailLineMost = 76;
constexpr std::size_t kWordBytes = 42;  // "=?UTF-8?B?" + 56 letters + "?=" is 68.

bool is_plain_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
}

// No half of a character.
std::size_t whole_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  std::size_t size = most;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return size == 0 ? most : size;
}

}  // namespace

std::string header_words(std::string_view text, std::size_t name_size) {
  // What looks like an encoded word, and a long line, are encoded too: then nothing has to be
  // folded where there is no space.
  if (is_plain_ascii(text) && text.find("=?") == std::string_view::npos &&
      name_size + text.size() <= kMailLineMost) {
    return std::string(text);
  }
  std::string out;
  while (!text.empty()) {
    const std::size_t size = whole_characters(text, kWordBytes);
    if (!out.empty()) out += "\r\n ";
    out += "=?UTF-8?B?" + base64(text.substr(0, size)) + "?=";
    text.remove_prefix(size);
  }
  return out;
}

std::string base64_lines(std::string_view bytes) {
  const std::string all = base64(bytes);
  std::string out;
  for (std::size_t i = 0; i < all.size(); i += kMailLineMost) {
    out += all.substr(i, kMailLineMost) + "\r\n";
  }
  return out;
}

std::string quoted_printable(std::string_view text) {
  std::string out;
  std::string line;
  const auto add = [&](const std::string& piece) {
    if (line.size() + piece.size() > kMailLineMost - 1) {
      out += line + "=\r\n";
      line.clear();
    }
    line += piece;
  };
  const auto end_line = [&] {
    // A blank at the end of a line may get lost on its way.
    if (line.ends_with(' ')) {
      line.pop_back();
      add("=20");
    }
    out += line + "\r\n";
    line.clear();
  };
  for (const char letter : text) {
    if (letter == '\n') {
      end_line();
    } else if (letter == '\r') {
      continue;
    } else if (letter >= ' ' && letter < '\x7f' && letter != '=') {
      add(std::string(1, letter));
    } else {
      add(fmt::format("={:02X}", static_cast<unsigned char>(letter)));
    }
  }
  if (!line.empty()) end_line();
  return out;
}

std::string as_data(std::string_view message) {
  std::string out;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    std::string_view line = message.substr(0, end);
    message.remove_prefix(std::min(end + 1, message.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('.')) out += '.';
    out += line;
    out += "\r\n";
  }
  return out + ".\r\n";
}

}  // namespace gpusched::notifier
