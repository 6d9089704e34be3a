#include "core/model/mps.h"

namespace gpusched {

const char* mps_use_name(MpsUse use) {
  switch (use) {
    case MpsUse::kOff:
      return "off";
    case MpsUse::kLimits:
      return "limits";
    case MpsUse::kAll:
      return "all";
  }
  return "?";
}

std::optional<MpsUse> mps_use_named(std::string_view name) {
  for (const MpsUse use : {MpsUse::kOff, MpsUse::kLimits, MpsUse::kAll}) {
    if (name == mps_use_name(use)) return use;
  }
  return std::nullopt;
}

}  // namespace gpusched
