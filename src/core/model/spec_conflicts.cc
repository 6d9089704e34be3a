#include "core/model/spec_conflicts.h"

#include <algorithm>

namespace gpusched {
namespace {

using Conflict = std::optional<std::string>;

std::string said(std::string_view first, std::string_view between, std::string_view second) {
  return std::string(first) + std::string(between) + std::string(second);
}

std::string without_card(std::string_view field, FieldName name) {
  return said(name(field), " needs a card, but ", name("gpus")) + " is 0";
}

Conflict conflict_in_needs(const Needs& needs, FieldName name) {
  if (!needs.wants_cards()) {
    if (needs.vram_bytes > 0) return without_card("vram_bytes", name);
    if (needs.share_percent > 0) return without_card("share_percent", name);
    if (needs.exclusive) return without_card("exclusive", name);
    if (!needs.cards->only.empty()) return without_card("only_cards", name);
  }
  const auto both = [name](const std::string& card) {
    return said(name("only_cards"), " and ", name("avoid_cards")) + " both name " + card;
  };
  const CardList& avoid = needs.cards->avoid;
  for (const CardNumber card : needs.cards->only.numbers) {
    if (std::ranges::find(avoid.numbers, card) != avoid.numbers.end()) {
      return both("card " + std::to_string(number_of(card)));
    }
  }
  for (const std::string& word : needs.cards->only.names) {
    if (std::ranges::find(avoid.names, word) != avoid.names.end()) return both("'" + word + "'");
  }
  return std::nullopt;
}

Conflict conflict_in_limit(const JobSpec& spec, FieldName name) {
  if (spec.extras->vram_limit_bytes == 0) return std::nullopt;
  if (!spec.needs.wants_cards()) return without_card("vram_limit_bytes", name);
  if (spec.extras->vram_limit_bytes < spec.needs.vram_bytes) {
    return said(name("vram_limit_bytes"), " must not be less than ", name("vram_bytes"));
  }
  return std::nullopt;
}

Conflict conflict_in_times(const SpecExtras& extras, FieldName name) {
  const auto later = [name](std::string_view field) {
    return said(name(field), " must be later than ", name("begin"));
  };
  if (extras.begin && extras.expire && *extras.expire <= *extras.begin) return later("expire");
  if (extras.begin && extras.deadline && *extras.deadline <= *extras.begin) {
    return later("deadline");
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> conflict_in(const JobSpec& spec, FieldName name) {
  Conflict conflict = conflict_in_needs(spec.needs, name);
  if (!conflict) conflict = conflict_in_limit(spec, name);
  if (!conflict) conflict = conflict_in_times(*spec.extras, name);
  return conflict;
}

}  // namespace gpusched
