#include "cli/report/report_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "replay/svg_plot.h"
#include "report/report_figures.h"

namespace gpusched::cli {
namespace {

using replay::escape_html;

constexpr double kPlotWidth = 860;
constexpr double kPlotHeight = 180;
constexpr double kPlotLeft = 56;
constexpr double kPlotBottom = 24;
constexpr double kRowHeight = 22;
constexpr double kLabelWidth = 220;
constexpr std::size_t kLabelLetters = 30;

double most_of(const std::vector<PlotBar>& bars) {
  double most = 0;
  for (const PlotBar& bar : bars) most = std::max(most, bar.value);
  return most > 0 ? most : 1;
}

// 1, 2 or 5 times a power of ten.
double round_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= rough) return power * factor;
  }
  return power * 10;
}

std::string begin_of(const std::string& title, double height) {
  return fmt::format(
      "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 {1} {2}\" role=\"img\" "
      "aria-label=\"{0}\">",
      escape_html(title), kPlotWidth, height);
}

std::string short_label(const std::string& label) {
  std::string out;
  std::size_t letters = 0;
  for (const char c : label) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (begins && ++letters > kLabelLetters) return out + "…";
    out += c;
  }
  return out;
}

}  // namespace

std::string column_plot(const std::string& title, const std::string& unit,
                        const std::vector<PlotBar>& bars) {
  if (bars.empty()) return {};
  const double most = most_of(bars);
  const double high = kPlotHeight - kPlotBottom - 10;
  const double wide = (kPlotWidth - kPlotLeft - 8) / static_cast<double>(bars.size());
  std::string out = begin_of(title, kPlotHeight);
  const double step = round_step(most / 4);
  for (double tick = 0; tick <= most * 1.0001; tick += step) {
    const double y = 10 + high * (1 - tick / most);
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>",
        kPlotLeft, kPlotWidth, y, kPlotLeft - 6, y + 4, tick);
  }
  const auto every =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(72 / std::max(wide, 1.0))));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const PlotBar& bar = bars[i];
    const double x = kPlotLeft + wide * static_cast<double>(i);
    const double tall = high * bar.value / most;
    out += fmt::format(
        "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">"
        "<title>{}: {} {}</title></rect>",
        x + wide * 0.1, 10 + high - tall, std::max(wide * 0.8, 0.5), tall, escape_html(bar.label),
        escape_html(report_amount(bar.value)), escape_html(unit));
    if (i % every != 0) continue;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x + wide / 2,
                       kPlotHeight - 6, escape_html(bar.label));
  }
  return out + "</svg></figure>\n";
}

std::string row_plot(const std::string& title, const std::vector<PlotBar>& bars) {
  if (bars.empty()) return {};
  const double most = most_of(bars);
  const double wide = kPlotWidth - kLabelWidth - 80;
  std::string out = begin_of(title, kRowHeight * static_cast<double>(bars.size()) + 4);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const PlotBar& bar = bars[i];
    const double y = kRowHeight * static_cast<double>(i) + 3;
    const double whole = wide * bar.value / most;
    out += fmt::format(
        "<text x=\"{0}\" y=\"{1:.1f}\" text-anchor=\"end\">{2}</text>"
        "<rect class=\"bar\" x=\"{3}\" y=\"{4:.1f}\" width=\"{5:.1f}\" height=\"{6}\">"
        "<title>{7}</title></rect>",
        kLabelWidth - 8, y + 12, escape_html(short_label(bar.label)), kLabelWidth, y, whole,
        kRowHeight - 6, escape_html(bar.tip.empty() ? bar.label : bar.tip));
    const double marked = wide * std::clamp(bar.marked, 0.0, bar.value) / most;
    if (marked > 0) {
      out += fmt::format(
          "<rect class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>",
          kLabelWidth + whole - marked, y, marked, kRowHeight - 6);
    }
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", kLabelWidth + whole + 6, y + 12,
                       escape_html(report_amount(bar.value)));
  }
  return out + "</svg></figure>\n";
}

}  // namespace gpusched::cli
