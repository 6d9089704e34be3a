// A plot as SVG text: axes with round ticks, lines, and whatever else is drawn in its coordinates.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpusched::replay {

// Text that is safe between tags and in attributes.
std::string escape_html(std::string_view text);
// One of a dozen colours that can be told apart.
std::string_view plot_colour(std::size_t number);

struct PlotAxis {
  std::string label;
  double least = 0;
  double most = 1;
  bool logarithmic = false;  // REQUIRES: least > 0.
};

class SvgPlot {
 public:
  SvgPlot(std::string title, PlotAxis x, PlotAxis y, int height = 240);

  double at_x(double value) const;
  double at_y(double value) const;
  void line(std::span<const std::pair<double, double>> points, std::string_view colour);
  void bar(double x0, double x1, double y0, double y1, std::string_view colour);
  void raw(const std::string& svg) { body_ += svg; }
  void legend(std::string_view name, std::string_view colour);
  std::string text() const;

 private:
  std::string axes() const;

  std::string title_;
  PlotAxis x_;
  PlotAxis y_;
  int height_;
  std::string body_;
  std::string legend_;
};

}  // namespace gpusched::replay
