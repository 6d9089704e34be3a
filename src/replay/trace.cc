#include "replay/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gpusched::replay {
namespace {

// The number in text[at, at + length), or -1.
int digits(std::string_view text, std::size_t at, std::size_t length) {
  int value = 0;
  if (at + length > text.size()) return -1;
  const char* end = text.data() + at + length;
  const auto read = std::from_chars(text.data() + at, end, value);
  return read.ec == std::errc{} && read.ptr == end ? value : -1;
}

bool has_date_form(std::string_view text) {
  if (text.size() != 10 && text.size() != 16 && text.size() != 19) return false;
  if (text[4] != '-' || text[7] != '-') return false;
  if (text.size() > 10 && ((text[10] != ' ' && text[10] != 'T') || text[13] != ':')) return false;
  return text.size() < 19 || text[16] == ':';
}

}  // namespace

Result<Wall> parse_trace_date(std::string_view text, bool last) {
  const auto wrong = [&] {
    return failure(
        ErrorCode::kInvalid,
        fmt::format("'{}' is not a date such as 2017-10-01 or \"2017-10-01 06:30:00\"", text));
  };
  if (!has_date_form(text)) return wrong();
  using namespace std::chrono;
  const year_month_day day{year{digits(text, 0, 4)},
                           month{static_cast<unsigned>(digits(text, 5, 2))},
                           std::chrono::day{static_cast<unsigned>(digits(text, 8, 2))}};
  if (!day.ok()) return wrong();
  int hour = last ? 23 : 0;
  int minute = last ? 59 : 0;
  int second = last ? 59 : 0;
  if (text.size() > 10) {
    hour = digits(text, 11, 2);
    minute = digits(text, 14, 2);
    second = text.size() > 16 ? digits(text, 17, 2) : 0;
  }
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
    return wrong();
  }
  return Wall{sys_days{day}.time_since_epoch() + hours{hour} + minutes{minute} + seconds{second}};
}

Result<Trace> select(Trace trace, const Selection& selection) {
  if (trace.empty()) return failure(ErrorCode::kInvalid, "the trace has no jobs");
  std::erase_if(trace, [&](const TraceJob& job) {
    return (!selection.tenant.empty() && job.tenant != selection.tenant) ||
           (selection.cards_most && job.cards() > *selection.cards_most);
  });
  if (trace.empty()) return failure(ErrorCode::kInvalid, "no job of the trace is selected");
  std::ranges::stable_sort(trace, {}, &TraceJob::submit);
  return trace;
}

}  // namespace gpusched::replay
