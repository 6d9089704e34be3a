// Why jobs wait and when they start, for people.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/render/render.h"
#include "cli/table.h"

namespace gpusched::cli {
namespace {

std::string start_sentence(const ExplainView& view, const Page& page) {
  if (!view.estimated_start) {
    if (view.start_unknown.empty()) return {};
    return "When it starts is unknown: " + escaped(view.start_unknown) + ".";
  }
  const Microseconds in = *view.estimated_start - page.now;
  std::string when =
      fmt::format("It should start at {}{}", local_time(*view.estimated_start, page),
                  in > Microseconds{0} ? fmt::format(", in {}", format_duration(in)) : "");
  if (view.latest_start && *view.latest_start > *view.estimated_start) {
    when += fmt::format(", at {} at the latest", local_time(*view.latest_start, page));
  }
  return when + ", if nothing more important comes.";
}

// Each on a line of its own. A command is never broken: it is there to be pasted.
std::string hint_lines(const std::string& helps, const Page& page) {
  constexpr std::size_t kIndent = 4;
  const std::string margin(kIndent, ' ');
  std::string out;
  std::string begins = "What would help: ";
  for (std::size_t at = 0; at < helps.size();) {
    const std::size_t end = std::min(helps.find("; ", at), helps.size());
    const std::string hint = begins + helps.substr(at, end - at);
    at = end + 2;
    begins = "or ";
    const std::size_t command = hint.find("gpusched ");
    const bool fits = page.width == 0 || hint.size() + kIndent <= page.width;
    if (command == std::string::npos || fits) {
      out += margin + wrapped(hint, page.width, kIndent) + "\n";
    } else {
      out += margin + wrapped(hint.substr(0, command), page.width, kIndent) + "\n";
      out += margin + "  " + hint.substr(command) + "\n";
    }
  }
  return out;
}

// All but the first line.
std::string explain_body(const ExplainView& view, const Page& page) {
  std::string out;
  const auto line = [&](const std::string& text, std::size_t indent) {
    out += std::string(indent, ' ') + wrapped(text, page.width, indent) + "\n";
  };
  for (const ReasonView& reason : view.reasons) {
    line(escaped(reason.message), 2);
    out += hint_lines(escaped(reason.helps), page);
    if (!reason.no_room.empty())
      line("Nobody is moved aside for it: " + escaped(reason.no_room), 4);
  }
  if (view.mps) line("it uses its card through MPS; the driver cannot move it aside", 2);
  if (const std::string when = start_sentence(view, page); !when.empty()) line(when, 2);
  if (view.expire) {
    line(fmt::format("It is given up if it has not started by {}.", local_time(*view.expire, page)),
         2);
  }
  if (view.deadline) {
    const std::string when =
        fmt::format("It should be over by {}", local_time(*view.deadline, page));
    const std::string but =
        view.deadline_warning.empty() ? "." : "; " + escaped(view.deadline_warning) + ".";
    line(when + but, 2);
  }
  return out;
}

}  // namespace

std::string render_explain(const ExplainView& view, const Page& page) {
  std::string head = fmt::format("Job {} is {}", view.id, view.state);
  // Its state alone does not say that its cards are free for others.
  if (view.state == "paused") head += " and aside from its cards";
  if (view.position) head += fmt::format(", number {} in the queue", *view.position);
  return styled(escaped(head) + ".", Style::kBold, page.colour) + "\n" + explain_body(view, page);
}

std::string render_explained_together(const ExplainedTogetherView& view, const Page& page) {
  std::string out;
  for (const AlikeView& alike : view.groups) {
    // It may be gone by the time of the answer.
    const ExplainView first = alike.first.value_or(ExplainView{});
    std::string head = fmt::format("{} {} {}", counted(alike.count, "job", "jobs"),
                                   alike.count == 1 ? "is" : "are", first.state);
    std::string ids;
    for (const std::uint64_t id : alike.jobs) {
      if (!ids.empty()) ids += ", ";
      ids += std::to_string(id);
    }
    head += ": " + ids + (alike.count > alike.jobs.size() ? ", …" : "");
    out += styled(wrapped(escaped(head), page.width, 2), Style::kBold, page.colour) + "\n";
    const bool waits = !first.reasons.empty();
    if (waits && alike.count > 1) {
      out += "  " + wrapped(fmt::format("Of the first, job {}:", first.id), page.width, 2) + "\n";
    }
    out += explain_body(first, page);
  }
  if (view.groups_left_out > 0) {
    out += fmt::format("{} more reasons of fewer jobs are not shown.\n", view.groups_left_out);
  }
  return out;
}

}  // namespace gpusched::cli
