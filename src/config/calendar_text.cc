#include "config/calendar_text.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/number.h"
#include "base/text.h"

namespace gpusched {
namespace {

constexpr std::array<std::string_view, 7> kDayNames = {"sun", "mon", "tue", "wed",
                                                       "thu", "fri", "sat"};

std::vector<std::string_view> pieces_of(std::string_view text, char separator) {
  std::vector<std::string_view> pieces = split(text, separator);
  for (std::string_view& piece : pieces) piece = trimmed(piece);
  return pieces;
}

tl::unexpected<Error> bad_calendar(std::string_view piece, const char* wanted) {
  return failure(
      ErrorCode::kInvalid,
      fmt::format("\"{}\" is not {}, as in \"mon-fri 9:00-18:00 free 0,1\"", piece, wanted));
}

bool read_digits(std::string_view text, int& out) { return whole_number(text, out) && out >= 0; }

Result<unsigned> read_days(std::string_view text) {
  unsigned days = 0;
  for (const std::string_view range : pieces_of(text, ',')) {
    std::size_t ends[2] = {7, 7};
    const auto names = pieces_of(range, '-');
    for (std::size_t i = 0; i < names.size() && i < 2; ++i) {
      for (std::size_t day = 0; day < 7; ++day) {
        if (names[i] == kDayNames[day]) ends[i] = day;
      }
    }
    if (names.size() == 1) ends[1] = ends[0];
    if (names.size() > 2 || ends[0] == 7 || ends[1] == 7) return bad_calendar(range, "a weekday");
    for (std::size_t day = ends[0];; day = (day + 1) % 7) {
      days |= 1U << day;
      if (day == ends[1]) break;
    }
  }
  return days;
}

Result<Seconds> read_hour(std::string_view text) {
  const auto parts = pieces_of(text, ':');
  int hour = 0;
  int minute = 0;
  const bool read =
      parts.size() == 2 && read_digits(parts[0], hour) && read_digits(parts[1], minute);
  if (!read || minute > 59 || hour > 24 || (hour == 24 && minute > 0)) {
    return bad_calendar(text, "a time of day");
  }
  return Seconds{hour * 3600 + minute * 60};
}

Result<CalendarRule> read_rule(std::string_view text) {
  const std::vector<std::string_view> words = split_nonempty(text, ' ');
  if (words.size() != 4) return bad_calendar(text, "days, hours, and what is free then");
  CalendarRule rule;
  auto days = read_days(words[0]);
  if (!days) return failure(days.error());
  rule.weekdays = *days;
  const auto hours = pieces_of(words[1], '-');
  if (hours.size() != 2) return bad_calendar(words[1], "a range of hours");
  auto from = read_hour(hours[0]);
  if (!from) return failure(from.error());
  auto until = read_hour(hours[1]);
  if (!until) return failure(until.error());
  rule.from = *from;
  rule.until = *until;
  if (rule.from == rule.until) return bad_calendar(words[1], "a range of hours");
  if (words[2] == "most") {
    if (!read_digits(words[3], rule.most)) return bad_calendar(words[3], "a number of cards");
    return rule;
  }
  if (words[2] != "free") return bad_calendar(words[2], "free or most");
  for (const std::string_view card : pieces_of(words[3], ',')) {
    int number = 0;
    if (card.empty()) return bad_calendar(words[3], "a list of cards");
    if (read_digits(card, number) && number <= 65'535) {
      rule.free.numbers.push_back(CardNumber{static_cast<std::uint16_t>(number)});
    } else {
      rule.free.names.emplace_back(card);
    }
  }
  return rule;
}

std::string hour_text(Seconds since_midnight) {
  return fmt::format("{}:{:02}", since_midnight.count() / 3600, since_midnight.count() / 60 % 60);
}

}  // namespace

Result<Calendar> parse_calendar(const std::string& text) {
  Calendar calendar;
  for (const std::string_view piece : pieces_of(text, ';')) {
    if (piece.empty()) continue;
    auto rule = read_rule(piece);
    if (!rule) return failure(rule.error());
    calendar.push_back(std::move(*rule));
  }
  return calendar;
}

std::string calendar_text(const Calendar& calendar) {
  std::string text;
  for (const CalendarRule& rule : calendar) {
    std::string days;
    for (std::size_t day = 0; day < 7; ++day) {
      if ((rule.weekdays >> day & 1U) == 0) continue;
      days += (days.empty() ? "" : ",") + std::string(kDayNames[day]);
    }
    std::string what = fmt::format("most {}", rule.most);
    if (rule.most < 0) {
      std::string cards;
      for (const CardNumber card : rule.free.numbers) {
        cards += (cards.empty() ? "" : ",") + std::to_string(number_of(card));
      }
      for (const std::string& name : rule.free.names) cards += (cards.empty() ? "" : ",") + name;
      what = "free " + cards;
    }
    text += fmt::format("{}{} {}-{} {}", text.empty() ? "" : "; ", days, hour_text(rule.from),
                        hour_text(rule.until), what);
  }
  return text;
}

}  // namespace gpusched
