#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "replay/report.h"
#include "replay/svg_plot.h"

namespace gpusched::replay {
namespace {

constexpr std::size_t kBins = 400;        // Along the time axis.
constexpr std::size_t kTenantsShown = 8;  // The rest is one colour.
constexpr int kCardsDrawn = 128;

// The time of a replay, cut into bins.
struct Timeline {
  Microseconds begin{0};
  Microseconds end{0};
  double days(Microseconds at) const {
    return std::chrono::duration<double>(at - begin).count() / 86'400;
  }
  double bin_days() const { return days(end) / static_cast<double>(kBins); }
  // Calls add(bin, part of the bin that is covered).
  template <class Add>
  void cover(Microseconds from, Microseconds to, Add add) const {
    const double bin = bin_days();
    if (bin <= 0) return;
    const double first = days(from) / bin;
    const double last = days(to) / bin;
    for (auto i = static_cast<std::size_t>(first); i < kBins && static_cast<double>(i) < last;
         ++i) {
      const auto left = static_cast<double>(i);
      add(i, std::min(last, left + 1) - std::max(first, left));
    }
  }
};

Timeline timeline_of(const Simulated& result) {
  Timeline timeline{.begin = result.trace.front().submit, .end = result.trace.front().submit};
  for (const JobOutcome& job : result.outcome.jobs) timeline.end = std::max(timeline.end, job.end);
  return timeline;
}

using Points = std::vector<std::pair<double, double>>;

Points points_of(const std::vector<double>& bins, const Timeline& timeline) {
  Points points;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    points.emplace_back((static_cast<double>(i) + 0.5) * timeline.bin_days(), bins[i]);
  }
  return points;
}

std::string queue_plot(const Simulated& result, const Timeline& timeline) {
  std::vector<double> waiting(kBins, 0.0);
  const auto add_wait = [&](Microseconds from, Microseconds to) {
    timeline.cover(from, to, [&](std::size_t bin, double part) { waiting[bin] += part; });
  };
  std::vector<Microseconds> since;
  for (const TraceJob& job : result.trace) since.push_back(job.submit);
  // Stretches stand in the order of their ends, so each job's in their own order.
  for (const Stretch& run : result.outcome.stretches) {
    add_wait(since[run.job], run.start);
    since[run.job] = run.end;
  }
  const double most = *std::ranges::max_element(waiting);
  SvgPlot plot("Jobs that wait", {"days", 0, timeline.days(timeline.end)},
               {"jobs", 0, std::max(1.0, most)});
  plot.line(points_of(waiting, timeline), plot_colour(1));
  return plot.text();
}

// Colours by tenant: the largest have their own.
class TenantColours {
 public:
  explicit TenantColours(const Measures& measures) {
    for (const TenantShare& tenant : measures.tenants) {
      numbers_.emplace(tenant.tenant, std::min(numbers_.size(), kTenantsShown));
    }
  }
  std::size_t of(const std::string& tenant) const { return numbers_.at(tenant); }
  std::size_t count() const { return std::min(numbers_.size(), kTenantsShown + 1); }

