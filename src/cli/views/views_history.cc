// The answer about the past of the cards.
#include "cli/views/history_view.h"
#include "cli/views/view_reader.h"

namespace gpusched::cli {
namespace {

// Null is a gap, and has its place: the values stand side by side in time.
std::optional<double> value_of(const JsonValue& value) {
  if (const auto* real = value.as<double>()) return *real;
  if (const auto* whole = value.as<std::uint64_t>()) return static_cast<double>(*whole);
  if (const auto* negative = value.as<std::int64_t>()) return static_cast<double>(*negative);
  return std::nullopt;
}

CardHistory card_history_from(const Reader& json) {
  CardHistory card;
  json.number("number", card.number);
  json.text("uuid", card.uuid);
  const JsonValue* series = json.find("series");
  const auto* fields = series == nullptr ? nullptr : series->as<JsonObject>();
  if (fields == nullptr) return card;
  for (const auto& [name, list] : *fields) {
    const auto* values = list.as<JsonArray>();
    if (values == nullptr) continue;
    for (const JsonValue& value : *values) card.series[name].push_back(value_of(value));
  }
  return card;
}

}  // namespace

const HistoryValues* CardHistory::find(std::string_view name) const {
  const auto found = series.find(name);
  return found == series.end() ? nullptr : &found->second;
}

Result<HistoryView> parse_history(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  const Reader json(&*value);
  HistoryView view;
  json.time("from", view.from);
  json.time("to", view.to);
  json.number("step_s", view.step_s);
  json.each("cards", [&](const JsonValue& entry) {
    view.cards.push_back(card_history_from(Reader(&entry)));
  });
  return view;
}

}  // namespace gpusched::cli
