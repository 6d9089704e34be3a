#include "store/number_line.h"

#include <charconv>

namespace gpusched {
namespace {

std::uint64_t line_sum(std::string_view text) {
  std::uint64_t sum = 14695981039346656037ULL;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return sum;
}

std::optional<std::uint64_t> take_line_number(std::string_view& text) {
  if (!text.starts_with(' ')) return std::nullopt;
  text.remove_prefix(1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::string number_line(std::string_view begin, const std::vector<std::uint64_t>& numbers) {
  std::string line(begin);
  for (const std::uint64_t number : numbers) line += ' ' + std::to_string(number);
  line += ' ' + std::to_string(line_sum(line));
  return line + '\n';
}

std::optional<std::vector<std::uint64_t>> read_number_line(std::string_view begin,
                                                           std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(begin)) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  std::string_view rest = line.substr(begin.size());
  std::vector<std::uint64_t> numbers;
  std::string_view said = line;
  while (!rest.empty()) {
    said = line.substr(0, line.size() - rest.size());
    const auto number = take_line_number(rest);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.empty() || numbers.back() != line_sum(said)) return std::nullopt;
  numbers.pop_back();
  return numbers;
}

}  // namespace gpusched
