// Names of control groups from anywhere: none may crash the reader, and an id is always bounded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sampler/control_group.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto container = gpusched::container_of(text);
  if (container && (container->id.size() > size || container->pod.size() > 36)) std::abort();
  const auto attempt = gpusched::attempt_of(text, "/sys/fs/cgroup/a");
  if (attempt && attempt->number < 1) std::abort();
  return 0;
}
