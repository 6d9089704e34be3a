#include <algorithm>
#include <array>

#include "base/result.h"

namespace gpusched {
namespace {

struct Row {
  ErrorCode code;
  const char* name;
  int http_status;
  int exit_code;
};

// Of those with one HTTP status the last stands for it.
constexpr std::array kTable = {
    Row{ErrorCode::kInvalid, "invalid", 400, 64},
    Row{ErrorCode::kNotFound, "not_found", 404, 66},
    Row{ErrorCode::kForbidden, "forbidden", 403, 77},
    Row{ErrorCode::kUnauthenticated, "unauthenticated", 401, 77},
    Row{ErrorCode::kConflict, "conflict", 409, 65},
    Row{ErrorCode::kTooLarge, "too_large", 413, 65},
    Row{ErrorCode::kNeverFits, "never_fits", 422, 65},
    Row{ErrorCode::kBusy, "busy", 503, 75},
    Row{ErrorCode::kStorageFull, "storage_full", 507, 74},
    Row{ErrorCode::kUnavailable, "unavailable", 503, 69},
    Row{ErrorCode::kIo, "io", 500, 74},
    Row{ErrorCode::kUnsupported, "unsupported", 501, 69},
    Row{ErrorCode::kInternal, "internal", 500, 70},
};

const Row& row_of(ErrorCode code) {
  for (const Row& row : kTable) {
    if (row.code == code) return row;
  }
  return kTable.back();
}

}  // namespace

const char* error_code_name(ErrorCode code) { return row_of(code).name; }

ErrorCode error_code_named(const std::string& name) {
  for (const Row& row : kTable) {
    if (name == row.name) return row.code;
  }
  return ErrorCode::kInternal;
}

ErrorCode error_code_of_status(int status) {
  const auto row = std::find_if(kTable.rbegin(), kTable.rend(),
                                [&](const Row& one) { return one.http_status == status; });
  return row == kTable.rend() ? ErrorCode::kInternal : row->code;
}

int http_status_of(ErrorCode code) { return row_of(code).http_status; }
int exit_code_of(ErrorCode code) { return row_of(code).exit_code; }

}  // namespace gpusched
