#include "cli/flag_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

#include "base/text.h"
#include "cli/jobs/selectors.h"

namespace gpusched::cli {
namespace {

struct NamedNumber {
  std::string_view name;
  int number;
};
// A word stands for the middle of its band.
constexpr std::array kBands = {NamedNumber{"idle", 10}, NamedNumber{"low", 30},
                               NamedNumber{"normal", 50}, NamedNumber{"high", 75},
                               NamedNumber{"urgent", 90}};
constexpr std::array kSignals = {NamedNumber{"HUP", SIGHUP},     NamedNumber{"INT", SIGINT},
                                 NamedNumber{"QUIT", SIGQUIT},   NamedNumber{"USR1", SIGUSR1},
                                 NamedNumber{"USR2", SIGUSR2},   NamedNumber{"TERM", SIGTERM},
                                 NamedNumber{"CONT", SIGCONT},   NamedNumber{"ALRM", SIGALRM},
                                 NamedNumber{"WINCH", SIGWINCH}, NamedNumber{"URG", SIGURG}};

bool read_int(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// "USR1@60" in its two parts; the second is a minute where there is none.
std::pair<std::string, std::string> split_signal(const std::string& text) {
  const std::size_t at = text.find('@');
  std::string name = text.substr(0, at);
  if (name.starts_with("SIG")) name.erase(0, 3);
  return {std::move(name), at == std::string::npos ? "60" : text.substr(at + 1)};
}

// 0: there is none of this name.
int signal_number(const std::string& name) {
  for (const NamedNumber& signal : kSignals) {
    if (signal.name == name) return signal.number;
  }
  int number = 0;
  return read_int(name, number) && number >= 1 && number <= 64 ? number : 0;
}

Result<std::pair<int, Seconds>> with_duration(int signal, const std::string& text) {
  auto duration = parse_duration(text);
  if (!duration) return failure(duration.error());
  return std::pair(signal, *duration);
}

bool is_kind(std::string_view word) { return word == "ok" || word == "any" || word == "fail"; }

}  // namespace

Result<int> parse_whole(const std::string& text, int least, int most) {
  int value = 0;
  if (!read_int(text, value) || value < least || value > most) {
    return failure(
        ErrorCode::kInvalid,
        most == std::numeric_limits<int>::max()
            ? fmt::format("'{}' is not a whole number of at least {}", text, least)
            : fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
  }
  return value;
}

Result<std::uint64_t> parse_memory(const std::string& text) {
  constexpr std::uint64_t kLeast = 1U << 20;
  const auto size = parse_size(text);
  if (!size || *size == 0 || *size >= kLeast) return size;
  const std::string number = text.substr(0, text.find_first_not_of("0123456789."));
  const bool plain = number.size() == text.size();
  return failure(ErrorCode::kInvalid,
                 fmt::format("'{}' is {}, less than 1 MiB; did you mean {}{}?", text,
                             plain ? text + (*size == 1 ? " byte" : " bytes") : format_size(*size),
                             number, plain ? 'G' : 'M'));
}

Result<int> parse_count(const std::string& text) {
  return parse_whole(text, 0, std::numeric_limits<int>::max());
}

Result<CardCount> parse_gpu_count(const std::string& text) {
  if (text == "all") return CardCount{1, CardCount::kAllCards};
  CardCount count;
  const std::size_t dash = text.find('-');
  const std::string_view first = std::string_view(text).substr(0, dash);
  const bool good = read_int(first, count.least) && count.least >= 0;
  count.most = count.least;
  if (!good || (dash != std::string::npos &&
                (!read_int(std::string_view(text).substr(dash + 1), count.most) ||
                 count.most < count.least || count.most < 1))) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("cannot read '{}'; write 2, 1-4, all, or 0 for none", text));
  }
  return count;
}

Result<int> parse_priority(const std::string& text) {
  for (const NamedNumber& band : kBands) {
    if (band.name == text) return band.number;
  }
  int value = 0;
  if (!read_int(text, value) || value < 0 || value > 100) {
    return failure(
        ErrorCode::kInvalid,
        fmt::format("'{}' is no priority; write 0 to 100, or idle, low, normal, high, urgent",
                    text));
  }
  return value;
}

Result<int> parse_share(const std::string& text) {
  const std::string digits = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  int value = 0;
  if (!read_int(digits, value) || value < 1 || value > 100) {
    return failure(
        ErrorCode::kInvalid,
        fmt::format("'{}' is no share of a card; write a percentage from 1 to 100", text));
  }
  return value;
}

Result<CardList> parse_cards(const std::string& text) {
  CardList cards;
  for (const std::string_view word : split(text, ',')) {
    int number = 0;
    const bool digits = read_int(word, number);
    if (word.empty() || word.front() == '-' || (digits && number > 65535)) {
      return failure(
          ErrorCode::kInvalid,
          fmt::format("cannot read '{}'; write card numbers, aliases or tags such as 0,2,left",
                      text));
    }
    if (digits) {
      cards.numbers.push_back(static_cast<CardNumber>(number));
    } else {
      cards.names.emplace_back(word);
    }
  }
  return cards;
}

Result<std::pair<int, Seconds>> parse_signal(const std::string& text) {
  const auto [name, rest] = split_signal(text);
  const int number = signal_number(name);
  if (number == 0) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("there is no signal '{}'; write USR1@60: the signal, and how long "
                               "before the time limit",
                               name));
  }
  return with_duration(number, rest);
}

