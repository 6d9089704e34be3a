// The jobs of a sweep as a table: what was varied against what became of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/render/render.h"

namespace gpusched::cli {

struct SweepOrder {
  std::string by = "id";  // The name of a column.
  bool reversed = false;
  std::optional<std::uint64_t> most;  // Only the first so many.
};

class SweepJobs {
 public:
  // Columns: id, the parameters, state, time, progress, and what the jobs said of themselves, a
  // column for each name in "loss=0.13 acc=0.9".
  SweepJobs(const std::vector<JobView>& jobs, const Page& page);
  // An error: there is no such column.
  Result<void> sort(const SweepOrder& order);
  std::string table(const Page& page) const;
  std::string csv() const;

 private:
  struct Field {
    std::string shown;
    std::string plain;  // For programs, and to sort by.
  };
  std::size_t column(const std::string& name);

  std::vector<std::string> names_;
  std::vector<std::vector<Field>> rows_;
};

}  // namespace gpusched::cli
