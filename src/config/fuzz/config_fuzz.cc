// Any bytes are a configuration or an error, and a configuration reads back as itself.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "config/config_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = gpusched::parse_config(text, "fuzz");
  if (!config) {
    CHECK(!config.error().message.empty());
    return 0;
  }
  const std::string written = gpusched::config_text(*config);
  const auto again = gpusched::parse_config(written, "written");
  CHECK(again.has_value());
  CHECK(gpusched::config_text(*again) == written);
  return 0;
}
