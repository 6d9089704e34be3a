#include "store/row_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>

#include "base/number.h"
#include "base/text.h"

namespace gpusched {
namespace {

// Reads "a,b,c" into all of `numbers`; exactly as many must be there.
bool read_numbers(std::string_view text, std::span<std::uint64_t> numbers) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return false;
    const auto [rest, error] = std::from_chars(at, end, numbers[i]);
    if (error != std::errc()) return false;
    at = rest;
  }
  return at == end;
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      default:
        out += c;
    }
  }
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    switch (text[i]) {
      case '\\':
        out += '\\';
        break;
      case 't':
        out += '\t';
        break;
      case 'n':
        out += '\n';
        break;
      default:
        return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::string grant_to_text(const Grant& grant) {
  fmt::memory_buffer out;
  fmt::format_to(fmt::appender(out), "{},{}{}", grant.cpus, grant.ram_bytes, grant.mps ? ",1" : "");
  for (const CardGrant& card : grant.cards) {
    fmt::format_to(fmt::appender(out), ";{},{},{},{}", number_of(card.card), card.vram_bytes,
                   card.share_percent, card.whole ? 1 : 0);
  }
  return fmt::to_string(out);
}

std::optional<Grant> grant_from_text(std::string_view text) {
  // The third is written for those that have it.
  std::array<std::uint64_t, 3> host{};
  const std::string_view first = take_until(text, ';');
  const bool long_form = std::ranges::count(first, ',') == 2;
  if (!read_numbers(first, std::span(host).first(long_form ? 3 : 2))) return std::nullopt;
  if (host[2] > 1) return std::nullopt;
  Grant grant;
  grant.cpus = static_cast<int>(host[0]);
  grant.ram_bytes = host[1];
  grant.mps = host[2] != 0;
  while (!text.empty()) {
    std::array<std::uint64_t, 4> card{};
    if (!read_numbers(take_until(text, ';'), card)) return std::nullopt;
    grant.cards.push_back({.card = CardNumber{static_cast<std::uint16_t>(card[0])},
                           .vram_bytes = card[1],
                           .share_percent = static_cast<int>(card[2]),
                           .whole = card[3] != 0});
  }
  return grant;
}

std::string task_values_to_text(const TaskValues& values) {
  std::string out;
  for (const auto& [name, value] : values) {
    append_escaped(out, name);
    out += '\t';
    append_escaped(out, value);
    out += '\n';
  }
  return out;
}

std::optional<TaskValues> task_values_from_text(std::string_view text) {
  TaskValues values;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.find('\t') == std::string_view::npos) return std::nullopt;
    std::optional<std::string> name = unescaped(take_until(line, '\t'));
    std::optional<std::string> value = unescaped(line);
    if (!name || !value) return std::nullopt;
    values.emplace_back(std::move(*name), std::move(*value));
  }
  return values;
}

std::string environment_to_bytes(const Environment& environment) {
  std::string bytes;
  for (const std::string& variable : environment.variables) {
    bytes += variable;
    bytes += '\0';
  }
  return bytes;
}

std::vector<std::string> environment_from_bytes(std::string_view bytes) {
  std::vector<std::string> variables;
  while (!bytes.empty()) variables.emplace_back(take_until(bytes, '\0'));
  return variables;
}

const char* hold_word(HoldReason why) {
  switch (why) {
    case HoldReason::kUser:
      return "user";
    case HoldReason::kCrashGuard:
      return "crash_guard";
  }
  return "";
}

std::optional<HoldReason> hold_of_word(std::string_view word) {
  for (const HoldReason why : {HoldReason::kUser, HoldReason::kCrashGuard}) {
    if (word == hold_word(why)) return why;
  }
  return std::nullopt;
}

std::optional<std::string_view> stop_word(StopReason why) {
  switch (why) {
    case StopReason::kNone:
      return std::nullopt;
    case StopReason::kCancel:
      return "cancel";
    case StopReason::kRequeue:
      return "requeue";
    case StopReason::kGpuLost:
      return "gpu_lost";
    case StopReason::kPressure:
      return "pressure";
    case StopReason::kVramLimit:
      return "vram_limit";
    case StopReason::kMakeRoom:
      return "make_room";
    case StopReason::kRestoreLost:
      return "restore_lost";
    case StopReason::kLetGo:
      return "let_go";
  }
  return std::nullopt;
}

