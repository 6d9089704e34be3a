#include "replay/cost_model.h"

#include <fmt/format.h>

#include <array>

#include "replay/csv.h"

namespace gpusched::replay {
namespace {

constexpr std::string_view kBuiltInCosts =
    "num_gpu,vgg16,vgg19,resnet18,shufflenet_v2_x1_0,bert,gpt2,a2c,dqn\n"
    "1,7,7,4,4,10,10,38,5\n"
    "2,7,7,5,4,10,10,39,5\n"
    "4,8,8,5,5,10,10,39,6\n"
    "8,9,9,7,5,10,10,46,6\n"
    "16,9,10,7,7,10,10,46,8\n"
    "32,10,10,7,8,10,10,46,8\n";

}  // namespace

RestartCosts RestartCosts::built_in() { return *parse(kBuiltInCosts); }

Result<RestartCosts> RestartCosts::parse(std::string_view text) {
  const std::vector<std::string_view> head = cells_of(text.substr(0, text.find('\n')));
  std::vector<std::string_view> columns = {"num_gpu"};
  for (const std::string_view name : head) {
    if (name != "num_gpu") columns.push_back(name);
  }
  auto rows = CsvReader::open(text, columns);
  if (!rows) return failure(rows.error());
  RestartCosts table;
  while (true) {
    const auto more = rows->next();
    if (!more) return failure(more.error());
    if (!*more) return table;
    const auto cards = rows->whole(0, 1'000'000);
    if (!cards) return failure(cards.error());
    for (std::size_t i = 1; i < columns.size(); ++i) {
      const auto cost = rows->number(i, 1e6);
      if (!cost) return failure(cost.error());
      table.costs_[{std::string(columns[i]), static_cast<int>(*cards)}] =
          Microseconds{static_cast<Microseconds::rep>(*cost * 1e6)};
    }
  }
}

Microseconds RestartCosts::of(const TraceJob& job) const {
  const auto found = costs_.find(std::pair<std::string, int>(job.model, job.cards()));
  return found == costs_.end() ? Microseconds{Seconds{10}} : found->second;
}

Microseconds CostModel::of(const TraceJob& job) const {
  if (kind == CostKind::kNone) return Microseconds{0};
  if (by_model) return costs.of(job);
  if (job.cards() <= 1) return Seconds{7};
  return job.cards() <= 8 ? Seconds{30} : Seconds{60};
}

}  // namespace gpusched::replay