 private:
  std::map<std::string, std::size_t> numbers_;
};

// Cards in use over time, stacked by tenant.
std::string use_plot(const Simulated& result, const Timeline& timeline,
                     const TenantColours& colours) {
  std::vector<std::vector<double>> use(colours.count(), std::vector<double>(kBins, 0.0));
  for (const Stretch& run : result.outcome.stretches) {
    std::vector<double>& tenant = use[colours.of(result.trace[run.job].tenant)];
    const double held = static_cast<double>(run.cards.size()) * run.part;
    timeline.cover(run.start, run.end,
                   [&](std::size_t bin, double part) { tenant[bin] += part * held; });
  }
  SvgPlot plot("Cards in use, by tenant", {"days", 0, timeline.days(timeline.end)},
               {"cards", 0, static_cast<double>(result.outcome.cards)});
  std::vector<double> below(kBins, 0.0);
  for (std::size_t tenant = 0; tenant < use.size(); ++tenant) {
    for (std::size_t i = 0; i < kBins; ++i) {
      const double held = use[tenant][i];
      if (held <= 0) continue;
      const double from = static_cast<double>(i) * timeline.bin_days();
      plot.bar(from, from + timeline.bin_days(), below[i], below[i] + held, plot_colour(tenant));
      below[i] += held;
    }
    const bool others = tenant == kTenantsShown;
    plot.legend(others ? "others" : result.measures.tenants[tenant].tenant, plot_colour(tenant));
  }
  return plot.text();
}

Points distribution_of(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  Points points;
  const std::size_t step = std::max<std::size_t>(1, seconds.size() / 500);
  for (std::size_t i = 0; i < seconds.size(); i += step) {
    const double part = static_cast<double>(i + 1) / static_cast<double>(seconds.size());
    points.emplace_back(std::max(1.0, seconds[i]), 100 * part);
  }
  points.emplace_back(std::max(1.0, seconds.back()), 100);
  return points;
}

std::string distribution_plot(const Simulated& result) {
  std::vector<double> completions;
  std::vector<double> waits;
  for (std::size_t i = 0; i < result.trace.size(); ++i) {
    const Microseconds completion = result.outcome.jobs[i].end - result.trace[i].submit;
    const auto seconds = [](Microseconds t) { return std::chrono::duration<double>(t).count(); };
    completions.push_back(seconds(completion));
    waits.push_back(seconds(completion - result.outcome.jobs[i].on_cards));
  }
  const double most = std::max(10.0, *std::ranges::max_element(completions));
  SvgPlot plot("Completion and waiting, how many within",
               {"seconds (below 1 s as 1 s)", 1, most, true}, {"% of jobs", 0, 100});
  plot.line(distribution_of(std::move(completions)), plot_colour(0));
  plot.line(distribution_of(std::move(waits)), plot_colour(1));
  plot.legend("completion", plot_colour(0));
  plot.legend("waiting", plot_colour(1));
  return plot.text();
}

// One row per card, coloured by tenant, or by job where there is one tenant; a colour's lines are
// one path.
std::string card_plot(const Simulated& result, const Timeline& timeline,
                      const TenantColours& colours) {
  const int drawn = std::min(result.outcome.cards, kCardsDrawn);
  const int height = 60 + drawn * std::max(4, 320 / std::max(1, drawn));
  const std::string title = drawn < result.outcome.cards ? fmt::format("Cards, the first {} of {}",
                                                                       drawn, result.outcome.cards)
                                                         : "Cards";
  SvgPlot plot(title, {"days", 0, timeline.days(timeline.end)},
               {"card", 0, static_cast<double>(drawn)}, height);
  constexpr std::size_t kJobColours = 12;
  const bool by_job = colours.count() == 1;
  std::vector<std::string> paths(by_job ? kJobColours : colours.count());
  // What is narrower than a pixel is drawn once per pixel, or a long trace would be endless.
  std::vector<double> drawn_to(static_cast<std::size_t>(drawn), -1);
  std::vector<const Stretch*> runs;
  for (const Stretch& run : result.outcome.stretches) runs.push_back(&run);
  std::ranges::stable_sort(runs, {}, [](const Stretch* run) { return run->start; });
  for (const Stretch* run : runs) {
    const double from = plot.at_x(timeline.days(run->start));
    const double to = std::max(from + 0.4, plot.at_x(timeline.days(run->end)) - 0.2);
    for (const int card : run->cards) {
      if (card >= drawn || to < drawn_to[static_cast<std::size_t>(card)] + 0.5) continue;
      drawn_to[static_cast<std::size_t>(card)] = to;
      paths[by_job ? run->job % kJobColours : colours.of(result.trace[run->job].tenant)] +=
          fmt::format("M{:.1f} {:.1f}H{:.1f}", from, plot.at_y(card + 0.5), to);
    }
  }
  const double row = plot.at_y(0) - plot.at_y(1);
  for (std::size_t tenant = 0; tenant < paths.size(); ++tenant) {
    if (paths[tenant].empty()) continue;
    plot.raw(fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n", paths[tenant],
                         plot_colour(tenant), std::max(1.0, row - 1)));
  }
  return plot.text();
}

constexpr std::string_view kStyle =
    "body{font:14px/1.5 system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 1em;"
    "color:#222;background:#fff}h1{font-size:1.5em}h2{font-size:1.1em;margin:1.6em 0 .2em}"
    "svg{width:100%;height:auto}svg text{font-size:11px;fill:#555}.grid{stroke:#e4e4e4}"
    "table{border-collapse:collapse}td,th{padding:.2em .9em .2em 0;text-align:right}"
    "td:first-child,th:first-child{text-align:left}th{border-bottom:1px solid #ccc}"
    ".legend{margin:0}.legend span{margin-right:1em}.legend i{display:inline-block;width:.8em;"
    "height:.8em;margin-right:.3em}pre{background:#f6f6f6;padding:.8em;overflow-x:auto}";

}  // namespace

std::string as_html(const SimulateAsked& asked, const std::string& name, const Simulated& result) {
  const Timeline timeline = timeline_of(result);
  const TenantColours colours(result.measures);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\">"
      "<title>{0}, {1}</title><style>{2}</style></head><body>\n"
      "<h1>{0} under {1}</h1>\n<pre>{3}</pre>\n",
      escape_html(name), escape_html(asked.policy), kStyle, escape_html(as_text(asked, result)));
  page += queue_plot(result, timeline);
  page += use_plot(result, timeline, colours);
  page += distribution_plot(result);
  page += card_plot(result, timeline, colours);
  return page + "</body></html>\n";
}

}  // namespace gpusched::replay
