#include "metrics/exposition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/text.h"

namespace gpusched::metrics {
namespace {

// A few families of each type.
std::string example(Format format) {
  Exposition out(format);
  out.family({.name = "gpusched_build_info", .type = Type::kInfo, .help = "The version."});
  out.add({{"version", "1.2"}}, 1);
  out.family({.name = "gpusched_moved_bytes_total",
              .type = Type::kCounter,
              .help = "Say \"all\",\nwith \\.",
              .unit = "bytes"});
  out.add({{"direction", "out"}}, 17179869184U);
  out.family({.name = "gpusched_card_busy_ratio", .help = "Busy.", .unit = "ratio"});
  out.add({{"card", "0"}}, 0.25);
  out.add({{"card", "1"}}, std::optional<double>());
  out.add({{"card", "2"}}, std::numeric_limits<double>::quiet_NaN());
  static constexpr std::array kBounds = {0.5, 1.0, 10.0};
  Histogram times(kBounds);
  for (const double value : {0.5, 0.75, 11.0}) times.observe(value);
  out.family({.name = "gpusched_turn_seconds",
              .type = Type::kHistogram,
              .help = "Turns.",
              .unit = "seconds"});
  out.add({{"kind", "a"}}, times);
  out.family({.name = "gpusched_nothing", .help = "Nobody knows."});
  return out.take();
}

TEST(Exposition, WritesPrometheusText) {
  EXPECT_EQ(example(Format::kText), R"(# HELP gpusched_build_info The version.
# TYPE gpusched_build_info gauge
gpusched_build_info{version="1.2"} 1
# HELP gpusched_moved_bytes_total Say "all",\nwith \\.
# TYPE gpusched_moved_bytes_total counter
gpusched_moved_bytes_total{direction="out"} 17179869184
# HELP gpusched_card_busy_ratio Busy.
# TYPE gpusched_card_busy_ratio gauge
gpusched_card_busy_ratio{card="0"} 0.25
# HELP gpusched_turn_seconds Turns.
# TYPE gpusched_turn_seconds histogram
gpusched_turn_seconds_bucket{kind="a",le="0.5"} 1
gpusched_turn_seconds_bucket{kind="a",le="1.0"} 2
gpusched_turn_seconds_bucket{kind="a",le="10.0"} 2
gpusched_turn_seconds_bucket{kind="a",le="+Inf"} 3
gpusched_turn_seconds_sum{kind="a"} 12.25
gpusched_turn_seconds_count{kind="a"} 3
# HELP gpusched_nothing Nobody knows.
# TYPE gpusched_nothing gauge
)");
}

TEST(Exposition, WritesOpenMetrics) {
  EXPECT_EQ(example(Format::kOpenMetrics), R"(# HELP gpusched_build The version.
# TYPE gpusched_build info
gpusched_build_info{version="1.2"} 1
# HELP gpusched_moved_bytes Say \"all\",\nwith \\.
# TYPE gpusched_moved_bytes counter
# UNIT gpusched_moved_bytes bytes
gpusched_moved_bytes_total{direction="out"} 17179869184
# HELP gpusched_card_busy_ratio Busy.
# TYPE gpusched_card_busy_ratio gauge
# UNIT gpusched_card_busy_ratio ratio
gpusched_card_busy_ratio{card="0"} 0.25
# HELP gpusched_turn_seconds Turns.
# TYPE gpusched_turn_seconds histogram
# UNIT gpusched_turn_seconds seconds
gpusched_turn_seconds_bucket{kind="a",le="0.5"} 1
gpusched_turn_seconds_bucket{kind="a",le="1.0"} 2
gpusched_turn_seconds_bucket{kind="a",le="10.0"} 2
gpusched_turn_seconds_bucket{kind="a",le="+Inf"} 3
gpusched_turn_seconds_sum{kind="a"} 12.25
gpusched_turn_seconds_count{kind="a"} 3
# HELP gpusched_nothing Nobody knows.
# TYPE gpusched_nothing gauge
# EOF
)");
}

TEST(Exposition, NamesTheFormatsAsServersDo) {
  EXPECT_EQ(content_type_of(Format::kText), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(content_type_of(Format::kOpenMetrics),
            "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

TEST(Exposition, TakesNoTextThatIsNotUtf8) {
  Exposition out(Format::kText);
  out.family({.name = "gpusched_one", .help = "One."});
  out.add({{"model", "a\xFF\xC3"}}, 1);
  EXPECT_TRUE(is_utf8(out.take()));
}

// Reads one line of figures back: name, labels, value. As the format's description has it.
struct Read {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};
Read read_line(std::string_view line) {
  Read read;
  const std::size_t open = line.find_first_of("{ ");
  read.name = line.substr(0, open);
  line.remove_prefix(open);
  if (line.front() == '{') {
    do {
      line.remove_prefix(1);
      const std::string name(take_until(line, '='));
      line.remove_prefix(1);
      std::string value;
      while (line.front() != '"') {
        if (line.front() == '\\') {
          line.remove_prefix(1);
          value += line.front() == 'n' ? '\n' : line.front();
        } else {
          value += line.front();
        }
        line.remove_prefix(1);
      }
      line.remove_prefix(1);
      read.labels[name] = value;
    } while (line.front() == ',');
    line.remove_prefix(1);
  }
  line.remove_prefix(1);
  EXPECT_TRUE(whole_number(line, read.value)) << line;
  return read;
}

RC_GTEST_PROP(Exposition, WhatIsWrittenIsReadBack, (const std::string& label, double value)) {
  RC_PRE(std::isfinite(value));
  const bool open = *rc::gen::arbitrary<bool>();
  Exposition out(open ? Format::kOpenMetrics : Format::kText);
  out.family({.name = "gpusched_some_total", .type = Type::kCounter, .help = label});
  out.add({{"first", label}, {"second", "\"\\\n{},= "}}, value);
  const std::string text = out.take();
  const std::vector<std::string_view> lines = split_nonempty(text, '\n');
  RC_ASSERT(lines.size() == (open ? 4U : 3U));
  const Read read = read_line(lines[2]);
  RC_ASSERT(read.name == "gpusched_some_total");
  RC_ASSERT(read.labels.at("second") == "\"\\\n{},= ");
  RC_ASSERT(!is_utf8(label) || read.labels.at("first") == label);
  RC_ASSERT(read.value == value);
}

RC_GTEST_PROP(Exposition, BucketsRiseToTheCount, (const std::vector<double>& values)) {
  Histogram histogram(kLongBounds);
  std::uint64_t counted = 0;
  for (const double value : values) {
    histogram.observe(value);
    if (std::isfinite(value)) ++counted;
  }
  Exposition out(Format::kText);
  out.family({.name = "gpusched_some_seconds", .type = Type::kHistogram, .help = "Some."});
  out.add({}, histogram);
  const std::string text = out.take();
  double last = 0;
  std::size_t buckets = 0;
  for (const std::string_view line : split_nonempty(text, '\n')) {
    if (line.starts_with("#")) continue;
    const Read read = read_line(line);
    if (read.name.ends_with("_sum")) continue;
    if (read.name.ends_with("_bucket")) {
      ++buckets;
      const std::string& bound = read.labels.at("le");
      double most = std::numeric_limits<double>::infinity();
      if (bound != "+Inf") RC_ASSERT(whole_number(bound, most));
      const auto below = std::ranges::count_if(
          values, [&](double value) { return std::isfinite(value) && value <= most; });
      RC_ASSERT(read.value == static_cast<double>(below));
    }
    RC_ASSERT(read.value >= last);
    last = read.value;
  }
  RC_ASSERT(buckets == kLongBounds.size() + 1);
  RC_ASSERT(last == static_cast<double>(counted));
}

}  // namespace
}  // namespace gpusched::metrics
