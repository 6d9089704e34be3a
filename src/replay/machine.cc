#include "replay/machine.h"

#include <fmt/format.h>

#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "engine/card_description.h"

namespace gpusched::replay {
namespace {

constexpr int kCardsMost = 65'536;
constexpr std::uint64_t kCardBytes = 80ULL << 30;
constexpr HostCapacity kEndlessHost = {.cpus = 1'000'000'000, .ram_bytes = 1ULL << 60};

std::optional<int> count_in(std::string_view text) {
  int value = 0;
  if (!whole_number(text, value) || value < 0) return std::nullopt;
  return value;
}

Result<Machine> machine_of_nodes(int nodes, int cards_per_node) {
  if (nodes < 1 || cards_per_node < 1 || nodes > kCardsMost / cards_per_node) {
    return failure(ErrorCode::kInvalid, fmt::format("{}x{}: a machine has 1 to {} cards in all",
                                                    nodes, cards_per_node, kCardsMost));
  }
  Machine machine{
      .nodes = nodes, .cards_per_node = cards_per_node, .cards = {}, .host = kEndlessHost};
  for (int i = 0; i < nodes * cards_per_node; ++i) {
    Card card;
    card.number = CardNumber{static_cast<std::uint16_t>(i)};
    card.uuid = simulated_uuid("replay", static_cast<std::size_t>(i));
    card.model = "card";
    card.vram_bytes = kCardBytes;
    card.node = i / cards_per_node;
    machine.cards.push_back(std::move(card));
  }
  return machine;
}

}  // namespace

Result<Machine> describe_machine(const std::string& words, const std::string& cpus,
                                 const std::string& ram) {
  if (const std::size_t by = words.find('x'); by != std::string::npos) {
    const auto nodes = count_in(std::string_view(words).substr(0, by));
    const auto cards = count_in(std::string_view(words).substr(by + 1));
    if (nodes && cards) return machine_of_nodes(*nodes, *cards);
  }
  Machine machine;
  auto list = parse_simulated_cards(words);
  if (!list) return failure(list.error());
  machine.cards = std::move(*list);
  machine.cards_per_node = machine.total();
  const auto count = count_in(cpus);
  if (!count) {
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is not a number of CPUs", cpus));
  }
  machine.host.cpus = *count;
  const auto size = parse_size(ram);
  if (!size) return failure(size.error());
  machine.host.ram_bytes = *size;
  return machine;
}

}  // namespace gpusched::replay
