#include "cli/own_programs.h"

#include <unistd.h>

#include <climits>

namespace gpusched::cli {

std::optional<std::string> program_beside(const std::string& name) {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return std::nullopt;
  const std::string own(path, static_cast<std::size_t>(size));
  for (const char* place : {"/", "/../libexec/gpusched/"}) {
    const std::string program = own.substr(0, own.rfind('/')) + place + name;
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

}  // namespace gpusched::cli
