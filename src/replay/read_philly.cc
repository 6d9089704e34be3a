// The Philly trace as AdaptDL's artifact has it: dates, seconds, the virtual cluster as tenant.
#include <array>

#include "replay/csv.h"
#include "replay/trace.h"

namespace gpusched::replay {
namespace {

constexpr std::array<std::string_view, 4> kPhillyColumns = {"timestamp", "duration", "num_gpus",
                                                            "cluster"};

Result<TraceJob> read_philly_job(const CsvReader& row, Wall at) {
  const auto duration = row.number(1, 1e12);
  if (!duration) return failure(duration.error());
  const auto cards = row.whole(2, 1'000'000);
  if (!cards) return failure(cards.error());
  if (*cards < 1) return row.wrong("num_gpus: a job needs at least one");
  TraceJob job{.line = row.line(), .submit = {}, .duration = {}, .needs = {}};
  job.submit = at.time_since_epoch();
  job.duration = Microseconds{static_cast<Microseconds::rep>(*duration * 1e6)};
  job.needs.gpus = {static_cast<int>(*cards), static_cast<int>(*cards)};
  job.tenant = row.text(3);
  return job;
}

}  // namespace

Result<Trace> read_philly(std::string_view text, const Selection& selection) {
  auto rows = CsvReader::open(text, kPhillyColumns);
  if (!rows) return failure(rows.error());
  Trace trace;
  while (true) {
    const auto more = rows->next();
    if (!more) return failure(more.error());
    if (!*more) return trace;
    const auto at = parse_trace_date(rows->text(0), false);
    if (!at) return rows->wrong("timestamp: " + at.error().message);
    if ((selection.from && *at < *selection.from) || (selection.to && *at > *selection.to)) {
      continue;
    }
    auto job = read_philly_job(*rows, *at);
    if (!job) return failure(job.error());
    trace.push_back(std::move(*job));
  }
}

}  // namespace gpusched::replay
