#include "cli/top/gauges.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace gpusched::cli::top {
namespace {

constexpr std::array<std::string_view, 8> kSteps = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kByJobs = "█";
constexpr std::string_view kByOthers = "▒";
constexpr std::string_view kPromised = "░";
constexpr std::string_view kFree = "·";

std::string repeated(std::string_view piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

// The end of a part that begins at nothing. What is there at all gets a cell.
std::size_t cells(double part, double whole, std::size_t width) {
  if (part <= 0 || whole <= 0) return 0;
  const double exact = part / whole * static_cast<double>(width);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(exact)), 1, width);
}

std::uint64_t by_others(const CardView& card) {
  if (card.foreign_bytes) return *card.foreign_bytes;
  std::uint64_t sum = 0;
  for (const ProcessView& process : card.processes) {
    if (!process.job) sum += process.vram_bytes.value_or(0);
  }
  return sum;
}

struct Substitute {
  std::string_view character;
  std::string_view ascii;
};
constexpr std::array kSubstitutes = {
    Substitute{"█", "#"}, Substitute{"▒", "%"},        Substitute{"░", "-"}, Substitute{"·", "."},
    Substitute{"▁", "_"}, Substitute{"▂", "."},        Substitute{"▃", "-"}, Substitute{"▄", "="},
    Substitute{"▅", "+"}, Substitute{"▆", "*"},        Substitute{"▇", "#"}, Substitute{"…", "~"},
    Substitute{"°", ""},  Substitute{"↑↓", "up/down"}, Substitute{"×", "x"}, Substitute{"▼", "v"},
    Substitute{"▲", "^"}};

}  // namespace

std::string memory_bar(const CardView& card, std::size_t width) {
  const SampleView* seen = card.seen();
  if (card.vram_bytes == 0 || seen == nullptr || !seen->used_bytes) return "-";
  const auto whole = static_cast<double>(card.vram_bytes);
  const std::uint64_t used = std::min(*seen->used_bytes, card.vram_bytes);
  const std::uint64_t others = std::min(by_others(card), used);
  const std::uint64_t ours = used - others;
  const std::uint64_t promised = card.held_vram_bytes > ours ? card.held_vram_bytes - ours : 0;
  const std::size_t first = cells(static_cast<double>(ours), whole, width);
  const std::size_t second =
      std::min(cells(static_cast<double>(others), whole, width), width - first);
  const std::size_t third =
      std::min(cells(static_cast<double>(promised), whole, width), width - first - second);
  return repeated(kByJobs, first) + repeated(kByOthers, second) + repeated(kPromised, third) +
         repeated(kFree, width - first - second - third);
}

std::string load_bar(const std::optional<double>& percent, std::size_t width) {
  if (!percent) return "-";
  const std::size_t filled = cells(*percent, 100, width);
  return repeated(kByJobs, filled) + repeated(kFree, width - filled);
}

std::string load_curve(const LoadHistory& history, std::size_t width) {
  const std::size_t shown = std::min(width, history.size());
  std::string out(width - shown, ' ');
  for (std::size_t i = history.size() - shown; i < history.size(); ++i) {
    if (!history[i]) {
      out += ' ';
      continue;
    }
    const double step = std::clamp(*history[i], 0.0, 100.0) / 100 * (kSteps.size() - 1);
    out += kSteps[static_cast<std::size_t>(std::lround(step))];
  }
  return out;
}

std::string used_of_total(const std::optional<std::uint64_t>& used, std::uint64_t total) {
  const std::string whole = total > 0 ? format_size(total) : "-";
  if (!used) return "-/" + whole;
  const std::string part = format_size(*used);
  const std::size_t unit = part.find(' ');
  const std::size_t other = whole.find(' ');
  const bool same = unit != std::string::npos && other != std::string::npos &&
                    part.substr(unit) == whole.substr(other);
  return fmt::format("{}/{}", same ? part.substr(0, unit) : part, whole);
}

std::string in_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto* known = std::ranges::find_if(
        kSubstitutes, [&](const Substitute& s) { return text.starts_with(s.character); });
    if (known != kSubstitutes.end()) {
      out += known->ascii;
      text.remove_prefix(known->character.size());
      continue;
    }
    const auto byte = static_cast<unsigned char>(text.front());
    // One mark per character: bytes that continue one are passed over.
    if (byte < 0x80U) out += text.front();
    if (byte >= 0xC0U) out += '?';
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace gpusched::cli::top
