#include "core/model/past_span.h"

namespace gpusched {

const char* past_kind_name(PastKind kind) {
  switch (kind) {
    case PastKind::kRun:
      return "run";
    case PastKind::kAside:
      return "aside";
    case PastKind::kLease:
      return "lease";
    case PastKind::kAdopted:
      return "adopted";
    case PastKind::kDrain:
      return "drain";
    case PastKind::kAlarm:
      return "alarm";
  }
  return "?";
}

}  // namespace gpusched
