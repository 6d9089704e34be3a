// What GET /v1/report answers: what was done, by whom and on which card, and what it cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/time.h"
#include "wire/message.h"

namespace gpusched::wire {

inline constexpr std::string_view kReportBy = "user|card|tenant|project|name|program|hour";

// From submission, or from when it may begin, to the first start.
struct ReportWaits {
  Amount jobs;
  double mean_s = 0, median_s = 0, p90_s = 0, p99_s = 0;

  static constexpr std::string_view kName = "ReportWaits";
  static constexpr auto fields() {
    return std::make_tuple(
        field("jobs", &ReportWaits::jobs), field("mean_s", &ReportWaits::mean_s),
        field("median_s", &ReportWaits::median_s, {.what = "quantiles are right within 5 %"}),
        field("p90_s", &ReportWaits::p90_s), field("p99_s", &ReportWaits::p99_s));
  }
};

struct ReportFailures {
  std::string cause;
  Amount attempts;

  static constexpr std::string_view kName = "ReportFailures";
  static constexpr auto fields() {
    return std::make_tuple(field("cause", &ReportFailures::cause),
                           field("attempts", &ReportFailures::attempts));
  }
};

struct ReportRow {
  std::optional<std::string> user;
  std::optional<std::optional<int>> card;  // Null: what ran on CPUs alone.
  std::optional<std::string> uuid, model;
  std::optional<std::string> tenant, project, name, program;
  std::optional<int> hour;
  bool others = false;
  Amount jobs, running, moves;
  std::optional<Amount> attempts;
  double aside_seconds = 0;
  double gpu_seconds = 0;
  std::optional<std::uint64_t> asked_vram_bytes, peak_vram_bytes, used_vram_bytes, moved_bytes;
  std::optional<double> peak_of_asked_percent, used_of_asked_percent;
  std::optional<double> mean_busy_percent, held_compute_percent;
  std::optional<double> wasted_gpu_seconds;
  std::optional<double> time_limit_seconds, time_used_seconds;
  std::optional<double> energy_joules;
  std::optional<double> cost;
  std::optional<ReportWaits> waits;
  std::optional<std::vector<ReportFailures>> failures;

  static constexpr std::string_view kName = "ReportRow";
  static constexpr auto fields() {
    return std::make_tuple(
        field("user", &ReportRow::user, kMaybe), field("card", &ReportRow::card, kMaybe),
        field("uuid", &ReportRow::uuid, kMaybe), field("model", &ReportRow::model, kMaybe),
        field("tenant", &ReportRow::tenant, kMaybe), field("project", &ReportRow::project, kMaybe),
        field("name", &ReportRow::name, kMaybe), field("program", &ReportRow::program, kMaybe),
        field("hour", &ReportRow::hour, {.maybe = true, .what = "of the day, in UTC"}),
        field("others", &ReportRow::others,
              {.maybe = true, .what = "the sum of all that one may not see"}),
        field("jobs", &ReportRow::jobs), field("running", &ReportRow::running),
        field("moves", &ReportRow::moves), field("attempts", &ReportRow::attempts, kMaybe),
        field("aside_seconds", &ReportRow::aside_seconds),
        field("gpu_seconds", &ReportRow::gpu_seconds),
        field("asked_vram_bytes", &ReportRow::asked_vram_bytes, kMaybe),
        field("peak_vram_bytes", &ReportRow::peak_vram_bytes, kMaybe),
        field("used_vram_bytes", &ReportRow::used_vram_bytes, kMaybe),
        field("moved_bytes", &ReportRow::moved_bytes, kMaybe),
        field("peak_of_asked_percent", &ReportRow::peak_of_asked_percent, kMaybe),
        field("used_of_asked_percent", &ReportRow::used_of_asked_percent, kMaybe),
        field("mean_busy_percent", &ReportRow::mean_busy_percent, kMaybe),
        field("held_compute_percent", &ReportRow::held_compute_percent, kMaybe),
        field("wasted_gpu_seconds", &ReportRow::wasted_gpu_seconds, kMaybe),
        field("time_limit_seconds", &ReportRow::time_limit_seconds, kMaybe),
        field("time_used_seconds", &ReportRow::time_used_seconds, kMaybe),
        field("energy_joules", &ReportRow::energy_joules, kMaybe),
        field("cost", &ReportRow::cost, kMaybe), field("waits", &ReportRow::waits, kMaybe),
        field("failures", &ReportRow::failures, kMaybe));
  }
};

// Seconds that jobs of a tenant waited while cards were held by another one.
struct ReportWaitedFor {
  std::string tenant, holder;
  double seconds = 0;

