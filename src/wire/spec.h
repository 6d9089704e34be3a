// JobSpec as JSON text: the same form in POST /v1/jobs and in the store's `specs` table.
// The environment is not part of it: the API reads it apart, the store keeps it as a hashed row.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/job.h"

namespace gpusched {

// Every field, by the names of docs/api.md ("Submit"); `environment` left out.
std::string spec_to_json(const JobSpec& spec);
// Missing fields have their defaults. Unknown fields and wrong types are kInvalid with the
// field's name in the message.
Result<JobSpec> spec_from_json(std::string_view text);

}  // namespace gpusched
