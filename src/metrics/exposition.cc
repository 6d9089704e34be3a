#include "metrics/exposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace gpusched::metrics {
namespace {

constexpr std::string_view kTotal = "_total";
constexpr std::string_view kInfo = "_info";
// Whole numbers up to here are exact as a double.
constexpr double kExact = 9007199254740992.0;

bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && std::ranges::all_of(name, fits) && name.front() >= 'a';
}

// What the name is of, for OpenMetrics: without what a type adds.
std::string_view stem_of(const Family& family) {
  std::string_view name = family.name;
  CHECK(is_name(name));
  CHECK(name.ends_with(kTotal) == (family.type == Type::kCounter));
  CHECK(name.ends_with(kInfo) == (family.type == Type::kInfo));
  if (family.type == Type::kCounter) name.remove_suffix(kTotal.size());
  if (family.type == Type::kInfo) name.remove_suffix(kInfo.size());
  CHECK(family.unit.empty() || name.ends_with(family.unit));
  return name;
}

std::string_view word_of(Type type, Format format) {
  switch (type) {
    case Type::kCounter:
      return "counter";
    case Type::kGauge:
      return "gauge";
    case Type::kHistogram:
      return "histogram";
    case Type::kInfo:
      return format == Format::kOpenMetrics ? "info" : "gauge";
  }
  return "unknown";
}

// A text that is not UTF-8 would have the whole answer refused.
void append_escaped(std::string& out, std::string_view text, bool quotes) {
  const bool broken = !is_utf8(text);
  for (const char c : text) {
    if (broken && static_cast<unsigned char>(c) >= 0x80) {
      out += "\xEF\xBF\xBD";
    } else if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (quotes && c == '"') {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

void append_number(std::string& out, double value) {
  if (value == std::floor(value) && std::abs(value) < kExact) {
    fmt::format_to(std::back_inserter(out), "{}", static_cast<std::int64_t>(value));
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

// As a number with a point, the same in both formats: a bound is part of a series' name.
std::string bound_text(double bound) {
  std::string text = fmt::format("{}", bound);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string_view content_type_of(Format format) {
  return format == Format::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

void Exposition::family(const Family& family) {
  name_ = stem_of(family);
  type_ = family.type;
  const bool open = format_ == Format::kOpenMetrics;
  const std::string_view name = open ? std::string_view(name_) : family.name;
  fmt::format_to(std::back_inserter(text_), "# HELP {} ", name);
  append_escaped(text_, family.help, open);
  fmt::format_to(std::back_inserter(text_), "\n# TYPE {} {}\n", name, word_of(type_, format_));
  if (open && !family.unit.empty()) {
    fmt::format_to(std::back_inserter(text_), "# UNIT {} {}\n", name, family.unit);
  }
}

void Exposition::line(std::string_view suffix, Labels labels, std::string_view bound,
                      double value) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  const auto label = [&](std::string_view name, std::string_view said) {
    text_ += before;
    text_ += name;
    text_ += "=\"";
    append_escaped(text_, said, true);
    text_ += '"';
    before = ',';
  };
  for (const Label& one : labels) label(one.name, one.value);
  if (!bound.empty()) label("le", bound);
  if (before == ',') text_ += '}';
  text_ += ' ';
  append_number(text_, value);
  text_ += '\n';
}

void Exposition::add(Labels labels, double value) {
  CHECK(!name_.empty() && type_ != Type::kHistogram);
  if (!std::isfinite(value)) return;
  line(type_ == Type::kCounter ? kTotal : type_ == Type::kInfo ? kInfo : "", labels, {}, value);
}

void Exposition::add(Labels labels, const Histogram& histogram) {
  CHECK(type_ == Type::kHistogram);
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
    so_far += histogram.counts()[i];
    line("_bucket", labels, bound_text(histogram.bounds()[i]), static_cast<double>(so_far));
  }
  line("_bucket", labels, "+Inf", static_cast<double>(histogram.count()));
  line("_sum", labels, {}, histogram.sum());
  line("_count", labels, {}, static_cast<double>(histogram.count()));
}

std::string Exposition::take() {
  if (format_ == Format::kOpenMetrics) text_ += "# EOF\n";
  return std::exchange(text_, {});
}

}  // namespace gpusched::metrics
