#include "api/job_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "api/cursor.h"
#include "api/selector.h"
#include "base/number.h"
#include "base/text.h"

namespace gpusched {
namespace {

// As in JobOrder::By.
constexpr std::array<std::string_view, 8> kSortWords = {
    "id", "priority", "submitted_at", "started_at", "ended_at", "state", "user", "name"};
// A cursor goes through a header; what is longer is told apart by the job's id.
constexpr std::size_t kTextMost = 64;

// As states follow each other; state_bit() has them in another order.
std::int64_t state_number(const JobState& state) {
  constexpr std::array<std::int64_t, 10> kNumbers = {0, 1, 2, 3, 7, 8, 9, 4, 5, 6};
  return kNumbers.at(static_cast<std::size_t>(std::countr_zero(state_bit(state))));
}

JobPlace at(JobId id, std::optional<Wall> time) {
  if (!time) return {.absent = true, .id = id};
  return {.number = time->time_since_epoch().count(), .id = id};
}

JobPlace at(JobId id, const std::string& text) {
  return {.absent = text.empty(), .text = text.substr(0, kTextMost), .id = id};
}

std::optional<Wall> began(const Job& job) {
  if (const auto* running = std::get_if<Running>(&job.state)) return running->started_at;
  const auto* ended = std::get_if<Ended>(&job.state);
  return ended == nullptr ? std::nullopt : ended->started_at;
}

template <class Number>
bool take_number(std::string_view& text, Number& out) {
  return whole_number(take_until(text, ' '), out);
}

}  // namespace

Result<JobOrder> parse_order(std::string_view text) {
  JobOrder order;
  order.descending = text.starts_with('-');
  const std::string_view name = text.substr(order.descending ? 1 : 0);
  const auto* const word = std::ranges::find(kSortWords, name);
  if (word == kSortWords.end()) {
    std::string all;
    for (const std::string_view one : kSortWords)
      all += (all.empty() ? "" : ", ") + std::string(one);
    return failure(ErrorCode::kInvalid,
                   fmt::format("jobs cannot be sorted by \"{}\", only by {}; - before it turns the "
                               "order round",
                               name.substr(0, 40), all));
  }
  order.by = static_cast<JobOrder::By>(word - kSortWords.begin());
  return order;
}

std::string order_text(const JobOrder& order) {
  return (order.descending ? "-" : "") +
         std::string(kSortWords.at(static_cast<std::size_t>(order.by)));
}

JobPlace place_of(const JobOrder& order, const Job& job, Values values) {
  switch (order.by) {
    case JobOrder::By::kId:
      return {.id = job.id};
    case JobOrder::By::kPriority:
      return {.number = job.priority, .id = job.id};
    case JobOrder::By::kSubmitted:
      return at(job.id, job.submitted_at);
    case JobOrder::By::kStarted:
      return at(job.id, began(job));
    case JobOrder::By::kEnded: {
      const auto* ended = std::get_if<Ended>(&job.state);
      return at(job.id, ended == nullptr ? std::nullopt : std::optional(ended->ended_at));
    }
    case JobOrder::By::kState:
      return {.number = state_number(job.state), .id = job.id};
    case JobOrder::By::kUser:
      return at(job.id, job.owner.user);
    case JobOrder::By::kName:
      return at(job.id, name_of(job, values));
  }
  return {.id = job.id};
}

bool comes_before(const JobOrder& order, const JobPlace& one, const JobPlace& other) {
  if (one.absent != other.absent) return other.absent;
  const JobPlace& low = order.descending ? other : one;
  const JobPlace& high = order.descending ? one : other;
  if (low.number != high.number) return low.number < high.number;
  if (low.text != high.text) return low.text < high.text;
  return low.id < high.id;
}

std::string cursor_of(const JobOrder& order, const JobPlace& place) {
  return sealed_cursor(fmt::format("{} {:d} {} {} {}", order_text(order), place.absent,
                                   place.number, number_of(place.id), place.text));
}

Result<JobPlace> parse_cursor(const JobOrder& order, std::string_view cursor) {
  const auto wrong = [&] {
    return failure(ErrorCode::kInvalid,
                   fmt::format("this cursor is none that was given for sort={}; begin again "
                               "without it",
                               order_text(order)));
  };
  const std::optional<std::string> opened = opened_cursor(cursor);
  if (!opened) return wrong();
  std::string_view rest = *opened;
  if (take_until(rest, ' ') != order_text(order)) return wrong();
  int absent = 0;
  std::uint64_t id = 0;
  JobPlace place;
  const bool read =
      take_number(rest, absent) && take_number(rest, place.number) && take_number(rest, id);
  if (!read || absent < 0 || absent > 1 || rest.size() > kTextMost) return wrong();
  place.absent = absent == 1;
  place.id = JobId{id};
  place.text = rest;
  return place;
}

}  // namespace gpusched
