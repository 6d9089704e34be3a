// The parts of base/text.h that know the calendar.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <chrono>
#include <optional>
#include <string>

#include "base/text.h"

namespace gpusched {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

struct Clock {
  Seconds since_midnight{0};
};

// A cursor over text; every take_ leaves it alone when it fails.
struct Reader {
  std::string_view rest;

  bool take(char c) {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
  }
  std::optional<int> take_digits(std::size_t least, std::size_t most) {
    std::size_t used = 0;
    int value = 0;
    while (used < most && used < rest.size() && rest[used] >= '0' && rest[used] <= '9') {
      value = value * 10 + (rest[used] - '0');
      ++used;
    }
    if (used < least) return std::nullopt;
    rest.remove_prefix(used);
    return value;
  }
  void skip_spaces() {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  }
};

std::optional<sys_days> take_date(Reader& reader) {
  Reader r = reader;
  const auto year = r.take_digits(4, 4);
  if (!year || !r.take('-')) return std::nullopt;
  const auto month = r.take_digits(2, 2);
  if (!month || !r.take('-')) return std::nullopt;
  const auto day = r.take_digits(2, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  reader = r;
  return sys_days{date};
}

std::optional<Clock> take_clock(Reader& reader) {
  Reader r = reader;
  const auto hour = r.take_digits(1, 2);
  if (!hour || *hour > 23 || !r.take(':')) return std::nullopt;
  const auto minute = r.take_digits(2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  int second = 0;
  if (r.take(':')) {
    const auto given = r.take_digits(2, 2);
    if (!given || *given > 59) return std::nullopt;
    second = *given;
  }
  reader = r;
  return Clock{Seconds{*hour * 3600 + *minute * 60 + second}};
}

Wall wall_of(sys_days date, Seconds since_midnight) {
  return Wall{std::chrono::duration_cast<Microseconds>(date.time_since_epoch()) + since_midnight};
}

sys_days day_of(Wall local) { return sys_days{std::chrono::floor<days>(local.time_since_epoch())}; }

// "mon", "Monday": the weekday's number with Sunday 0.
std::optional<unsigned> weekday_of(std::string_view word) {
  constexpr std::array<std::string_view, 7> kNames = {"sunday",   "monday", "tuesday", "wednesday",
                                                      "thursday", "friday", "saturday"};
  if (word.size() < 3) return std::nullopt;
  for (unsigned i = 0; i < kNames.size(); ++i) {
    if (kNames[i].substr(0, word.size()) == word) return i;
  }
  return std::nullopt;
}

tl::unexpected<Error> not_a_time(std::string_view text) {
  return failure(ErrorCode::kInvalid,
                 fmt::format("\"{}\" is not a time (examples: 2026-01-31T08:00:00Z, \"2026-01-31 "
                             "08:00\", 08:00, \"tomorrow 8:00\", \"mon 9:00\", +2h, now)",
                             text));
}

// "08:00", "tomorrow 8:00", "mon 9:00": times said relative to the local day.
std::optional<Wall> take_spoken(Reader reader, Wall local_now) {
  std::string word;
  while (!reader.rest.empty() && std::isalpha(static_cast<unsigned char>(reader.rest.front()))) {
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(reader.rest.front())));
    reader.rest.remove_prefix(1);
  }
  reader.skip_spaces();
  Clock clock;
  const bool clock_given = !reader.rest.empty();
  if (clock_given) {
    const auto taken = take_clock(reader);
    if (!taken || !reader.rest.empty()) return std::nullopt;
    clock = *taken;
  }
  const sys_days today = day_of(local_now);
  if (word.empty()) {
    if (!clock_given) return std::nullopt;
    const Wall at = wall_of(today, clock.since_midnight);
    return at > local_now ? at : at + days{1};
  }
  if (word == "today")
    return clock_given ? std::optional(wall_of(today, clock.since_midnight)) : std::nullopt;
  if (word == "tomorrow") return wall_of(today + days{1}, clock.since_midnight);
  const auto weekday = weekday_of(word);
  if (!weekday) return std::nullopt;
  const auto ahead = std::chrono::weekday{*weekday} - std::chrono::weekday{today};
  const Wall at = wall_of(today + ahead, clock.since_midnight);
  return at > local_now ? at : at + days{7};
}

}  // namespace

Result<Wall> parse_time(std::string_view text, Wall now, Seconds utc_offset) {
  Reader reader{text};
  reader.skip_spaces();
  while (!reader.rest.empty() && reader.rest.back() == ' ') reader.rest.remove_suffix(1);
  if (reader.rest == "now") return now;
  if (reader.take('+')) {
    const auto after = parse_duration(reader.rest);
    if (!after) return not_a_time(text);
    return now + *after;
  }
  if (const auto exact = parse_rfc3339(reader.rest)) return *exact;
  Reader dated = reader;
  if (const auto date = take_date(dated)) {
    Clock clock;
    if (!dated.rest.empty()) {
      if (!dated.take('T') && !dated.take(' ')) return not_a_time(text);
      dated.skip_spaces();
      const auto taken = take_clock(dated);
      if (!taken || !dated.rest.empty()) return not_a_time(text);
      clock = *taken;
    }
    return wall_of(*date, clock.since_midnight) - utc_offset;
  }
  if (const auto spoken = take_spoken(reader, now + utc_offset)) return *spoken - utc_offset;
  return not_a_time(text);
}

std::string format_time(Wall time) {
  const sys_days date = day_of(time);
  const std::chrono::year_month_day ymd{date};
  const auto since_midnight =
      std::chrono::floor<std::chrono::milliseconds>(time - wall_of(date, Seconds{0})).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(ymd.year()),
                     static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()),
                     since_midnight / 3'600'000, since_midnight / 60'000 % 60,
                     since_midnight / 1000 % 60, since_midnight % 1000);
}

Result<Wall> parse_rfc3339(std::string_view text) {
  const auto wrong = [text] {
    return failure(ErrorCode::kInvalid,
                   fmt::format("\"{}\" is not a time as in 2026-01-31T08:00:00Z", text));
  };
  Reader reader{text};
  const auto date = take_date(reader);
  if (!date || !(reader.take('T') || reader.take('t'))) return wrong();
  const auto hour = reader.take_digits(2, 2);
  if (!hour || *hour > 23 || !reader.take(':')) return wrong();
  const auto minute = reader.take_digits(2, 2);
  if (!minute || *minute > 59 || !reader.take(':')) return wrong();
  const auto second = reader.take_digits(2, 2);
  if (!second || *second > 59) return wrong();
  Microseconds fraction{0};
  if (reader.take('.')) {
    std::int64_t scale = 1'000'000;
    if (reader.rest.empty() || reader.rest.front() < '0' || reader.rest.front() > '9') {
      return wrong();
    }
    while (const auto digit = reader.take_digits(1, 1)) {
      scale /= 10;
      fraction += Microseconds{*digit * scale};
    }
  }
  Seconds offset{0};
  if (!reader.take('Z') && !reader.take('z')) {
    const bool west = reader.take('-');
    if (!west && !reader.take('+')) return wrong();
    const auto hours = reader.take_digits(2, 2);
    if (!hours || *hours > 23 || !reader.take(':')) return wrong();
    const auto minutes = reader.take_digits(2, 2);
    if (!minutes || *minutes > 59) return wrong();
    offset = Seconds{(*hours * 3600 + *minutes * 60) * (west ? -1 : 1)};
  }
  if (!reader.rest.empty()) return wrong();
  return wall_of(*date, Seconds{*hour * 3600 + *minute * 60 + *second}) + fraction - offset;
}

}  // namespace gpusched
