// Any bytes are a property list or an error, and a stream of them gives the same lists however it
// is cut.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "watch/plist.h"
#include "watch/powermetrics_text.h"

using namespace gpusched::watch;

namespace {

std::vector<std::string> cut(std::string_view text, std::size_t step) {
  PlistStream stream;
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size(); at += step) {
    for (std::string& each : stream.take(text.substr(at, step))) found.push_back(std::move(each));
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plist = parse_plist(text);
  if (!plist) CHECK(!plist.error().message.empty());
  if (const auto reading = parse_powermetrics(text)) {
    if (reading->busy_percent) CHECK(*reading->busy_percent >= 0 && *reading->busy_percent <= 100);
    if (reading->power_watts) CHECK(*reading->power_watts >= 0);
  }
  CHECK(cut(text, 1) == cut(text, size + 1));
  return 0;
}
