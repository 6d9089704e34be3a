// The settings of the daemon, as it has them.
#pragma once

#include "wire/message.h"

namespace gpusched::wire {

struct Setting {
  std::string name, value, standard;
  std::string from;
  std::optional<int> line;
  bool at_restart = false;
  std::string waits;
  std::string about;

  static constexpr std::string_view kName = "Setting";
  static constexpr auto fields() {
    using Self = Setting;
    return std::make_tuple(
        field("name", &Self::name),
        field("value", &Self::value, {.what = "in force, as in a file"}),
        field("default", &Self::standard),
        field("from", &Self::from, {.words = "default|file|command line|run time"}),
        field("line", &Self::line, {.what = "of the file, if that is where it comes from"}),
        field("at_restart", &Self::at_restart,
              {.what = "the file has another, for which it waits"}),
        field("waits", &Self::waits, {.or_null = true, .what = "that other value"}),
        field("about", &Self::about));
  }
};
struct Settings {
  int schema = 1;
  std::string file;
  std::vector<Setting> settings;

  static constexpr std::string_view kName = "Settings";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Settings::schema),
                           field("file", &Settings::file, kOrNull),
                           field("settings", &Settings::settings));
  }
};

}  // namespace gpusched::wire
