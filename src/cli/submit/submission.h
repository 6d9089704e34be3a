// What `submit` and `run` ask for: flags, directives and job files read into one value, and that
// value written as the body of POST /v1/jobs. Reading is pure; what only the process knows
// (environment, limits, directory, clock) comes in as Surroundings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/flags.h"
#include "cli/submit/sweep.h"

namespace gpusched::cli {

struct Limit {
  int resource = 0;
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
};

struct Surroundings {
  std::string working_directory;
  std::vector<std::string> environment;  // "NAME=value".
  unsigned umask = 022;
  std::vector<Limit> limits;
  Wall now{};
  Seconds (*offset_at)(Wall) = nullptr;  // Local time minus UTC; null: UTC.
};
// Of this process.
Result<Surroundings> surroundings();

enum class AttachMode : unsigned char { kNone, kPipes, kPty };

struct GpuCount {
  int least = 1;
  int most = 1;
  bool all = false;
};

// A card as written: its number, or its alias or tag.
using CardName = std::variant<int, std::string>;

// "after" as written; `last` and `@~2` are still to be looked up.
struct AfterEntry {
  std::string selector;  // "7", "7-12", "last", "@~2".
  std::string kind = "ok";
};

struct Submission {
  std::vector<std::string> command;
  bool shell = false;
  std::string working_directory;
  std::vector<std::string> environment;
  unsigned umask = 022;
  std::vector<Limit> limits;
  std::optional<std::string> name, group, project, key, card_type, cpu_use, preempt, output, error;
  std::vector<std::string> tags;
  std::optional<int> priority;
  std::optional<GpuCount> gpus;
  std::optional<std::uint64_t> vram_bytes, vram_limit_bytes, ram_bytes;
  std::optional<int> share_percent, cpus;
  bool exclusive = false, restartable = false, hold = false;
  std::vector<CardName> only_cards, avoid_cards;
  std::optional<Seconds> time_limit, grace, back_off;
  std::optional<std::pair<int, Seconds>> signal, checkpoint;
  std::vector<AfterEntry> after;
  std::optional<int> retries;
  std::vector<std::string> retry_causes;
  std::optional<Wall> begin, expire, deadline;
  std::optional<ArrayFlag> array;
  std::vector<Parameter> parameters;  // `--each-line` is the parameter "line".
  AttachMode attach = AttachMode::kNone;
  int rows = 0, columns = 0;
};

// REQUIRES: directives and job file are merged in already; `lines` are those of --each-line.
Result<Submission> read_submission(const Arguments& arguments, const Surroundings& around,
                                   std::vector<std::string> lines);

// Tasks of the sweep, empty if there is none.
Result<std::vector<SweepTask>> tasks_of(const Submission& submission);

// The body, and whether it is NDJSON (many tasks).
struct Body {
  std::string text;
  bool lines = false;
};
Body write_body(const Submission& submission, const std::vector<SweepTask>& tasks);

// The values of single flags, shared with `set`.
Result<GpuCount> parse_gpu_count(const std::string& text);
Result<int> parse_priority(const std::string& text);
Result<int> parse_share(const std::string& text);
Result<std::vector<CardName>> parse_cards(const std::string& text);
Result<std::pair<int, Seconds>> parse_signal(const std::string& text);
// `USR1@60`, each part optional; "none@60": no signal, number 0.
Result<std::pair<int, Seconds>> parse_checkpoint(const std::string& text);
Result<std::vector<AfterEntry>> parse_after(const std::string& text);
Result<int> parse_whole(const std::string& text, int least, int most);

// Which placeholders of the sweep the command never uses; for a note to the user.
std::vector<std::string> unused_parameters(const Submission& submission);

}  // namespace gpusched::cli
