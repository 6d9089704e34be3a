// A consistent, compact copy of a live database into a new file. Readers never hold up the
// writer in write-ahead-log mode, so commits go on meanwhile.
#pragma once

#include <string>

#include "base/result.h"

namespace gpusched {

// `to` appears complete or not at all, mode 0600; an existing file is never touched.
Result<void> copy_database(const std::string& from, const std::string& to, const char* vfs);

}  // namespace gpusched
