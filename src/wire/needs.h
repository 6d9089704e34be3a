// Pieces that specs and jobs have in common in their JSON, written once so that they agree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/job.h"
#include "json/json_writer.h"

namespace gpusched {

void write_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& list);
// gpus, vram_bytes, … cpu_use; without braces around them.
void write_needs_fields(JsonWriter& json, const Needs& needs);
void write_after(JsonWriter& json, const std::vector<Dependency>& after);
// {"number","before_s"}, or null if none was asked for.
void write_warn_signal(JsonWriter& json, std::string_view name, const TimeRule& time);

// {"signal","grace_s"}, or null if it does not save itself.
void write_save_terms(JsonWriter& json, const SaveTerms* saves);

std::vector<std::string> cause_names(CauseSet causes);
const char* cpu_use_name(CpuUse use);
const char* preempt_name(PreemptPolicy policy);
const char* attach_name(Attach attach);
const char* dependency_name(DependencyKind kind);

}  // namespace gpusched
