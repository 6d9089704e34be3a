// Orders as they come in: bytes in any pieces, one order per line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "watch/report.h"

namespace gpusched {

class OrderLines {
 public:
  // The orders that are complete now; lines that are none are errors in their place.
  std::vector<Result<watch::Order>> add(std::string_view bytes);

 private:
  std::string rest_;
  bool too_long_ = false;  // The line that is coming in was given up.
};

}  // namespace gpusched
