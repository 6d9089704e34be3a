#include "engine/refusal_error.h"

#include "base/check.h"

namespace gpusched {

Error error_of(const Refusal& refusal) {
  switch (refusal.kind) {
    case RefusalKind::kInvalid:
      return {ErrorCode::kInvalid, refusal.message};
    case RefusalKind::kNotFound:
      return {ErrorCode::kNotFound, refusal.message};
    case RefusalKind::kForbidden:
      return {ErrorCode::kForbidden, refusal.message};
    case RefusalKind::kConflict:
      return {ErrorCode::kConflict, refusal.message};
    case RefusalKind::kNeverFits:
      return {ErrorCode::kNeverFits, refusal.message};
  }
  CHECK(false);
}

}  // namespace gpusched
