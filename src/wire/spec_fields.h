// The list of a spec's fields (core/model/spec_fields.h) as JSON: written and read for every
// message that has them.
#pragma once

#include <span>
#include <string_view>

#include "core/model/job_patch.h"
#include "json/json_fields.h"
#include "json/json_writer.h"

namespace gpusched {

// What the store keeps; a request says some of it in another way.
enum class SpecSource : unsigned char { kRequest, kStore };

// Everything but `environment`.
void read_spec_fields(Fields& fields, JobSpec& spec, SpecSource source);
// These alone.
void read_spec_fields(Fields& fields, JobSpec& spec, std::span<const std::string_view> names);
// All that a job asks of cards and host.
void read_needs(Fields& fields, JobSpec& spec);
// Those that `set` may change.
void read_patch_fields(Fields& fields, JobPatch& patch);
// What an answer tells of a spec, and of needs, as far as it is understood.
JobSpec read_shown_fields(const JsonValue& details);
Needs read_shown_needs(const JsonValue& needs);

// As the store keeps them; without braces, like all of these.
void write_stored_fields(JsonWriter& json, const JobSpec& spec);
// gpus, vram_bytes, … card_type.
void write_needs_fields(JsonWriter& json, const JobSpec& spec);
void write_needs(JsonWriter& json, const Needs& needs);  // With braces.
// What the details have beside the row; `places` for those who may see what it runs.
void write_shown_fields(JsonWriter& json, const JobSpec& spec, bool places);

}  // namespace gpusched
