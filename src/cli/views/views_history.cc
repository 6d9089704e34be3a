// The answer about the past of the cards.
#include "cli/views/history_view.h"
#include "cli/views/view_reader.h"

namespace gpusched::cli {

const HistoryValues* CardHistory::find(std::string_view name) const {
  const auto found = series.find(name);
  return found == series.end() ? nullptr : &found->second;
}

Result<HistoryView> parse_history(std::string_view body) {
  auto answer = parse_message<wire::CardHistory>(body);
  if (!answer) return failure(answer.error());
  HistoryView view{.from = answer->from, .to = answer->to, .step_s = answer->step_s};
  for (wire::HistoryLine& line : answer->cards) {
    view.cards.push_back({line.number, std::move(line.uuid), std::move(line.series)});
  }
  return view;
}

}  // namespace gpusched::cli
