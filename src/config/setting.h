// One setting: name, words, default and limits.
#pragma once

#include <functional>
#include <string>

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
  bool list = false;        // Also a list of scalars: read() gets them with commas in between.
  bool tenants = false;     // Not a scalar: config/tenants_yaml.h reads it.
  bool roles = false;       // Not a scalar: config/roles_yaml.h reads it.
  bool receivers = false;   // Not a scalar: config/receivers_yaml.h reads it.
  bool alarms = false;      // A map, or off: config/alarms_yaml.h reads it.

  std::string path() const { return section.empty() ? key : section + "." + key; }
};

struct Section {
  std::string key;
  std::string comment;
};

}  // namespace gpusched
