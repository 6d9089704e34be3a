// Writes families of figures in the two text formats that Prometheus reads: its own (0.0.4) and
// OpenMetrics 1.0.0. Whoever writes says each name once, as it stands in a query, with its unit and
// `_total` or `_info`; what the formats make of it is known here alone.
//
// Rule: absent is absent. What is not known has no line, never zero and never NaN.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/histogram.h"

namespace gpusched::metrics {

enum class Format { kText, kOpenMetrics };
// For the header of an answer.
std::string_view content_type_of(Format format);

enum class Type { kCounter, kGauge, kHistogram, kInfo };

struct Family {
  std::string_view name;  // As in a query: gpusched_jobs_ended_total.
  Type type = Type::kGauge;
  std::string_view help;       // One sentence.
  std::string_view unit = {};  // seconds, bytes, …: the end of the name (before _total).
};

struct Label {
  std::string_view name, value;
};
using Labels = std::initializer_list<Label>;

class Exposition {
 public:
  explicit Exposition(Format format) : format_(format) {}

  // Begins a family; all of its lines follow. Also one without lines is named, so that the list of
  // families does not depend on what happened so far.
  // REQUIRES: the name fits type and unit, and was not begun before.
  void family(const Family& family);

  void add(Labels labels, double value);
  void add(Labels labels, std::integral auto value) { add(labels, static_cast<double>(value)); }
  template <class Number>
  void add(Labels labels, const std::optional<Number>& value) {
    if (value) add(labels, *value);
  }
  void add(Labels labels, const Histogram& histogram);

  // The whole text.
  std::string take();

 private:
  void line(std::string_view suffix, Labels labels, std::string_view bound, double value);

  Format format_;
  std::string text_;
  std::string name_;  // Of the family, without _total, _info or a suffix of a histogram.
  Type type_ = Type::kGauge;
};

}  // namespace gpusched::metrics
