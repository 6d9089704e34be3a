// What reading the configuration again brought.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace gpusched::cli {

struct SettingView {
  std::string setting, from, to;
  bool at_restart = false;
};
struct ReloadedView {
  std::string file;
  std::vector<SettingView> changes;
};
Result<ReloadedView> parse_reloaded(const std::string& body);

}  // namespace gpusched::cli
