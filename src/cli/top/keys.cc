#include "cli/top/keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/top/rows.h"

namespace gpusched::cli::top {
namespace {

constexpr std::size_t kFilterMost = 200;

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
  settle(state);
}

// The selected job, or a word about why there is none.
std::uint64_t selected_job(State& state) {
  settle(state);
  if (state.selected.kind == RowId::Kind::kJob) return state.selected.number;
  state.message = state.selected.kind == RowId::Kind::kProcess
                      ? fmt::format("Process {} is not a job: only its owner can end it.",
                                    state.selected.number)
                      : "There is no job to choose.";
  return 0;
}

Order about_job(State& state, Order::What what) {
  const std::uint64_t job = selected_job(state);
  if (job == 0) return {};
  if (what != Order::What::kCancel) return {what, job};
  state.mode = Mode::kConfirm;
  state.asked = job;
  return {};
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
      settle(state);
      return true;
    case Key::Kind::kEscape:
      state.filter.clear();
      return true;
    case Key::Kind::kEnter:
      settle(state);
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
      return about_job(state, Order::What::kCancel);
    case 'h':
      return about_job(state, Order::What::kHold);
    case 'r':
      return about_job(state, Order::What::kRelease);
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
        return {Order::What::kCancel, state.asked};
      }
      state.message = fmt::format("Job {} stays.", state.asked);
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
