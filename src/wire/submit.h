// The body of POST /v1/jobs, as JSON or as lines (NDJSON: one head, then one task per line), to a
// value that is complete and valid by itself. What depends on other jobs or on the machine's
// cards is the core's to judge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/job.h"
#include "wire/labels.h"
#include "wire/submit_body.h"

namespace gpusched {

// `name` is what a fault calls a field.
Result<SubmitBody> parse_submit(std::string_view json, const SubmitLimits& limits = {},
                                FieldName name = as_in_json);
Result<SubmitBody> parse_submit_lines(std::string_view lines, const SubmitLimits& limits = {});

// The lines form, fed in pieces of any size.
class SubmitLines {
 public:
  explicit SubmitLines(SubmitLimits limits = {}) : limits_(limits) {}
  Result<void> feed(std::string_view piece);
  Result<SubmitBody> finish();

 private:
  Result<void> take_line(std::string_view line);

  SubmitLimits limits_;
  std::optional<SubmitBody> body_;
  std::string rest_;  // A line whose end has not come yet.
  std::uint64_t line_number_ = 0;
};

// "0-99", "1,3,5", "0-100:10" -> indices in the order given.
Result<std::vector<std::uint32_t>> parse_indices(std::string_view text, std::uint64_t most,
                                                 std::string_view field = "array.indices");

// The body of PATCH /v1/jobs/{selector}.
Result<JobPatch> parse_patch(std::string_view json, FieldName name = as_in_json);

}  // namespace gpusched
