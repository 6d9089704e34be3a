// Answers about sweeps.
#include "cli/views/view_lists.h"
#include "cli/views/view_reader.h"
#include "cli/views/views.h"

namespace gpusched::cli {
namespace {

SweepView sweep_from(const Reader& json) {
  SweepView sweep;
  json.number("id", sweep.id);
  json.number("first", sweep.first);
  json.number("last", sweep.last);
  json.number("count", sweep.count);
  json.number("of", sweep.of);
  sweep.counts = counts_from(json);
  json.texts("parameters", sweep.parameters);
  json.numbers("cards", sweep.cards);
  json.text("reason", sweep.reason);
  json.number("priority", sweep.priority);
  json.time("submitted_at", sweep.submitted_at);
  json.text("name", sweep.name);
  json.text("command", sweep.command);
  json.text("user", sweep.user);
  json.text("group", sweep.group);
  sweep.failures = rows_from(json, "failures");
  return sweep;
}

}  // namespace

CountsView counts_from(const Reader& json) {
  const Reader from = json.inner("counts");
  CountsView counts;
  from.number("held", counts.held);
  from.number("queued", counts.queued);
  from.number("starting", counts.starting);
  from.number("running", counts.running);
  from.number("paused", counts.paused);
  from.number("completed", counts.completed);
  from.number("failed", counts.failed);
  from.number("cancelled", counts.cancelled);
  return counts;
}

std::vector<SweepView> sweeps_from(const Reader& json) {
  std::vector<SweepView> sweeps;
  json.each("sweeps",
            [&](const JsonValue& entry) { sweeps.push_back(sweep_from(Reader(&entry))); });
  return sweeps;
}

Result<SweepView> parse_sweep(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  return sweep_from(Reader(&*value).inner("sweep"));
}

Result<std::vector<SweepView>> parse_sweeps(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  return sweeps_from(Reader(&*value));
}

}  // namespace gpusched::cli
