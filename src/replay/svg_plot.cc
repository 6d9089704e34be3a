#include "replay/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gpusched::replay {
namespace {

constexpr double kWidth = 860;
constexpr double kLeft = 64;
constexpr double kRight = 16;
constexpr double kTop = 12;
constexpr double kBottom = 40;

double part_of(const PlotAxis& axis, double value) {
  if (axis.logarithmic) {
    value = std::log(std::max(value, axis.least) / axis.least);
    return value / std::log(axis.most / axis.least);
  }
  return (value - axis.least) / (axis.most - axis.least);
}

std::vector<double> ticks_of(const PlotAxis& axis) {
  std::vector<double> ticks;
  if (axis.logarithmic) {
    for (double tick = std::pow(10, std::ceil(std::log10(axis.least) - 1e-9));
         tick <= axis.most * 1.0001; tick *= 10) {
      ticks.push_back(tick);
    }
    return ticks;
  }
  const double rough = (axis.most - axis.least) / 6;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step < rough) step = power * factor;
  }
  for (double tick = std::ceil(axis.least / step) * step; tick <= axis.most + step * 1e-6;
       tick += step) {
    ticks.push_back(tick);
  }
  return ticks;
}

std::string tick_text(double value) {
  if (std::abs(value) >= 1e6) return fmt::format("{:g}M", value / 1e6);
  if (std::abs(value) >= 1e4) return fmt::format("{:g}k", value / 1e3);
  return fmt::format("{:g}", std::abs(value) < 1e-12 ? 0 : value);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view plot_colour(std::size_t number) {
  static constexpr std::array<std::string_view, 12> kColours = {
      "#3366aa", "#dd7733", "#449944", "#bb4466", "#8866bb", "#997755",
      "#cc99bb", "#777777", "#aaaa33", "#44aabb", "#5555dd", "#225533"};
  return kColours[number % kColours.size()];
}

SvgPlot::SvgPlot(std::string title, PlotAxis x, PlotAxis y, int height)
    : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)), height_(height) {
  if (x_.most <= x_.least) x_.most = x_.logarithmic ? x_.least * 10 : x_.least + 1;
  if (y_.most <= y_.least) y_.most = y_.least + 1;
}

double SvgPlot::at_x(double value) const {
  return kLeft + std::clamp(part_of(x_, value), 0.0, 1.0) * (kWidth - kLeft - kRight);
}
double SvgPlot::at_y(double value) const {
  return height_ - kBottom - std::clamp(part_of(y_, value), 0.0, 1.0) * (height_ - kTop - kBottom);
}

void SvgPlot::line(std::span<const std::pair<double, double>> points, std::string_view colour) {
  if (points.empty()) return;
  std::string path;
  for (const auto& [x, y] : points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', at_x(x), at_y(y));
  }
  body_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", path,
                       colour);
}

void SvgPlot::bar(double x0, double x1, double y0, double y1, std::string_view colour) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
      at_x(x0), at_y(y1), at_x(x1) - at_x(x0) + 0.4, at_y(y0) - at_y(y1), colour);
}

void SvgPlot::legend(std::string_view name, std::string_view colour) {
  legend_ +=
      fmt::format("<span><i style=\"background:{}\"></i>{}</span> ", colour, escape_html(name));
}

std::string SvgPlot::axes() const {
  std::string out;
  for (const double tick : ticks_of(x_)) {
    out += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" class=\"grid\"/>"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
        at_x(tick), kTop, height_ - kBottom, height_ - kBottom + 15, tick_text(tick));
  }
  for (const double tick : ticks_of(y_)) {
    out += fmt::format(
        "<line x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" class=\"grid\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        at_y(tick), kLeft, kWidth - kRight, kLeft - 6, at_y(tick) + 4, tick_text(tick));
  }
  out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     (kLeft + kWidth - kRight) / 2, height_ - 6, escape_html(x_.label));
  out += fmt::format(
      "<text x=\"14\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {0:.1f})\">"
      "{1}</text>\n",
      (kTop + height_ - kBottom) / 2, escape_html(y_.label));
  return out;
}

std::string SvgPlot::text() const {
  return fmt::format(
      "<h2>{}</h2>\n<p class=\"legend\">{}</p>\n"
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}{}</svg>\n",
      escape_html(title_), legend_, kWidth, height_, escape_html(title_), axes(), body_);
}

}  // namespace gpusched::replay
