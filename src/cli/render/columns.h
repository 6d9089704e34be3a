// Tables of jobs with the columns that somebody chose, for a screen or as CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/render/render.h"

namespace gpusched::cli {

struct JobColumn {
  std::string_view name;  // As in --columns, and the title in capitals.
  bool right = false;
  bool flexible = false;  // Words, of which more is kept where the screen is narrow.
  std::string (*text)(const JobView&, const Page&);  // For people.
  std::string (*plain)(const JobView&) = nullptr;    // For programs; null: the same.
};

using ColumnChoice = std::vector<const JobColumn*>;
// "id,name,state"
Result<ColumnChoice> parse_columns(std::string_view text);
// What a CSV has when nothing was chosen.
ColumnChoice usual_columns();

std::string render_columns(const std::vector<JobView>& jobs, const ColumnChoice& columns,
                           const Page& page);
std::string render_csv(const std::vector<JobView>& jobs, const ColumnChoice& columns);

}  // namespace gpusched::cli
