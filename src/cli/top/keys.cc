#include "cli/top/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/top/rows.h"

namespace gpusched::cli::top {
namespace {

constexpr std::size_t kFilterMost = 200;
constexpr int kPriorityStep = 5;

SortBy after(SortBy sort) {
  switch (sort) {
    case SortBy::kOrder:
      return SortBy::kMemory;
    case SortBy::kMemory:
      return SortBy::kBusy;
    case SortBy::kBusy:
      return SortBy::kTime;
    case SortBy::kTime:
      return SortBy::kUser;
    case SortBy::kUser:
      return SortBy::kOrder;
  }
  return SortBy::kOrder;
}

Section after(Section section) {
  switch (section) {
    case Section::kAll:
      return Section::kCards;
    case Section::kCards:
      return Section::kRunning;
    case Section::kRunning:
      return Section::kSweeps;
    case Section::kSweeps:
      return Section::kProcesses;
    case Section::kProcesses:
      return Section::kWaiting;
    case Section::kWaiting:
      return Section::kAll;
  }
  return Section::kAll;
}

void drop_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
    text.pop_back();
  }
  if (!text.empty()) text.pop_back();
}

void edit_filter(State& state, const Key& key) {
  if (key.kind == Key::Kind::kText && state.filter.size() < kFilterMost) state.filter += key.text;
  if (key.kind == Key::Kind::kBackspace) drop_last_character(state.filter);
  if (key.kind == Key::Kind::kEscape) state.filter.clear();
  if (key.kind == Key::Kind::kEscape || key.kind == Key::Kind::kEnter) state.mode = Mode::kLook;
  keep_selection(state);
}

// The selected job or sweep, or a word about why there is none.
std::optional<RowId> selected_work(State& state) {
  keep_selection(state);
  const RowId row = state.selected;
  if (row.kind == RowId::Kind::kJob || row.kind == RowId::Kind::kSweep) return row;
  state.message =
      row.kind == RowId::Kind::kProcess
          ? fmt::format("Process {} is not a job: only its owner can end it.", row.number)
          : "There is no job to choose.";
  return std::nullopt;
}

// What hurts somebody is done after a yes.
Order confirmed(State& state, const Order& order) {
  state.mode = Mode::kConfirm;
  state.asked = order;
  return {};
}

Order about_work(State& state, Order::What what) {
  const auto row = selected_work(state);
  if (!row) return {};
  const Order order{what, row->number, row->kind == RowId::Kind::kSweep};
  return what == Order::What::kCancel ? confirmed(state, order) : order;
}

// One that runs is moved aside, one that is aside is asked back.
Order pause_or_resume(State& state) {
  const auto row = selected_work(state);
  if (!row) return {};
  const bool sweep = row->kind == RowId::Kind::kSweep;
  const JobView* job = sweep ? nullptr : find_job(state, row->number);
  const SweepView* all = sweep ? find_sweep(state, row->number) : nullptr;
  const bool runs = sweep ? all != nullptr && all->counts.running + all->counts.starting > 0
                          : job != nullptr && (job->state == "running" || job->state == "starting");
  if (runs) return confirmed(state, {Order::What::kPause, row->number, sweep});
  const bool aside =
      sweep ? all != nullptr && all->counts.paused > 0 : job != nullptr && !job->waiting();
  if (aside) return {Order::What::kResume, row->number, sweep};
  state.message = "It does not run: hold keeps it from starting (h).";
  return {};
}

// The bands of docs/preemption.md: who gets into a higher one may move others aside.
int band_of(int priority) {
  constexpr std::array kFrom = {20, 40, 70, 85};
  return static_cast<int>(std::ranges::count_if(kFrom, [&](int from) { return priority >= from; }));
}

