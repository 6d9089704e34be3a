#include "simdriver/places.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <initializer_list>

namespace gpusched::simdriver {
namespace {

bool exists(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0;
}

// The first of `candidates` with `file` in it, beside or above the program: bin/ and
// libexec/gpusched/ have share/ and lib/ above them, a build's bin/ has both beside it.
std::string find_above(std::initializer_list<const char*> candidates, const std::string& file) {
  std::array<char, 4096> buffer{};
  const ssize_t size = ::readlink("/proc/self/exe", buffer.data(), buffer.size() - 1);
  std::string place(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  for (int up = 0; up < 3; ++up) {
    const std::size_t slash = place.rfind('/');
    if (slash == std::string::npos) return {};
    place.resize(slash);
    for (const char* below : candidates) {
      const std::string directory = place + below;
      if (exists(directory + "/" + file)) return directory;
    }
  }
  return {};
}

}  // namespace

std::string scenario_directory() {
  return find_above({"/share/gpusched/scenarios", "/scenarios"}, "2x24G.yaml");
}

std::string library_directory() {
  return find_above({"/lib/gpusched/sim", "/sim"}, "libnvidia-ml.so.1");
}

}  // namespace gpusched::simdriver
