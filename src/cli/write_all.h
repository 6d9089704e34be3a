// Output that is waited for, whatever it goes to.
#pragma once

#include <string_view>

#include "base/result.h"

namespace gpusched::cli {

Result<void> write_all(int fd, std::string_view data);

}  // namespace gpusched::cli
