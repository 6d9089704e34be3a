// The Muri artifact's traces: milliseconds, one row per job, with the network it trains.
#include <array>

#include "replay/csv.h"
#include "replay/trace.h"

namespace gpusched::replay {
namespace {

enum MuriColumn : std::size_t { kCards, kSubmit, kIterations, kModel, kDuration, kIterationTime };
constexpr std::array<std::string_view, 6> kMuriColumns = {
    "num_gpu", "submit_time", "iterations", "model_name", "duration", "iteration_time"};

Result<TraceJob> read_muri_job(const CsvReader& row, bool as_published) {
  const auto cards = row.whole(kCards, 1'000'000);
  if (!cards) return failure(cards.error());
  const auto submit = row.number(kSubmit, 1e15);
  if (!submit) return failure(submit.error());
  TraceJob job{.line = row.line(), .submit = {}, .duration = {}, .needs = {}};
  job.submit = Microseconds{static_cast<Microseconds::rep>(*submit * 1000)};
  job.needs.gpus = {static_cast<int>(*cards), static_cast<int>(*cards)};
  job.model = row.text(kModel);
  if (as_published) {
    const auto iterations = row.whole(kIterations, 1'000'000'000'000);
    if (!iterations) return failure(iterations.error());
    const auto each = row.number(kIterationTime, 1e9);
    if (!each) return failure(each.error());
    // Milliseconds x 1.015 are exact in microseconds.
    const double work = static_cast<double>(*iterations) * *each;
    if (work > 1e15) return row.wrong("the job's work is longer than can be counted");
    job.duration = Microseconds{static_cast<Microseconds::rep>(work * 1015)};
  } else {
    const auto duration = row.number(kDuration, 1e15);
    if (!duration) return failure(duration.error());
    job.duration = Microseconds{static_cast<Microseconds::rep>(*duration * 1000)};
  }
  if (*cards < 1) return row.wrong("num_gpu: a job needs at least one");
  return job;
}

}  // namespace

Result<Trace> read_muri(std::string_view text, bool as_published) {
  return read_rows<TraceJob>(text, kMuriColumns, [as_published](const CsvReader& row) {
    return read_muri_job(row, as_published);
  });
}

}  // namespace gpusched::replay
