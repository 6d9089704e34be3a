// The other programs of this installation, which the client finds from where it lies itself.
#pragma once

#include <optional>
#include <string>

namespace gpusched::cli {

// The program of that name beside this one, or in ../libexec/gpusched: a build directory or a
// second installation stays in itself. Nothing if there is none.
std::optional<std::string> program_beside(const std::string& name);

}  // namespace gpusched::cli