Result<std::pair<int, Seconds>> parse_checkpoint(const std::string& text) {
  const auto [name, rest] = split_signal(text);
  const int number = name.empty() ? SIGUSR1 : signal_number(name);
  if (number == 0 && name != "none") {
    return failure(ErrorCode::kInvalid,
                   fmt::format("there is no signal '{}'; write USR1@60: the signal, or none, and "
                               "how long saving may take",
                               name));
  }
  if (number == SIGKILL || number == SIGSTOP) {
    return failure(ErrorCode::kInvalid, fmt::format("no program can catch {}; write USR1", name));
  }
  return with_duration(number, rest);
}

std::vector<std::string> split_at(std::string_view text, char mark) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(mark);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<CauseSet> parse_causes(const std::string& text) {
  CauseSet causes{};
  for (const std::string& word : split_at(text, ',')) {
    if (const std::optional<Cause> cause = cause_named(word)) {
      causes = causes | cause_bit(*cause);
      continue;
    }
    std::array<std::string_view, kAllCauses.size()> names;
    std::ranges::transform(kAllCauses, names.begin(), cause_name);
    const std::string near = nearest_word(word, names.data(), names.size());
    return failure(
        ErrorCode::kInvalid,
        fmt::format("'{}' is no cause of failure; {}", word,
                    near.empty() ? fmt::format("the causes are {}", fmt::join(names, ", "))
                                 : fmt::format("did you mean {}?", near)));
  }
  return causes;
}

Result<std::vector<AfterEntry>> parse_after(const std::string& text) {
  std::vector<AfterEntry> entries;
  std::string kind = "ok";
  for (std::string_view word : split(text, ',')) {
    const std::size_t colon = word.find(':');
    std::string own = kind;
    if (colon != std::string_view::npos) {
      const std::string_view before = word.substr(0, colon);
      const std::string_view after = word.substr(colon + 1);
      if (is_kind(before)) {  // ok:7,8 — holds for what follows, too.
        kind = own = before;
        word = after;
      } else if (is_kind(after)) {  // 7:any
        own = after;
        word = before;
      } else {
        return failure(ErrorCode::kInvalid,
                       fmt::format("cannot read '{}'; write 7, ok:7, any:7,8 or fail:7", text));
      }
    }
    auto selector = parse_selector(word);
    if (!selector) return failure(selector.error());
    if (*selector == "all") {
      return failure(ErrorCode::kInvalid, "a job cannot wait for all jobs; name them");
    }
    entries.push_back({std::move(*selector), own});
  }
  return entries;
}

}  // namespace gpusched::cli
