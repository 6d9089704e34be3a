// The list of all settings: name, words, default and limits, once each. A new setting is a field
// of Config and a row in settings.cc; nothing else.
#pragma once

#include <vector>

#include "config/setting.h"

namespace gpusched {

// In the order of the file: first those without a section, then section by section.
const std::vector<Setting>& all_settings();
const std::vector<Section>& all_sections();

}  // namespace gpusched
