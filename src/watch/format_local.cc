#include "watch/format_local.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/text.h"

namespace gpusched::watch {
namespace {

constexpr std::size_t kLeastModel = 10;
constexpr std::size_t kUnlimited = 1000;
constexpr const char* kUnknown = "-";
constexpr const char* kIndent = "   ";

// What gives way as the terminal gets narrower.
struct Detail {
  std::size_t bar;   // Columns of the memory bar; 0: none.
  bool power_limit;  // "210/300 W" instead of "210 W".
  bool maker;        // "NVIDIA GeForce RTX 4090" instead of "RTX 4090".
  bool uuid_maker;   // "GPU-5c1e0d5e" instead of "5c1e0d5e".
};
constexpr std::array kDetails = {Detail{20, true, true, true},  Detail{10, true, true, true},
                                 Detail{10, true, false, true}, Detail{5, true, false, true},
                                 Detail{5, false, false, true}, Detail{0, false, false, true},
                                 Detail{0, false, false, false}};

// Names come from other users and from drivers: nothing in them may move a cursor, and what is
// wider or narrower than one column would bend the table.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) result += c >= ' ' && c <= '~' ? c : '?';
  return result;
}

std::string cut(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  if (width < 2) return text.substr(0, width);
  return text.substr(0, width - 2) + "..";
}

// "GPU-5c1e0d5e": the maker's prefix and the first group, enough to tell cards apart.
std::string short_uuid(std::string_view uuid, bool maker) {
  constexpr std::size_t kMost = 8;
  const std::size_t dash = std::min(uuid.find('-'), uuid.size());
  const std::string prefix = maker && dash < uuid.size() ? plain(uuid.substr(0, dash + 1)) : "";
  std::string_view rest = dash < uuid.size() ? uuid.substr(dash + 1) : uuid;
  // What is not a UUID but an address is told apart by its end, without the domain's zeros.
  if (rest.starts_with("00000000:")) return prefix + plain(rest.substr(9));
  return prefix + plain(rest.substr(0, std::min(rest.find('-'), kMost)));
}

std::string model_text(std::string_view model, bool maker) {
  if (model.empty()) return kUnknown;
  if (!maker) {
    for (const std::string_view word : {"NVIDIA ", "AMD ", "Intel ", "Apple ", "GeForce ",
                                        "Radeon ", "Instinct ", "Data Center GPU "}) {
      if (model.starts_with(word) && model.size() > word.size()) model.remove_prefix(word.size());
    }
  }
  return plain(model);
}

std::string gib(std::uint64_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
}

std::string memory_text(const LocalCard& card, std::size_t bar) {
  const CardSample sample = card.sample.value_or(CardSample{});
  const auto total = sample.vram_bytes ? sample.vram_bytes : card.identity.vram_bytes;
  const auto used = sample.used_bytes;
  if (!used && !total) return kUnknown;
  std::string text =
      fmt::format("{}/{} GiB", used ? gib(*used) : kUnknown, total ? gib(*total) : kUnknown);
  if (bar == 0 || !used || !total || *total == 0) return text;
  const double share = static_cast<double>(*used) / static_cast<double>(*total);
  const auto filled = static_cast<std::size_t>(
      std::clamp<long>(std::lround(share * static_cast<double>(bar)), 0, static_cast<long>(bar)));
  return "[" + std::string(filled, '#') + std::string(bar - filled, '.') + "] " + text;
}

std::string number_text(std::optional<double> value, const char* unit) {
  return value ? fmt::format("{:.0f}{}", *value, unit) : kUnknown;
}

std::string power_text(const CardSample& sample, bool limit) {
  if (!sample.power_watts) return kUnknown;
  if (!limit || !sample.power_limit_watts) return number_text(sample.power_watts, " W");
  return fmt::format("{:.0f}/{:.0f} W", *sample.power_watts, *sample.power_limit_watts);
}

enum Place : std::size_t { kNumber, kModel, kUuid, kMemory, kBusy, kTemperature, kPower, kColumns };
using Row = std::array<std::string, kColumns>;

Row row_of(const LocalCard& card, const Detail& detail) {
  const CardSample sample = card.sample.value_or(CardSample{});
  return {std::to_string(card.number),
          model_text(card.identity.model, detail.maker),
          short_uuid(card.identity.uuid, detail.uuid_maker),
          memory_text(card, detail.bar),
          number_text(sample.busy_percent, "%"),
          number_text(sample.temperature_c, "C"),
          power_text(sample, detail.power_limit)};
}

struct Page {
  std::vector<Row> rows;  // The first has the titles.
  std::array<std::size_t, kColumns> widths{};

  std::size_t total() const {
    std::size_t sum = 2 * (kColumns - 1);
    for (const std::size_t width : widths) sum += width;
    return sum;
  }
};

Page page_of(const std::vector<LocalCard>& cards, const Detail& detail) {
  Page page;
  page.rows.push_back({"#", "MODEL", "UUID", "MEMORY", "BUSY", "TEMP", "POWER"});
  for (const LocalCard& card : cards) page.rows.push_back(row_of(card, detail));
  for (const Row& row : page.rows) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      page.widths[i] = std::max(page.widths[i], row[i].size());
    }
  }
  return page;
}

// The page with the most detail that fits; at last the model is cut too.
Page fitting_page(const std::vector<LocalCard>& cards, std::size_t width) {
  Page page;
  for (const Detail& detail : kDetails) {
    page = page_of(cards, detail);
    if (page.total() <= width) return page;
  }
  const std::size_t over = page.total() - width;
  const std::size_t most = page.widths[kModel] - std::min(page.widths[kModel], kLeastModel);
  page.widths[kModel] -= std::min(over, most);
  return page;
}

std::string line_of(const Page& page, const Row& row) {
  std::string line;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::string text = cut(row[i], page.widths[i]);
    const std::string pad(page.widths[i] - text.size(), ' ');
    const bool right = i == kNumber || i >= kBusy;
    if (i > 0) line += "  ";
    line += right ? pad + text : text + pad;
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

const char* kind_text(ProcessKind kind) {
  switch (kind) {
    case ProcessKind::kCompute:
      return "compute";
    case ProcessKind::kGraphics:
      return "graphics";
    case ProcessKind::kMps:
      return "mps";
  }
  return kUnknown;
}

std::string process_line(const ProcessSample& process) {
  return fmt::format("{}{:>8}  {:<8}  {:>8}  {:>4}  {}", kIndent, process.pid,
                     kind_text(process.kind),
                     process.vram_bytes ? format_size(*process.vram_bytes) : kUnknown,
                     number_text(process.busy_percent, "%"),
                     process.name.empty() ? kUnknown : plain(process.name));
}

}  // namespace

std::string format_local(const std::vector<LocalCard>& cards, std::size_t width) {
  if (cards.empty()) return "No card was found.\n";
  if (width == 0) width = kUnlimited;
  const Page page = fitting_page(cards, width);
  std::string text = cut(line_of(page, page.rows.front()), width) + "\n";
  for (std::size_t i = 0; i < cards.size(); ++i) {
    text += cut(line_of(page, page.rows[i + 1]), width) + "\n";
    if (!cards[i].trouble.empty()) text += cut(kIndent + plain(cards[i].trouble), width) + "\n";
    for (const ProcessSample& process : cards[i].processes) {
      text += cut(process_line(process), width) + "\n";
    }
  }
  return text;
}

}  // namespace gpusched::watch
