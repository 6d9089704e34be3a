#include "history/column.h"

namespace gpusched::history {
namespace {

// Seven bits to a byte, lowest first; the eighth says that more follow.
void append_number(std::string& out, std::uint64_t number) {
  while (number >= 0x80) {
    out += static_cast<char>((number & 0x7f) | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
}

std::optional<std::uint64_t> take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

// Small differences of either sign become small numbers. All of it in unsigned arithmetic, which
// wraps: damaged bytes may add up to anything.
std::uint64_t folded(std::uint64_t difference) {
  return (difference << 1) ^ ((difference >> 63) != 0 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unfolded(std::uint64_t number) {
  return (number >> 1) ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0);
}

}  // namespace

void append_column(std::string& out, const std::vector<std::int64_t>& column) {
  std::uint64_t before = 0;
  for (std::size_t at = 0; at < column.size();) {
    std::size_t same = at;
    while (same < column.size() && static_cast<std::uint64_t>(column[same]) == before) ++same;
    if (same > at) {
      append_number(out, (same - at) << 1);
      at = same;
      continue;
    }
    // A single repetition among changes is cheaper as a difference of zero than as a run.
    std::size_t end = at + 1;
    while (end < column.size() && !(column[end] == column[end - 1] &&
                                    (end + 1 == column.size() || column[end + 1] == column[end]))) {
      ++end;
    }
    append_number(out, ((end - at) << 1) | 1);
    for (; at < end; ++at) {
      const auto number = static_cast<std::uint64_t>(column[at]);
      append_number(out, folded(number - before));
      before = number;
    }
  }
}

std::optional<std::vector<std::int64_t>> take_column(std::string_view& bytes, std::size_t size) {
  std::vector<std::int64_t> column;
  column.reserve(size);
  std::uint64_t before = 0;
  while (column.size() < size) {
    const std::optional<std::uint64_t> run = take_number(bytes);
    if (!run || (*run >> 1) == 0 || (*run >> 1) > size - column.size()) return std::nullopt;
    for (std::uint64_t left = *run >> 1; left > 0; --left) {
      if ((*run & 1) != 0) {
        const std::optional<std::uint64_t> number = take_number(bytes);
        if (!number) return std::nullopt;
        before += unfolded(*number);
      }
      column.push_back(static_cast<std::int64_t>(before));
    }
  }
  return column;
}

}  // namespace gpusched::history
