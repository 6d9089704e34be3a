// Answers that are lists of jobs: {… "jobs":[row, row, …]}. Written piece by piece as the client
// takes them, by id, from whatever the state is at that moment; never a copy of the list.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/context.h"
#include "api/field_choice.h"
#include "api/selector.h"
#include "api/sweep_rows.h"
#include "core/explain/explain.h"
#include "json/json_writer.h"
#include "wire/job.h"

namespace gpusched {

// Writes rows of one state at one moment; reasons are shared between jobs of one shape.
// REQUIRES: the state does not change while this lives.
class RowWriter {
 public:
  // `only`: the fields that are shown, of all that it writes; null: all.
  RowWriter(const Context& context, const Principal& actor, const FieldChoice* only = nullptr);
  void row(JsonWriter& json, const Job& job);
  // `read`: environments that are not in memory.
  void details(JsonWriter& json, const Job& job, const EnvironmentsByHash& read);
  void sweep(JsonWriter& json, const SweepLine& line);
  bool shows_files(const Job& job) const;
  bool shows_arguments(const Job& job) const;

 private:
  std::string reason_of(const Job& job);  // Why it waits; empty: it does not.
  RowFacts waiting_facts(const Job& job);
  RowFacts facts_of(const Job& job);
  const std::string& deadline_of(const Job& job, std::optional<Wall> start);

  const Context& context_;
  Principal actor_;
  bool tells_why_;                         // Somebody wants to know why jobs wait, and until when.
  std::optional<WaitingReasons> reasons_;  // Made with the first job that waits.
  std::string reason_;
  std::string start_unknown_;
  std::string deadline_;  // Why the deadline cannot be met.
};

// kAny: jobs of one sweep that are meant are one line, in "sweeps" after the rows. kWhole: only
// where all jobs of the sweep are meant.
enum class Folding : std::uint8_t { kNone, kAny, kWhole };
// The query's `sweeps`: 0, 1 or whole.
Result<Folding> parse_folding(const std::map<std::string, std::string>& query);

struct RowsAsked {
  std::string head = R"({"schema":1,"jobs":[)";
  std::string tail = "]}";
  bool details = false;
  // Either these jobs (those still there), or all that match the filter.
  std::optional<std::vector<JobId>> ids;
  JobFilter filter;
  std::optional<std::uint64_t> first;   // At most so many, from the start.
  std::optional<std::uint64_t> newest;  // At most so many, from the end.
  Folding folding = Folding::kNone;
  std::optional<FieldChoice> fields = {};  // Of each job; none: all.
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// Answers in one piece if it is short, else as a stream.
void send_rows(Context& context, const Principal& actor, RowsAsked asked,
               const Responder& responder);

}  // namespace gpusched