std::optional<StopReason> stop_of_word(std::string_view word) {
  if (word.empty()) return StopReason::kNone;
  for (const StopReason why :
       {StopReason::kCancel, StopReason::kRequeue, StopReason::kGpuLost, StopReason::kPressure,
        StopReason::kMakeRoom, StopReason::kRestoreLost, StopReason::kVramLimit,
        StopReason::kLetGo}) {
    if (word == stop_word(why)) return why;
  }
  return std::nullopt;
}

std::optional<AsidePhase> phase_of_word(std::string_view word) {
  if (word == "pausing") return AsidePhase::kPausing;
  if (word == "paused") return AsidePhase::kPaused;
  if (word == "resuming") return AsidePhase::kResuming;
  return std::nullopt;
}

// The second word: a bit for each.
constexpr int kHandBit = 1, kIdle = 2, kWanted = 4, kEnds = 8, kRefused = 16, kStill = 32,
              kPressed = 64;

std::string presence_to_text(const Presence& presence) {
  const OnCards* back = presence.back();
  const Aside aside = back != nullptr ? Aside{.since = back->since} : *presence.aside();
  const bool still = back != nullptr ? back->stood_still : aside.why == AsideWhy::kStill;
  const std::string limit =
      aside.over_limit_until
          ? fmt::format("limit={} ", aside.over_limit_until->time_since_epoch().count())
          : "";
  const int flags = (aside.by_hand ? kHandBit : 0) | (aside.why == AsideWhy::kIdle ? kIdle : 0) |
                    (aside.wanted ? kWanted : 0) | (aside.ends ? kEnds : 0) |
                    (presence.refused ? kRefused : 0) | (still ? kStill : 0) |
                    (aside.why == AsideWhy::kPressure ? kPressed : 0);
  const FailedMove failed = presence.failed.value_or(FailedMove{});
  return fmt::format("{}{} {} {} {} {} {} {} {}", limit, mechanism_name(aside.mechanism), flags,
                     number_of(aside.for_job), aside.since.time_since_epoch().count(),
                     presence.away.count(), aside.host_bytes, failed.at.time_since_epoch().count(),
                     failed.error);
}

std::optional<Presence> presence_from_text(std::string_view text, std::optional<AsidePhase> phase) {
  const auto part = [&text] { return take_until(text, ' '); };
  bool whole = true;
  const auto number = [&](auto& value) { whole = whole_number(part(), value) && whole; };
  Aside aside;
  // Only of one that was stopped at its VRAM limit.
  if (constexpr std::string_view kLimit = "limit="; text.starts_with(kLimit)) {
    text.remove_prefix(kLimit.size());
    std::int64_t ends = 0;
    number(ends);
    aside.over_limit_until = Wall(Microseconds(ends));
  }
  const auto mechanism = mechanism_named(std::string(part()));
  int flags = 0;
  std::uint64_t for_job = 0;
  std::int64_t since = 0, away = 0, tried = 0;
  number(flags);
  number(for_job);
  number(since);
  number(away);
  number(aside.host_bytes);
  number(tried);
  if (!mechanism || !whole) return std::nullopt;
  aside.mechanism = *mechanism;
  if ((flags & kIdle) != 0) aside.why = AsideWhy::kIdle;
  if ((flags & kPressed) != 0) aside.why = AsideWhy::kPressure;
  if ((flags & kStill) != 0) aside.why = AsideWhy::kStill;
  aside.by_hand = (flags & kHandBit) != 0;
  aside.wanted = (flags & kWanted) != 0;
  aside.ends = (flags & kEnds) != 0;
  aside.for_job = JobId{for_job};
  aside.since = Wall(Microseconds(since));
  Presence presence{.place = OnCards{aside.since, aside.why == AsideWhy::kStill}};
  if (phase) {
    aside.phase = *phase;
    presence.place = aside;
  }
  presence.away = Microseconds(away);
  presence.refused = (flags & kRefused) != 0;
  if (!text.empty()) presence.failed = {Wall(Microseconds(tried)), std::string(text)};
  return presence;
}

std::optional<Outcome> outcome_of_word(std::string_view word) {
  for (const Outcome outcome : {Outcome::kCompleted, Outcome::kFailed, Outcome::kCancelled}) {
    Ended ended;
    ended.outcome = outcome;
    if (word == state_name(ended)) return outcome;
  }
  return std::nullopt;
}

}  // namespace gpusched
