// Jobs as JSON (docs/api.md, "A job"): the row that everybody may see, and the details, of which
// some are for the owner and administrators alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/explain/knowledge.h"
#include "core/model/card.h"
#include "core/model/job.h"
#include "json/json_writer.h"

namespace gpusched {

// What a row shows beside the job itself.
struct RowFacts {
  std::string_view reason;  // Why it waits; empty: null.
  std::optional<Wall> estimated_start;
  std::string_view start_unknown = {};  // Why there is no such time; empty: null.
  std::optional<Progress> progress = {};
  std::optional<Wall> expected_end = {};
  const Knowledge* known = nullptr;  // For the details.
  std::string_view deadline_warning = {};
  std::string_view near_cpus = {};  // Near its cards, if it is kept there.
  bool arguments = true;            // What it runs is shown: its command, places and messages.
  Microseconds away{0};             // How long its attempt was aside by now, all times together.
};

// What only the owner and administrators see; empty texts become null.
struct OwnerFacts {
  std::vector<std::string> environment;  // Empty also where nobody knows it.
  std::string directory;
  std::string control_socket;
  std::string log_path;
  std::string device_filter;
  std::string without_mps;    // Why it does not run under MPS although it should.
  std::string vram_limit_by;  // What binds its limit.
};

void write_job_row(JsonWriter& json, const Job& job, const RowFacts& facts,
                   const std::vector<Card>& cards);
// `owner` is null for those who may not see it.
void write_job_details(JsonWriter& json, const Job& job, const RowFacts& facts,
                       const std::vector<Card>& cards, const OwnerFacts* owner);

}  // namespace gpusched
