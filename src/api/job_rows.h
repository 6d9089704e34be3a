// Answers that are lists of jobs: {… "jobs":[row, row, …]}. Written piece by piece as the client
// takes them, by id, from whatever the state is at that moment; never a copy of the list.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/context.h"
#include "api/selector.h"
#include "core/explain/explain.h"
#include "json/json_writer.h"
#include "wire/job.h"

namespace gpusched {

// Writes rows of one state at one moment; reasons are shared between jobs of one shape.
// REQUIRES: the state does not change while this lives.
class RowWriter {
 public:
  RowWriter(const Context& context, const Principal& actor);
  void row(JsonWriter& json, const Job& job);
  // `read`: environments that are not in memory.
  void details(JsonWriter& json, const Job& job, const EnvironmentsByHash& read);
  bool shows_files(const Job& job) const;
  bool shows_arguments(const Job& job) const;

 private:
  RowFacts waiting_facts(const Job& job);
  RowFacts facts_of(const Job& job);
  const std::string& deadline_of(const Job& job, std::optional<Wall> start);

  const Context& context_;
  Principal actor_;
  std::optional<WaitingReasons> reasons_;  // Made with the first job that waits.
  std::string reason_;
  std::string start_unknown_;
  std::string deadline_;  // Why the deadline cannot be met.
};

struct RowsAsked {
  std::string head = R"({"schema":1,"jobs":[)";
  std::string tail = "]}";
  bool details = false;
  // Either these jobs (those still there), or all that match the filter.
  std::optional<std::vector<JobId>> ids;
  JobFilter filter;
  std::optional<std::uint64_t> first;   // At most so many, from the start.
  std::optional<std::uint64_t> newest;  // At most so many, from the end.
};

// Answers in one piece if it is short, else as a stream.
void send_rows(Context& context, const Principal& actor, RowsAsked asked,
               const Responder& responder);

}  // namespace gpusched