  static constexpr std::string_view kName = "ReportWaitedFor";
  static constexpr auto fields() {
    return std::make_tuple(
        field("tenant", &ReportWaitedFor::tenant),
        field("holder", &ReportWaitedFor::holder, {.what = "empty: no card was held"}),
        field("seconds", &ReportWaitedFor::seconds));
  }
};

struct ReportDay {
  std::string day;
  bool month = false;
  Amount jobs;
  double gpu_seconds = 0, waited_seconds = 0;
  Amount failures;

  static constexpr std::string_view kName = "ReportDay";
  static constexpr auto fields() {
    return std::make_tuple(
        field("day", &ReportDay::day, {.what = "of UTC"}),
        field("month", &ReportDay::month, {.maybe = true, .what = "it stands for its month"}),
        field("jobs", &ReportDay::jobs), field("gpu_seconds", &ReportDay::gpu_seconds),
        field("waited_seconds", &ReportDay::waited_seconds),
        field("failures", &ReportDay::failures));
  }
};

// Made by the client, from a replay of the machine's own jobs.
struct ReportSuggestion {
  std::string program, tenant;
  std::uint64_t runs = 0;
  std::uint64_t asked_bytes = 0, peak_bytes = 0, suggested_bytes = 0;
  double sooner_s = 0;
  std::string text;

  static constexpr std::string_view kName = "ReportSuggestion";
  static constexpr auto fields() {
    return std::make_tuple(
        field("program", &ReportSuggestion::program), field("tenant", &ReportSuggestion::tenant),
        field("runs", &ReportSuggestion::runs),
        field("asked_bytes", &ReportSuggestion::asked_bytes),
        field("peak_bytes", &ReportSuggestion::peak_bytes),
        field("suggested_bytes", &ReportSuggestion::suggested_bytes),
        field("sooner_s", &ReportSuggestion::sooner_s), field("text", &ReportSuggestion::text));
  }
};

struct Report {
  int schema = 1;
  std::optional<Wall> since, until;
  std::string by;
  std::optional<std::string> source;
  std::string currency;
  std::vector<ReportRow> rows;
  ReportRow total;
  std::optional<std::vector<ReportWaitedFor>> waited_for;
  std::optional<std::vector<ReportDay>> days;
  std::optional<std::vector<double>> hours;
  std::optional<std::vector<std::string>> notes;
  std::optional<std::vector<ReportSuggestion>> suggestions;

  static constexpr std::string_view kName = "Report";
  static constexpr auto fields() {
    return std::make_tuple(
        field("schema", &Report::schema), field("since", &Report::since, kAlways),
        field("until", &Report::until, kAlways), field("by", &Report::by, {.words = kReportBy}),
        field("source", &Report::source, {.maybe = true, .words = "days|jobs"}),
        field("currency", &Report::currency, kMaybe), field("rows", &Report::rows),
        field("total", &Report::total), field("waited_for", &Report::waited_for, kMaybe),
        field("days", &Report::days, kMaybe),
        field("hours", &Report::hours,
              {.maybe = true, .what = "GPU-seconds by hour of the day, in UTC"}),
        field("notes", &Report::notes, {.maybe = true, .what = "how to read the figures"}),
        field("suggestions", &Report::suggestions,
              {.maybe = true, .what = "only in what the client writes"}));
  }
};

}  // namespace gpusched::wire
