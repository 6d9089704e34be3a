// Any bytes are entries of the registry; each process is listed once.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/check.h"
#include "watch/ioreg_text.h"

using namespace gpusched::watch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto entries = parse_ioreg(text);
  for (const AppleGpu& gpu : apple_gpus(entries)) {
    if (gpu.sample.busy_percent) CHECK(*gpu.sample.busy_percent <= 100);
  }
  std::set<int> pids;
  for (const ProcessSample& process : apple_processes(entries)) {
    CHECK(process.pid > 0);
    CHECK(pids.insert(process.pid).second);
  }
  return 0;
}
