#include "config/origins.h"

#include <memory>
#include <utility>

#include "config/settings.h"

namespace gpusched {
namespace {

SettingOrigin origin_in(const FoundConfig& found, const std::string& name) {
  if (found.by_command_line.contains(name)) return {SettingFrom::kCommandLine, 0};
  const auto line = found.lines.find(name);
  if (line == found.lines.end()) return {};
  return {SettingFrom::kFile, line->second};
}

Config without_addresses(Config config) {
  Receivers receivers = config.rules.known_receivers();
  for (auto& [name, receiver] : receivers) {
    if (!receiver.url.empty()) receiver.url = "(hidden)";
    if (!receiver.command.empty()) receiver.command = {"(hidden)"};
  }
  config.rules.receivers = std::make_shared<const Receivers>(std::move(receivers));
  return config;
}

// A list begins on its own line in a file.
std::string text_of(const Setting& setting, const Config& config) {
  std::string text = setting.write(config);
  if (text.starts_with('\n')) text.erase(0, 1);
  return text;
}

}  // namespace

const char* setting_from_name(SettingFrom from) {
  switch (from) {
    case SettingFrom::kDefault:
      return "default";
    case SettingFrom::kFile:
      return "file";
    case SettingFrom::kCommandLine:
      return "command line";
    case SettingFrom::kRunTime:
      return "run time";
  }
  return "";
}

SettingOrigins origins_of(const FoundConfig& found) {
  SettingOrigins origins;
  for (const Setting& setting : all_settings()) {
    const std::string name = setting.path();
    const SettingOrigin origin = origin_in(found, name);
    if (origin != SettingOrigin{}) origins.emplace(name, origin);
  }
  return origins;
}

SettingOrigins origins_after(const SettingOrigins& before, const Config& running,
                             const FoundConfig& found) {
  SettingOrigins origins = origins_of(found);
  for (const Setting& setting : all_settings()) {
    if (setting.write(running) == setting.write(found.config)) continue;
    const std::string name = setting.path();
    origins.erase(name);
    if (const auto old = before.find(name); old != before.end()) origins.emplace(*old);
  }
  return origins;
}

std::vector<ShownSetting> shown_settings(const Config& running, const FoundConfig& found,
                                         const SettingOrigins& origins, bool addresses) {
  const Config now = addresses ? running : without_addresses(running);
  const Config wanted = addresses ? found.config : without_addresses(found.config);
  const Config standard;
  std::vector<ShownSetting> shown;
  for (const Setting& setting : all_settings()) {
    ShownSetting one{.name = setting.path(),
                     .value = text_of(setting, now),
                     .standard = text_of(setting, standard),
                     .origin = {},
                     .waits = {},
                     .about = setting.comment};
    if (const auto origin = origins.find(one.name); origin != origins.end()) {
      one.origin = origin->second;
    }
    one.at_restart = setting.write(running) != setting.write(found.config);
    if (one.at_restart) one.waits = text_of(setting, wanted);
    shown.push_back(std::move(one));
  }
  return shown;
}

}  // namespace gpusched
