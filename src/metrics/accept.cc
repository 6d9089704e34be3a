#include "metrics/accept.h"

#include <algorithm>
#include <string>

#include "base/number.h"
#include "base/text.h"

namespace gpusched::metrics {
namespace {

struct Wish {
  std::string type;     // "text/plain"
  std::string version;  // Empty: any.
  double weight = 1;    // "q"
};

Wish wish_of(std::string_view text) {
  Wish wish;
  wish.type = lower_case(trimmed(take_until(text, ';')));
  for (std::string_view parameter : split_nonempty(text, ';')) {
    const std::string name = lower_case(trimmed(take_until(parameter, '=')));
    std::string_view value = trimmed(parameter);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    if (name == "version") wish.version = value;
    if (name != "q") continue;
    // What cannot be read is no wish.
    double weight = 0;
    wish.weight = whole_number(value, weight) ? std::clamp(weight, 0.0, 1.0) : 0.0;
  }
  return wish;
}

bool is_open(const Wish& wish) {
  return wish.type == "application/openmetrics-text" &&
         (wish.version.empty() || wish.version == "1.0.0" || wish.version == "0.0.1");
}

bool is_text(const Wish& wish) {
  const bool plain = wish.type == "text/plain" || wish.type == "text/*" || wish.type == "*/*";
  return plain && (wish.version.empty() || wish.version == "0.0.4");
}

}  // namespace

Format wanted_format(std::string_view accept) {
  double open = 0, text = 0;
  for (const std::string_view one : split_nonempty(accept, ',')) {
    const Wish wish = wish_of(one);
    if (is_open(wish)) open = std::max(open, wish.weight);
    if (is_text(wish)) text = std::max(text, wish.weight);
  }
  return open > 0 && open >= text ? Format::kOpenMetrics : Format::kText;
}

}  // namespace gpusched::metrics
