// The list of all settings: name, words, default and limits, once each. A new setting is a field
// of Config and a row in settings.cc; nothing else.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace gpusched {

struct Setting {
  std::string section;  // Empty: at the top of the file.
  std::string key;
  std::string comment;  // One or two sentences.
  // Reads a scalar of the file; the error says what is wrong with it, without the place.
  std::function<Result<void>(Config&, const std::string& text)> read;
  std::function<std::string(const Config&)> write;  // As it stands in the file.
  bool card_rules = false;  // Not a scalar: config/card_rules_yaml.h reads it.
  bool tenants = false;     // Not a scalar: config/tenants_yaml.h reads it.

  std::string path() const { return section.empty() ? key : section + "." + key; }
};

struct Section {
  std::string key;
  std::string comment;
};

// In the order of the file: first those without a section, then section by section.
const std::vector<Setting>& all_settings();
const std::vector<Section>& all_sections();

}  // namespace gpusched
