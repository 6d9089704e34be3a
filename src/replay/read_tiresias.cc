// Tiresias' traces: whole seconds, one row per job.
#include <array>

#include "replay/csv.h"
#include "replay/trace.h"

namespace gpusched::replay {
namespace {

constexpr std::array<std::string_view, 4> kTiresiasColumns = {"num_gpu", "submit_time",
                                                              "model_name", "duration"};

Result<TraceJob> read_tiresias_job(const CsvReader& row) {
  const auto cards = row.whole(0, 1'000'000);
  if (!cards) return failure(cards.error());
  const auto submit = row.number(1, 1e12);
  if (!submit) return failure(submit.error());
  const auto duration = row.number(3, 1e12);
  if (!duration) return failure(duration.error());
  if (*cards < 1) return row.wrong("num_gpu: a job needs at least one");
  TraceJob job{.line = row.line(), .submit = {}, .duration = {}, .needs = {}};
  job.submit = Microseconds{static_cast<Microseconds::rep>(*submit * 1e6)};
  job.duration = Microseconds{static_cast<Microseconds::rep>(*duration * 1e6)};
  job.needs.gpus = {static_cast<int>(*cards), static_cast<int>(*cards)};
  job.model = row.text(2);
  return job;
}

}  // namespace

Result<Trace> read_tiresias(std::string_view text) {
  return read_rows<TraceJob>(text, kTiresiasColumns,
                             [](const CsvReader& row) { return read_tiresias_job(row); });
}

}  // namespace gpusched::replay
