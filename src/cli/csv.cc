#include "cli/csv.h"

#include "base/text.h"
#include "cli/display.h"

namespace gpusched::cli {
namespace {

std::string harmless(std::string_view field) {
  std::string text;
  bool first = true;
  for (const std::string_view line : split(field, '\n')) {
    if (!first) text += '\n';
    first = false;
    text += escaped(line);
  }
  return text;
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string field = harmless(fields[i]);
    if (i > 0) line += ',';
    if (field.find_first_of(",\"\n") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  return line + "\n";
}

}  // namespace gpusched::cli
