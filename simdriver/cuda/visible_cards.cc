#include "simdriver/cuda/visible_cards.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace gpusched::simdriver::cuda {
namespace {

std::vector<std::size_t> present_cards(const World& world) {
  std::vector<std::size_t> cards;
  for (std::size_t card = 0; card < world.card_count(); ++card) {
    if (world.data().states[card].lost.load() == 0) cards.push_back(card);
  }
  return cards;
}

std::string_view without_blanks(std::string_view word) {
  while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
  while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
  return word;
}

std::optional<std::size_t> card_named(const World& world, const std::vector<std::size_t>& present,
                                      std::string_view word) {
  if (word.starts_with("GPU-")) {
    const auto card = find_card(world, std::string(word));
    const bool there = card && std::ranges::find(present, *card) != present.end();
    return there ? card : std::nullopt;
  }
  std::size_t index = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), index);
  if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) return std::nullopt;
  return index < present.size() ? std::optional(present[index]) : std::nullopt;
}

}  // namespace

std::vector<std::size_t> visible_cards(const World& world, const char* words) {
  const std::vector<std::size_t> present = present_cards(world);
  if (words == nullptr) return present;
  std::vector<std::size_t> visible;
  std::string_view rest = words;
  while (true) {
    const std::size_t comma = rest.find(',');
    const auto card = card_named(world, present, without_blanks(rest.substr(0, comma)));
    if (!card) return visible;
    // A card named twice makes the whole list worthless to the real driver.
    if (std::ranges::find(visible, *card) != visible.end()) return {};
    visible.push_back(*card);
    if (comma == std::string_view::npos) return visible;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace gpusched::simdriver::cuda
