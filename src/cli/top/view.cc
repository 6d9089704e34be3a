#include "cli/top/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/top/details.h"
#include "cli/top/sections.h"

namespace gpusched::cli::top {
namespace {

using Look = ScreenLine::Look;

std::size_t width_of(const StyledLine& line) {
  std::size_t width = 0;
  for (const Cell& piece : line) width += display_width(piece.text);
  return width;
}

// Never wider than the terminal: a line that wraps would move all others.
StyledLine fitted(StyledLine line, std::size_t width) {
  std::size_t left = width;
  for (Cell& piece : line) {
    piece.text = cut(piece.text, left);
    left -= std::min(left, display_width(piece.text));
  }
  return line;
}

// `left` and, if there is room for both, `right` at the end of the line.
StyledLine spread(StyledLine left, const StyledLine& right, std::size_t width) {
  const std::size_t needed = width_of(right) + 2;
  if (needed > width) return fitted(std::move(left), width);
  left = fitted(std::move(left), width - needed);
  left.push_back({std::string(width - width_of(left) - width_of(right), ' ')});
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// Titles that the label would cut are left out.
StyledLine heading_line(StyledLine titles, const std::string& label, std::size_t width) {
  if (label.empty()) return fitted(std::move(titles), width);
  while (!titles.empty() && width_of(titles) + display_width(label) + 2 > width) titles.pop_back();
  return spread(std::move(titles), {{label, Style::kBold}}, width);
}

std::string state_counts(const State& state) {
  if (!state.known) return "waiting for the daemon";
  const CountsView& counts = state.jobs.counts;
  std::string text =
      fmt::format("{}, {} running, {} waiting", counted(state.gpus.cards.size(), "card", "cards"),
                  counts.running + counts.starting, counts.queued);
  if (counts.held > 0) text += fmt::format(", {} held", counts.held);
  return text;
}

ScreenLine title_line(const State& state, const ScreenSize& size, const Page& page) {
  StyledLine right;
  if (state.paused) right.push_back({"STOPPED  ", Style::kYellow});
  if (!state.filter.empty() && state.mode != Mode::kFilter) {
    right.push_back({fmt::format("filter: {}  ", cut(escaped(state.filter), 20)), Style::kYellow});
  }
  if (state.sort != SortBy::kOrder || state.reversed) {
    const std::string_view by = state.sort == SortBy::kOrder ? "order" : word_of(state.sort);
    right.push_back({fmt::format("by {} {}  ", by, state.reversed ? "▲" : "▼"), Style::kCyan});
  }
  right.push_back({local_time(page.now, page).substr(11)});
  return {
      spread({{"gpusched top", Style::kBold}, {"  " + state_counts(state)}}, right, size.columns)};
}

// The hints that fit, the ones needed most first.
StyledLine hints(std::size_t width) {
  struct Hint {
    std::string_view key, does;
  };
  static constexpr std::array kHints = {
      Hint{"q", "quit"},     Hint{"?", "help"},      Hint{"↑↓", "select"}, Hint{"c", "cancel"},
      Hint{"h", "hold"},     Hint{"r", "release"},   Hint{"/", "filter"},  Hint{"s", "sort"},
      Hint{"p", "pause"},    Hint{"+-", "priority"}, Hint{"e", "expand"},  Hint{"tab", "view"},
      Hint{"space", "stop"}, Hint{"S", "turn round"}};
  StyledLine line;
  std::size_t used = 0;
  for (const Hint& hint : kHints) {
    const std::size_t more = display_width(hint.key) + hint.does.size() + 1 + (used > 0 ? 2 : 0);
    if (used + more > width) break;
    used += more;
    line.push_back({std::string(line.empty() ? "" : "  ")});
    line.push_back({std::string(hint.key), Style::kBold});
    line.push_back({fmt::format(" {}", hint.does), Style::kDim});
  }
  return line;
}

// "job 7 (running, of ml1, baseline)"
std::string who_is_asked(const State& state) {
  const std::uint64_t id = state.asked.job;
  if (state.asked.sweep) {
    const SweepView* sweep = find_sweep(state, id);
    if (sweep == nullptr) return fmt::format("sweep {}", id);
    // Only those that run can be moved aside.
    const bool pause = state.asked.what == Order::What::kPause;
    const std::uint64_t count =
        pause ? sweep->counts.starting + sweep->counts.running : sweep->open();
    return fmt::format("{} of sweep {}{}", counted(count, "job", "jobs"), id,
                       sweep->user.empty() ? "" : " of " + sweep->user);
  }
  const JobView* job = find_job(state, id);
  if (job == nullptr) return fmt::format("job {}", id);
  return fmt::format("job {} ({}{}{})", id, job->state,
                     job->user.empty() ? "" : ", of " + job->user,
                     job->name.empty() ? "" : ", " + job->name);
}

std::string question(const State& state) {
  const std::string who = escaped(who_is_asked(state));
  std::string what = fmt::format("Cancel {}?", who);
  if (state.asked.what == Order::What::kPause) what = fmt::format("Move {} aside?", who);
  if (state.asked.what == Order::What::kPriority) {
    what = fmt::format("Priority {} for {}? It may move others aside.", state.asked.priority, who);
  }
  return what + " y: yes; any other key: no";
}

ScreenLine last_line(const State& state, const ScreenSize& size, const Page& page,
                     std::optional<std::size_t>& cursor) {
  if (state.mode == Mode::kFilter) {
    StyledLine line = fitted({{"filter: ", Style::kBold}, {escaped(state.filter)}},
                             size.columns - std::min<std::size_t>(size.columns, 1));
    cursor = width_of(line);
    return {spread(std::move(line), {{"enter: keep  esc: clear", Style::kDim}}, size.columns)};
  }
  if (state.mode == Mode::kConfirm) {
    return {fitted({{question(state), Style::kYellow}}, size.columns)};
  }
  if (state.mode == Mode::kHelp || state.mode == Mode::kDetails)
    return {fitted({{"Any key goes back."}}, size.columns)};
  if (!state.message.empty()) {
    return {fitted({{escaped(state.message), Style::kBold}}, size.columns)};
  }
  if (state.away_since) {
    const std::string since = local_time(*state.away_since, page).substr(11);
    return {fitted({{fmt::format("The daemon has been away since {}; asking again every second. "
                                 "q quits.",
                                 since),
                     Style::kRed}},
                   size.columns)};
  }
  return {hints(size.columns)};
}

struct Shown {
  SectionLines section;
  std::size_t lines = 0;  // How many of them.
};

std::vector<Shown> sections_of(const State& state, const ScreenSize& size, const Page& page) {
  const Rows rows = rows_of(state);
  Page fitting = page;
  fitting.width = size.columns;
  std::vector<Shown> all;
  const auto add = [&](Section which, auto make) {
    if (state.section != Section::kAll && state.section != which) return;
    SectionLines section = make();
    if (!section.lines.empty()) all.push_back({std::move(section)});
  };
  add(Section::kCards, [&] { return card_lines(state, size.columns, page.now); });
  add(Section::kRunning, [&] { return running_lines(state, rows, fitting); });
  add(Section::kSweeps, [&] { return sweep_lines(rows, fitting); });
  add(Section::kProcesses, [&] { return foreign_lines(rows, fitting); });
  add(Section::kWaiting, [&] { return waiting_lines(state, rows, fitting); });
  return all;
}

// Line by line in turn, so that a long part cannot push the others off the screen.
void share_out(std::vector<Shown>& sections, std::size_t room) {
  bool given = true;
  while (room > 0 && given) {
    given = false;
    for (Shown& shown : sections) {
      if (room == 0 || shown.lines == shown.section.lines.size()) continue;
      ++shown.lines;
      --room;
      given = true;
    }
  }
}

// For a blank line before each part but the first: never at the cost of a line that says something.
bool has_room_between(const std::vector<Shown>& sections, std::size_t room) {
  std::size_t lines = 0;
  for (const Shown& shown : sections) {
    if (shown.lines < shown.section.lines.size()) return false;
    lines += shown.lines;
  }
  return !sections.empty() && lines + sections.size() - 1 <= room;
}

// The first line to show so that the selected one is among them.
std::size_t first_shown(const Shown& shown, const RowId& selected) {
  const auto& ids = shown.section.ids;
  const auto found = std::ranges::find(ids, selected);
  if (found == ids.end()) return 0;
  const auto at = static_cast<std::size_t>(found - ids.begin());
  const std::size_t before = std::min(at, shown.lines / 2);
  return std::min(at - before, shown.section.lines.size() - shown.lines);
}

void put(const Shown& shown, const State& state, std::size_t width, Screen& screen) {
  const SectionLines& section = shown.section;
  const std::size_t first = first_shown(shown, state.selected);
  const bool is_cut = shown.lines < section.lines.size() || section.count > section.lines.size();
  std::string label;
  if (is_cut && shown.lines == 1) label = fmt::format("{} of ", first + 1);
  if (is_cut && shown.lines > 1) label = fmt::format("{}-{} of ", first + 1, first + shown.lines);
  label += counted(section.count, section.one, section.many);
  // The title counts the cards already.
  if (section.ids.empty() && !is_cut) label.clear();
  screen.lines.push_back({heading_line(section.heading, label, width), Look::kHeading});
  for (std::size_t i = first; i < first + shown.lines; ++i) {
    const bool selected = i < section.ids.size() && section.ids[i] == state.selected;
    screen.lines.push_back(
        {fitted(section.lines[i], width), selected ? Look::kSelected : Look::kPlain});
  }
}

void put_help(Screen& screen, const ScreenSize& size) {
  static constexpr std::array<std::string_view, 22> kLines = {
      "",
      "  ↑ ↓ j k         select a line; page up, page down, home, end",
      "  enter           all about it: the whole reason, the whole command",
      "  c               cancel the selected job; asks first",
      "  h               hold it: it stays in the queue and does not start",
      "  r               release it",
      "  p               pause it: moved aside, asks first; again: it returns",
      "  + -             its priority, by 5; asks where that may move others aside",
      "  e               every job of a sweep, or one line for all of them",
      "  /               show only lines with these letters; esc: all again",
      "  s               sort by memory, load, time, user, or not at all",
      "  S               turn the order round",
      "  tab             all parts, or one of them on the whole screen",
      "  space           stop: the picture stands still",
      "  q               quit",
      "",
      "  Memory of a card: █ used by jobs  ▒ used by others  ░ promised  · free",
      "  History: the load of a card while this program has been watching.",
      "  NEED is what a job asked for; whole: it has its cards to itself.",
      "  IDLE: holds memory and has not used the card for that long.",
      "  - is what nobody could tell.",
      ""};
  for (const std::string_view line : kLines) {
    screen.lines.push_back({fitted({{std::string(line)}}, size.columns)});
  }
}

void put_details(const State& state, const ScreenSize& size, const Page& page, Screen& screen) {
  std::vector<StyledLine> lines = detail_lines(state, size.columns, page);
  if (lines.empty()) lines = {{{"It is gone: it has ended, or left the cards."}}};
  for (StyledLine& line : lines) {
    screen.lines.push_back({fitted(std::move(line), size.columns)});
  }
}

void put_parts(const State& state, const ScreenSize& size, const Page& page, Screen& screen) {
  std::vector<Shown> sections = sections_of(state, size, page);
  const std::size_t fixed = 2 + sections.size();  // Title, last line, headings.
  share_out(sections, size.rows > fixed ? size.rows - fixed : 0);
  const bool roomy = has_room_between(sections, size.rows - std::min(size.rows, fixed));
  for (const Shown& shown : sections) {
    if (roomy && &shown != &sections.front()) screen.lines.emplace_back();
    put(shown, state, size.columns, screen);
  }
  if (sections.empty() && state.known) {
    screen.lines.push_back(
        {{{state.filter.empty() ? "  Nothing to show here." : "  Nothing matches the filter."}}});
  } else if (state.known && state.section == Section::kAll && state.filter.empty() &&
             state.jobs.running.empty() && state.jobs.waiting.empty() &&
             rows_of(state).sweeps.empty()) {
    screen.lines.push_back({{{"  No job runs or waits.", Style::kDim}}});
  }
}

}  // namespace

Screen top_view(const State& state, const ScreenSize& size, const Page& page) {
  Screen screen;
  if (size.rows == 0 || size.columns == 0) return screen;
  screen.lines.push_back(title_line(state, size, page));
  if (state.mode == Mode::kHelp) {
    put_help(screen, size);
  } else if (state.mode == Mode::kDetails) {
    put_details(state, size, page, screen);
  } else {
    put_parts(state, size, page, screen);
  }
  screen.lines.resize(size.rows - 1);
  screen.lines.push_back(last_line(state, size, page, screen.cursor_in_last));
  return screen;
}

}  // namespace gpusched::cli::top
