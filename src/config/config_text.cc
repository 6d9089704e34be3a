#include <fmt/format.h>

#include <string>
#include <string_view>

#include "config/config.h"
#include "config/settings.h"

namespace gpusched {
namespace {

// The comment as lines of at most 100 columns, each behind `indent` and "# ".
std::string comment_lines(std::string_view text, std::string_view indent) {
  const std::size_t width = 98 - indent.size();
  std::string out;
  while (!text.empty()) {
    std::size_t length = text.size();
    if (length > width) {
      length = text.rfind(' ', width);
      if (length == std::string_view::npos || length == 0) length = width;
    }
    out += fmt::format("{}# {}\n", indent, text.substr(0, length));
    text.remove_prefix(length);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return out;
}

// `line` is called with each setting and the indentation of its section.
template <class Line>
std::string sections_text(bool comments, Line line) {
  std::string out;
  for (const Setting& setting : all_settings()) {
    if (setting.section.empty()) out += line(setting, "");
  }
  for (const Section& section : all_sections()) {
    out += "\n";
    if (comments) out += comment_lines(section.comment, "");
    out += section.key + ":\n";
    for (const Setting& setting : all_settings()) {
      if (setting.section == section.key) out += line(setting, "  ");
    }
  }
  return out;
}

}  // namespace

std::string default_config_text() {
  const Config defaults;
  return comment_lines(
             "The configuration of gpuschedd. Every setting stands here with its default; take "
             "away "
             "the # in front of those that you change. `gpusched config check FILE` says whether a "
             "file is right.",
             "") +
         "\n" + sections_text(true, [&](const Setting& setting, std::string_view indent) {
           return comment_lines(setting.comment, indent) +
                  fmt::format("{}#{}: {}\n", indent, setting.key, setting.write(defaults));
         });
}

std::string config_text(const Config& config) {
  return sections_text(false, [&](const Setting& setting, std::string_view indent) {
    const std::string value = setting.write(config);
    // A list begins on its own line.
    return fmt::format("{}{}:{}{}\n", indent, setting.key, value.starts_with('\n') ? "" : " ",
                       value);
  });
}

}  // namespace gpusched
