// `submit --dry-run`: what would run, where, and when or why not yet.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "cli/display.h"
#include "cli/render/render.h"

namespace gpusched::cli {
namespace {

std::string start_text(const PreviewView& view, const Page& page) {
  if (view.starts_now) return "at once";
  if (!view.estimated_start) {
    return view.start_unknown.empty() ? "unknown" : "unknown: " + escaped(view.start_unknown);
  }
  const Microseconds in = *view.estimated_start - page.now;
  std::string text = local_time(*view.estimated_start, page);
  if (in > Microseconds{0}) text += fmt::format(", in {}", format_duration(in));
  return text;
}

std::string places_text(const PreviewJobView& job) {
  std::string text = job.name.empty() ? "" : fmt::format("named {}, ", job.name);
  text += "in " + job.directory;
  if (!job.output.empty()) text += ", output to " + job.output;
  if (!job.error.empty()) text += ", errors to " + job.error;
  return escaped(text);
}

}  // namespace

std::string render_preview(const SubmittedView& submitted, const Page& page) {
  const PreviewView& view = *submitted.preview;
  std::string out;
  std::string places;
  for (std::size_t i = 0; i < view.commands.size(); ++i) {
    out += fmt::format("{}{}\n", i == 0 ? "Runs:   " : "        ", escaped(view.commands[i]));
    const std::string own = i < view.jobs.size() ? places_text(view.jobs[i]) : std::string();
    if (own != places) out += fmt::format("          {}\n", wrapped(own, page.width, 10));
    places = own;
  }
  if (submitted.count > view.commands.size()) {
    out += fmt::format("        and {} more\n", submitted.count - view.commands.size());
  }
  if (view.starts_now) {
    out +=
        fmt::format("Cards:  {}\n",
                    view.cards.empty() ? "none" : fmt::format("{}", fmt::join(view.cards, ", ")));
  }
  out += fmt::format("Starts: {}\n", start_text(view, page));
  for (std::size_t i = 0; i < view.reasons.size(); ++i) {
    out += fmt::format("{}{}\n", i == 0 ? "Waits:  " : "        ",
                       wrapped(escaped(view.reasons[i]), page.width, 8));
  }
  return out;
}

}  // namespace gpusched::cli
