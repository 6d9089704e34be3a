// Alibaba's openb: a list of tasks that ask for parts of cards, and a list of machines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "replay/csv.h"
#include "replay/packing.h"

namespace gpusched::replay {
namespace {

constexpr std::array<std::string_view, 6> kTaskColumns = {"name",    "cpu_milli", "memory_mib",
                                                          "num_gpu", "gpu_milli", "gpu_spec"};
// Not every list says which models a task takes; one that does not takes any.
constexpr std::size_t kOptionalTaskColumns = 1;
constexpr std::array<std::string_view, 5> kNodeColumns = {"sn", "cpu_milli", "memory_mib", "gpu",
                                                          "model"};

// A bit for each model's name.
class ModelBits {
 public:
  Result<std::uint64_t> bit_of(const CsvReader& row, std::string_view name) {
    const auto known = bits_.try_emplace(std::string(name), bits_.size()).first;
    if (known->second >= 64) return row.wrong("more than 64 models of cards");
    return std::uint64_t{1} << known->second;
  }

 private:
  std::map<std::string, std::size_t, std::less<>> bits_;
};

Result<PackTask> read_task(const CsvReader& row, ModelBits& models) {
  PackTask task;
  task.name = row.text(0);
  const auto cpu = row.whole(1, 1'000'000'000);
  if (!cpu) return failure(cpu.error());
  const auto ram = row.whole(2, 1'000'000'000);
  if (!ram) return failure(ram.error());
  const auto cards = row.whole(3, 1'000'000);
  if (!cards) return failure(cards.error());
  const auto milli = row.whole(4, 1000);
  if (!milli) return failure(milli.error());
  task.request = {.cpu_milli = *cpu, .ram_mib = *ram, .cards = static_cast<int>(*cards)};
  if (*cards > 0) task.request.card_milli = static_cast<int>(*milli);
  if (*cards > 0 && *milli == 0) return row.wrong("gpu_milli: cards of which nothing is asked");
  std::string_view specs = row.text(5);
  while (!specs.empty()) {
    const std::size_t bar = std::min(specs.find('|'), specs.size());
    const auto bit = models.bit_of(row, specs.substr(0, bar));
    if (!bit) return failure(bit.error());
    task.request.models |= *bit;
    specs.remove_prefix(std::min(specs.size(), bar + 1));
  }
  return task;
}

Result<PackNode> read_node(const CsvReader& row, ModelBits& models) {
  const auto cpu = row.whole(1, 1'000'000'000);
  if (!cpu) return failure(cpu.error());
  const auto ram = row.whole(2, 1'000'000'000);
  if (!ram) return failure(ram.error());
  const auto cards = row.whole(3, 1024);
  if (!cards) return failure(cards.error());
  PackNode node{.name = std::string(row.text(0)), .room = {.cpu_milli = *cpu, .ram_mib = *ram}};
  node.room.card_milli.assign(static_cast<std::size_t>(*cards), 1000);
  if (!row.text(4).empty()) {
    const auto bit = models.bit_of(row, row.text(4));
    if (!bit) return failure(bit.error());
    node.room.model = *bit;
  }
  return node;
}

}  // namespace

Result<PackTrace> read_openb(std::string_view tasks, std::string_view nodes) {
  ModelBits models;
  PackTrace trace;
  auto machines = read_rows<PackNode>(nodes, kNodeColumns,
                                      [&](const CsvReader& row) { return read_node(row, models); });
  if (!machines) {
    return failure(machines.error().code, "list of nodes: " + machines.error().message);
  }
  trace.nodes = std::move(*machines);
  auto all = read_rows<PackTask>(
      tasks, kTaskColumns, [&](const CsvReader& row) { return read_task(row, models); },
      kOptionalTaskColumns);
  if (!all) return failure(all.error());
  trace.tasks = std::move(*all);
  if (trace.tasks.empty()) return failure(ErrorCode::kInvalid, "the trace has no tasks");
  std::ranges::stable_sort(trace.nodes, {}, &PackNode::name);
  return trace;
}

}  // namespace gpusched::replay
