#include "mover/survivors.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

namespace gpusched::mover {
namespace {

constexpr std::string_view kLivesOn[] = {"libtorch_cuda", "libc10_cuda"};
// A JAX training was seen to die of it; of the others nothing is known.
constexpr std::string_view kDoesNot[] = {"jaxlib", "xla_cuda", "xla_extension", "libtensorflow",
                                         "cupy"};

}  // namespace

bool is_known_to_live_on(const std::string& maps) {
  const auto is_there = [&](std::string_view name) { return maps.find(name) != std::string::npos; };
  return std::ranges::any_of(kLivesOn, is_there) && std::ranges::none_of(kDoesNot, is_there);
}

bool is_known_to_live_on(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  return is_known_to_live_on(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace gpusched::mover
