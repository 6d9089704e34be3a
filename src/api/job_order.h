// The order of a list of jobs (`sort=-priority`), and the place of a job in it. A place is a value:
// a page that begins behind one is the same whatever has happened meanwhile to the jobs before it.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/job.h"
#include "core/model/placeholders.h"

namespace gpusched {

struct JobOrder {
  enum class By : std::uint8_t {
    kId,
    kPriority,
    kSubmitted,
    kStarted,
    kEnded,
    kState,
    kUser,
    kName
  };
  By by = By::kId;
  bool descending = false;
  friend bool operator==(const JobOrder&, const JobOrder&) = default;
};

struct JobPlace {
  bool absent = false;  // It has no such value; such jobs come last, in both directions.
  std::int64_t number = 0;
  std::string text = {};  // The beginning of a name.
  JobId id{};             // Decides between equals.
  friend bool operator==(const JobPlace&, const JobPlace&) = default;
};

// "priority", "-priority".
Result<JobOrder> parse_order(std::string_view text);
std::string order_text(const JobOrder& order);

// `values`: whether who asks may see those of its sweep.
JobPlace place_of(const JobOrder& order, const Job& job, Values values);
bool comes_before(const JobOrder& order, const JobPlace& one, const JobPlace& other);

std::string cursor_of(const JobOrder& order, const JobPlace& place);
// One that was made for another order is kInvalid.
Result<JobPlace> parse_cursor(const JobOrder& order, std::string_view cursor);

}  // namespace gpusched
