// What must be true of one submission before anybody looks at the state of the world.
#pragma once

#include <optional>
#include <string>

#include "core/model/job_patch.h"
#include "wire/labels.h"
#include "wire/submit_body.h"

namespace gpusched {

// The first fault, as a sentence that begins with the field's name. The daemon refuses with it, and
// the client before it asks, with the names of flags.
std::optional<std::string> fault_of(const SubmitBody& body, FieldName name = as_in_json);
// The same of what `set` changes.
std::optional<std::string> fault_of(const JobPatch& patch, FieldName name = as_in_json);

}  // namespace gpusched
