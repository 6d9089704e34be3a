// The fields of a JobSpec, read from an object; shared by the store's form and by POST /v1/jobs.
#pragma once

#include "core/model/event.h"
#include "core/model/job.h"
#include "json/json_fields.h"

namespace gpusched {

// Everything but `environment` and `array`.
void read_spec_fields(Fields& fields, JobSpec& spec);
// `gpus`: a number, "all", or {"least","most"}. True if it was there and right.
bool read_card_count(Fields& fields, CardCount& count);
// Numbers, and aliases or tags as strings.
bool read_card_list(Fields& fields, std::string_view name, CardList& cards);
bool read_cpu_use(Fields& fields, CpuUse& use);
// All that a job asks of cards and host.
void read_needs(Fields& fields, Needs& needs);

inline constexpr std::uint64_t kBytesMost = 1ULL << 60;
inline constexpr int kCpusMost = 1'000'000;
inline constexpr int kCardsMost = 4096;
inline constexpr std::size_t kCardNameMost = 200;
inline constexpr int kRetriesMost = 1000;
inline constexpr int kTasksAtOnceMost = 1'000'000;

}  // namespace gpusched
