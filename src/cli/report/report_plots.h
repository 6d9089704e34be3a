// The plots of a report's page, as SVG. Colours are classes: the page's style has them.
#pragma once

#include <string>
#include <vector>

namespace gpusched::cli {

struct PlotBar {
  std::string label;  // Any bytes; escaped here.
  double value = 0;
  double marked = 0;     // The part of it that stands out.
  std::string tip = {};  // What it says when pointed at, and to those who cannot see it.
};

// Upright, side by side; labels where there is room.
std::string column_plot(const std::string& title, const std::string& unit,
                        const std::vector<PlotBar>& bars);
// Lying, one below the other.
std::string row_plot(const std::string& title, const std::vector<PlotBar>& bars);

}  // namespace gpusched::cli
