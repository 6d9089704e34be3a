// Answers about sweeps.
#include "cli/views/view_reader.h"
#include "cli/views/views.h"

namespace gpusched::cli {

Result<SweepView> parse_sweep(std::string_view body) {
  auto answer = parse_message<wire::OneSweep>(body);
  if (!answer) return failure(answer.error());
  return std::move(answer->sweep);
}

Result<std::vector<SweepView>> parse_sweeps(std::string_view body) {
  auto answer = parse_message<wire::JobList>(body);
  if (!answer) return failure(answer.error());
  return std::move(answer->sweeps).value_or(std::vector<SweepView>());
}

}  // namespace gpusched::cli
