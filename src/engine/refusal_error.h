// What a refusal is to whoever asked from outside the core.
#pragma once

#include "base/result.h"
#include "core/model/event.h"

namespace gpusched {

Error error_of(const Refusal& refusal);

}  // namespace gpusched