Order change_priority(State& state, int by) {
  const auto row = selected_work(state);
  if (!row) return {};
  const bool sweep = row->kind == RowId::Kind::kSweep;
  const JobView* job = sweep ? nullptr : find_job(state, row->number);
  const SweepView* all = sweep ? find_sweep(state, row->number) : nullptr;
  if (job == nullptr && all == nullptr) return {};
  const int before = sweep ? all->priority : job->priority;
  const int after = std::clamp(before + by, 0, 100);
  if (after == before) {
    state.message = fmt::format("Its priority is {} already.", before);
    return {};
  }
  const Order order{Order::What::kPriority, row->number, sweep, after, before};
  return band_of(after) > band_of(before) ? confirmed(state, order) : order;
}

bool looked_around(State& state, const Key& key, int page) {
  switch (key.kind) {
    case Key::Kind::kUp:
      move_selection(state, -1);
      return true;
    case Key::Kind::kDown:
      move_selection(state, 1);
      return true;
    case Key::Kind::kPageUp:
      move_selection(state, -page);
      return true;
    case Key::Kind::kPageDown:
      move_selection(state, page);
      return true;
    case Key::Kind::kHome:
      move_selection(state, -1'000'000);
      return true;
    case Key::Kind::kEnd:
      move_selection(state, 1'000'000);
      return true;
    case Key::Kind::kTab:
      state.section = after(state.section);
      keep_selection(state);
      return true;
    case Key::Kind::kEscape:
      state.filter.clear();
      return true;
    case Key::Kind::kEnter:
      keep_selection(state);
      if (state.selected.kind != RowId::Kind::kNone) state.mode = Mode::kDetails;
      return true;
    case Key::Kind::kText:
    case Key::Kind::kBackspace:
    case Key::Kind::kHelp:
    case Key::Kind::kOther:
      return false;
  }
  return false;
}

Order letter(State& state, char key) {
  switch (key) {
    case 'q':
      return {Order::What::kQuit};
    case '?':
      state.mode = Mode::kHelp;
      return {};
    case '/':
      state.mode = Mode::kFilter;
      return {};
    case 's':
      state.sort = after(state.sort);
      state.reversed = false;
      return {};
    case 'S':
      state.reversed = !state.reversed;
      return {};
    case ' ':
      state.paused = !state.paused;
      return {state.paused ? Order::What::kNothing : Order::What::kRefresh};
    case 'c':
      return about_work(state, Order::What::kCancel);
    case 'h':
      return about_work(state, Order::What::kHold);
    case 'r':
      return about_work(state, Order::What::kRelease);
    case 'p':
      return pause_or_resume(state);
    case '+':
      return change_priority(state, kPriorityStep);
    case '-':
      return change_priority(state, -kPriorityStep);
    case 'e':
      state.expanded = !state.expanded;
      return {Order::What::kRefresh};
    case 'j':
      move_selection(state, 1);
      return {};
    case 'k':
      move_selection(state, -1);
      return {};
    default:
      state.message = "That key means nothing here; ? lists those that do.";
      return {};
  }
}

}  // namespace

Order press(State& state, const Key& key, int page) {
  state.message.clear();
  switch (state.mode) {
    case Mode::kHelp:
    case Mode::kDetails:
      state.mode = Mode::kLook;
      return {};
    case Mode::kFilter:
      edit_filter(state, key);
      return {};
    case Mode::kConfirm:
      state.mode = Mode::kLook;
      if (key.kind == Key::Kind::kText && key.text == "y") {
        return state.asked;
      }
      state.message =
          fmt::format("{} {} stays{}.", state.asked.sweep ? "Sweep" : "Job", state.asked.job,
                      state.asked.what == Order::What::kCancel ? "" : " as it is");
      return {};
    case Mode::kLook:
      break;
  }
  if (key.kind == Key::Kind::kHelp) state.mode = Mode::kHelp;
  if (looked_around(state, key, std::max(page, 1))) return {};
  if (key.kind == Key::Kind::kText && key.text.size() == 1) return letter(state, key.text[0]);
  return {};
}

}  // namespace gpusched::cli::top
