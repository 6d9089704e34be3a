// The schemas of what is made from the list of a job's spec (core/model/spec_fields.h): needs,
// details, submissions, patches, and the requests that have some of its fields.
#pragma once

#include <array>
#include <string_view>

#include "wire/schema.h"

namespace gpusched::wire {

// Those of a submission that make sense for a process that runs already.
inline constexpr std::array<std::string_view, 12> kAdoptFields = {
    "tags", "name",      "project",    "vram_bytes", "share_percent", "exclusive",
    "cpus", "ram_bytes", "only_cards", "grace_s",    "time_limit_s",  "vram_limit_bytes"};

// Whole schemas.
void needs_schema(JsonWriter& json);
void card_list_schema(JsonWriter& json, bool nullable);
void tenant_rule_schema(JsonWriter& json, Side side);
void submit_schema(JsonWriter& json);
void patch_schema(JsonWriter& json);

// Fields of an object that has others too.
void shown_properties(ObjectSchema& object, JsonWriter& json);
void needs_properties(ObjectSchema& object, JsonWriter& json);
void adopt_properties(ObjectSchema& object, JsonWriter& json);

}  // namespace gpusched::wire
