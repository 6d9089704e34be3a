// Shows a link with a secret in it to the user's browser, and to nobody else: everybody can read
// the arguments of programs, so the browser gets the name of a file that leads on to the link.
#pragma once

#include <string>

#include "base/result.h"
#include "os/locations.h"

namespace gpusched::cli {

// The file is the user's alone, below $XDG_RUNTIME_DIR or ~/.cache; the next one replaces it.
// Returns its path.
Result<std::string> write_leading_file(const std::string& link, const EnvironmentLookup& env);
// By xdg-open. An error: there is none here, or no place for the file.
Result<void> open_in_browser(const std::string& link, const EnvironmentLookup& env);

}  // namespace gpusched::cli
