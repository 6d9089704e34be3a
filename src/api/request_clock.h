// Counts an answer by its route when it is there (metrics/request_meters.h).
#pragma once

#include <memory>
#include <string_view>

#include "api/context.h"

namespace gpusched {

// Which route a request took; filled in when that is known.
struct RouteTaken {
  std::string_view pattern = "none", method = "none";
  bool counted = false;
};

// The same way back, on which the answer is counted.
Responder counted(Context& context, const Responder& responder,
                  const std::shared_ptr<RouteTaken>& taken);

}  // namespace gpusched
