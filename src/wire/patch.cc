#include <type_traits>

#include "wire/labels.h"
#include "wire/spec_fields.h"
#include "wire/submit.h"

namespace gpusched {
namespace {

// Runs one of the readers of Fields and keeps the value only if the field was there.
template <class T, class Read>
void keep(std::optional<T>& slot, Read read) {
  T value{};
  if (read(value)) slot = std::move(value);
}

void read_needs(Fields& fields, JobPatch& patch) {
  keep(patch.gpus, [&](CardCount& count) { return read_card_count(fields, count); });
  keep(patch.vram_bytes,
       [&](std::uint64_t& bytes) { return fields.number("vram_bytes", bytes, 0, kBytesMost); });
  keep(patch.share_percent,
       [&](int& percent) { return fields.number("share_percent", percent, 0, 100); });
  keep(patch.exclusive, [&](bool& alone) { return fields.flag("exclusive", alone); });
  keep(patch.cpus, [&](int& cpus) { return fields.number("cpus", cpus, 0, kCpusMost); });
  keep(patch.ram_bytes,
       [&](std::uint64_t& bytes) { return fields.number("ram_bytes", bytes, 0, kBytesMost); });
  keep(patch.cpu_use, [&](CpuUse& use) { return read_cpu_use(fields, use); });
  keep(patch.only_cards,
       [&](CardList& cards) { return read_card_list(fields, "only_cards", cards); });
  keep(patch.avoid_cards,
       [&](CardList& cards) { return read_card_list(fields, "avoid_cards", cards); });
  keep(patch.card_type, [&](std::string& type) { return fields.text("card_type", type); });
}

std::optional<std::string> fault_of(const JobPatch& patch) {
  for (const auto& [field, text] :
       {std::pair("name", &patch.name), std::pair("group", &patch.group),
        std::pair("card_type", &patch.card_type)}) {
    if (!*text) continue;
    if (auto fault = fault_of_label(field, **text)) return fault;
  }
  if (patch.tags) {
    for (const std::string& tag : *patch.tags) {
      if (tag.empty()) return "tags must not hold an empty string";
      if (auto fault = fault_of_label("tags", tag)) return fault;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<JobPatch> parse_patch(std::string_view json) {
  Result<JsonValue> value = parse_json(json);
  if (!value) return failure(value.error());
  const auto* object = value->as<JsonObject>();
  if (object != nullptr && object->empty()) {
    return failure(ErrorCode::kInvalid, "nothing to change is named");
  }
  Fields fields(*value);
  JobPatch patch;
  keep(patch.priority, [&](int& priority) { return fields.number("priority", priority, 0, 100); });
  keep(patch.name, [&](std::string& name) { return fields.text("name", name); });
  keep(patch.tags, [&](std::vector<std::string>& tags) { return fields.texts("tags", tags); });
  keep(patch.group, [&](std::string& group) { return fields.text("group", group); });
  keep(patch.time_limit, [&](Seconds& limit) { return fields.seconds("time_limit_s", limit); });
  fields.time("begin", patch.begin);
  fields.time("expire", patch.expire);
  fields.time("deadline", patch.deadline);
  keep(patch.vram_limit_bytes, [&](std::uint64_t& bytes) {
    return fields.number("vram_limit_bytes", bytes, 0, kBytesMost);
  });
  keep(patch.retries, [&](int& n) { return fields.number("retries", n, 0, kRetriesMost); });
  read_needs(fields, patch);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  if (auto fault = fault_of(patch)) return failure(ErrorCode::kInvalid, std::move(*fault));
  return patch;
}

}  // namespace gpusched
