// What `submit` and `run` ask for: flags, directives and job files read into one value, and that
// value written as the body of POST /v1/jobs. Reading is pure; what only the process knows
// (environment, limits, directory, clock) comes in as Surroundings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/flag_values.h"
#include "cli/flags.h"
#include "cli/submit/sweep.h"
#include "core/model/job.h"

namespace gpusched::cli {

struct Surroundings {
  std::string working_directory;
  std::vector<std::string> environment;  // "NAME=value".
  std::vector<std::string> named;        // Where --env NAME looks; empty: in `environment`.
  bool elsewhere = false;                // Of another machine: files here are not there.
  unsigned umask = 022;
  ResourceLimits limits;
  Wall now{};
  Seconds (*offset_at)(Wall) = nullptr;  // Local time minus UTC; null: UTC.
};
// Of this process.
Result<Surroundings> surroundings();
// The value of --env: "K=V" as it is, "K" as it is here.
Result<std::string> variable_of(const std::string& text, const Surroundings& around);

struct Written {
  std::string_view flag;  // Empty: a word of the command.
  std::string text;
};

struct Submission {
  std::vector<std::string> command;
  bool shell = false;
  std::string working_directory;
  std::vector<std::string> environment;
  std::vector<std::string> variables;  // On top of it: those with placeholders.
  unsigned umask = 022;
  ResourceLimits limits;
  std::string output, error;     // As in `fields`.
  std::vector<Written> written;  // Every text in which a placeholder counts.
  std::string fields;  // What flags say by themselves, as JSON: "vram_bytes":8589934592,"hold":true
  std::vector<AfterEntry> after;
  std::optional<ArrayFlag> array;
  std::vector<Parameter> parameters;  // `--each-line` is the parameter "line".
  Attach attach = Attach::kNone;
  int rows = 0, columns = 0;
  std::vector<FlagValue> defaults;  // What files with defaults gave to it.
  bool has_key = false;             // It says itself which submission it is.
  bool elsewhere = false;           // On another machine: its directories are not seen here.
};

// REQUIRES: directives and job file are merged in already; `lines` are those of --each-line.
Result<Submission> read_submission(const Arguments& arguments, const Surroundings& around,
                                   std::vector<std::string> lines);

// With the daemon's own eyes, but for what only the daemon knows; flags by their names.
Result<void> check_submission(const Submission& submission);

// Why it was not taken, in the words of the command line where they can tell, with the file that a
// default of it came from. A single job is
// checked only here, after its refusal: reading one's own request is a tenth of a submit.
Error refused(const Submission& submission, Error by_daemon);

// The flag that says a field of the request; the field itself if there is none.
std::string_view flag_of(std::string_view field);

// Tasks of the sweep, empty if there is none. Two that would write to one file are an error.
Result<std::vector<SweepTask>> tasks_of(const Submission& submission);

// The body, and whether it is NDJSON (many tasks).
struct Body {
  std::string text;
  bool lines = false;
};
// As a single job that waits for nobody.
std::string write_single(const Submission& submission);
// "after":[…]. REQUIRES: each is a number by now.
void write_after(JsonWriter& json, const std::vector<AfterEntry>& after);
Body write_body(const Submission& submission, const std::vector<SweepTask>& tasks);

}  // namespace gpusched::cli
