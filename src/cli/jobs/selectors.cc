#include "cli/jobs/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "client/client.h"

namespace gpusched::cli {
namespace {

bool read_id(std::string_view text, std::uint64_t& id) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size() && id > 0;
}

tl::unexpected<Error> not_a_job(std::string_view word) {
  static constexpr std::array<std::string_view, 2> kWords = {"last", "all"};
  const std::string near = nearest_word(word, kWords.data(), kWords.size());
  return failure(ErrorCode::kInvalid,
                 fmt::format("'{}' names no job; write 7, 7-12, 7,9, last, @~2 or all{}", word,
                             near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

Result<std::string> parse_part(std::string_view word) {
  if (word == "last" || word == "all") return std::string(word);
  if (word == "@" || word == "@~0") return std::string("last");
  if (word.starts_with("@~")) {
    std::uint64_t back = 0;
    if (!read_id(word.substr(2), back)) return not_a_job(word);
    return fmt::format("@~{}", back);
  }
  auto range = parse_id_range(word);
  if (!range) return failure(range.error());
  return range->first == range->second ? std::to_string(range->first)
                                       : fmt::format("{}-{}", range->first, range->second);
}

Result<void> check_states(const FlagValue& value) {
  for (const std::string_view word : split(value.text, ',')) {
    if (std::ranges::find(kStates, word) != kStates.end()) continue;
    const std::string near = nearest_word(word, kStates.data(), kStates.size());
    return bad_value(value,
                     fmt::format("there is no state '{}'{}", word,
                                 near.empty() ? fmt::format("; one of {}", fmt::join(kStates, ", "))
                                              : fmt::format("; did you mean {}?", near)));
  }
  return {};
}

}  // namespace

Result<std::pair<std::uint64_t, std::uint64_t>> parse_id_range(std::string_view word) {
  const std::size_t dash = word.find('-');
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (!read_id(word.substr(0, dash), first)) return not_a_job(word);
  if (dash == std::string_view::npos) return std::pair(first, first);
  if (!read_id(word.substr(dash + 1), last)) return not_a_job(word);
  if (last < first) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("the range {} runs backwards; write {}-{}", word, last, first));
  }
  return std::pair(first, last);
}

Result<std::string> parse_selector(std::string_view word) {
  std::string joined;
  for (const std::string_view part : split(word, ',')) {
    auto one = parse_part(part);
    if (!one) return one;
    if (!joined.empty()) joined += ',';
    joined += *one;
  }
  return joined;
}

namespace {

constexpr std::array<std::string_view, 7> kFilters = {"state", "user",  "group", "name",
                                                      "tag",   "array", "since"};

void narrow(std::string& query, std::string_view by) {
  if (!query.empty()) query += '&';
  query += by;
}

Result<std::string> filters_of(const Arguments& arguments) {
  if (const FlagValue* state = arguments.find("--state"); state != nullptr) {
    if (auto good = check_states(*state); !good) return failure(good.error());
  }
  std::string query;
  for (const std::string_view name : kFilters) {
    const FlagValue* value = arguments.find(fmt::format("--{}", name));
    if (value == nullptr) continue;
    narrow(query, fmt::format("{}={}", name, percent_encoded(value->text)));
  }
  return query;
}

// Which of all jobs are meant where none was named.
void reach_out(const Arguments& arguments, Reach reach, std::string& query) {
  if (reach == Reach::kChange) return;
  const bool all = arguments.has("--all");
  const bool everybody = arguments.has("--everybody") || arguments.has("--user");
  if (all && !arguments.has("--state") && !arguments.has("--since")) {
    narrow(query, "state=active,waiting");
  }
  if (!everybody && (all || reach == Reach::kOwn)) narrow(query, "mine=1");
}

}  // namespace

Result<Selection> selection_of(const Arguments& arguments, Reach reach) {
  Selection selection;
  for (const std::string& word : arguments.operands) {
    auto part = parse_selector(word);
    if (!part) return failure(part.error());
    if (!selection.jobs.empty()) selection.jobs += ',';
    selection.jobs += *part;
  }
  auto filters = filters_of(arguments);
  if (!filters) return failure(filters.error());
  selection.query = std::move(*filters);
  if (arguments.has("--all") && !selection.jobs.empty() && selection.jobs != "all") {
    return failure(
        ErrorCode::kInvalid,
        fmt::format("--all and '{}' say different things; give one of them", selection.jobs));
  }
  const bool named = !selection.jobs.empty();
  const bool some = arguments.has("--all") || arguments.has("--everybody");
  if (!named && (some || !selection.query.empty())) {
    selection.jobs = "all";
    reach_out(arguments, reach, selection.query);
  }
  return selection;
}

bool is_moving(std::string_view selector) {
  return selector.find_first_of("al@") != std::string_view::npos;
}

std::string selector_of(std::span<const std::uint64_t> ids) {
  std::string out;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t end = i;
    while (end + 1 < ids.size() && ids[end + 1] == ids[end] + 1) ++end;
    if (!out.empty()) out += ',';
    out += end == i ? std::to_string(ids[i]) : fmt::format("{}-{}", ids[i], ids[end]);
    i = end + 1;
  }
  return out;
}

}  // namespace gpusched::cli
