// One page of a list of jobs: `limit`, `sort` and `cursor`. First the ids of the page are found,
// slice by slice and without a row; then their rows are written. So a page costs a look at each job
// at most, and its own rows.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/context.h"
#include "api/job_order.h"
#include "api/job_rows.h"

namespace gpusched {

struct PageAsked {
  JobOrder order;
  std::optional<JobPlace> after;       // The last job of the page before.
  std::optional<std::uint64_t> limit;  // None: all there is, as far as the order allows.
};

// Nothing: the whole list, or what older parameters (`newest`, `sweeps`) make of it.
Result<std::optional<PageAsked>> parse_page(const std::map<std::string, std::string>& query);

// REQUIRES: no commit is under way.
void send_page(Context& context, const Call& call, RowsAsked asked, PageAsked page);

}  // namespace gpusched
