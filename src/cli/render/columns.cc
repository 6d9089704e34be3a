#include "cli/render/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/csv.h"
#include "cli/table.h"

namespace gpusched::cli {
namespace {

// A column is cut to so many where the screen is narrow; words for people keep some more.
constexpr std::size_t kCutLeast = 6;
constexpr std::size_t kWordsLeast = 8;

std::string column_time(const std::optional<Wall>& at, const Page& page) {
  return at ? local_time(*at, page) : "";
}
std::string column_time_plain(const std::optional<Wall>& at) { return at ? format_time(*at) : ""; }

template <class T>
std::string number_or_empty(const std::optional<T>& number) {
  return number ? std::to_string(*number) : "";
}

std::string column_values(const JobView& job) {
  std::string text;
  for (const auto& [name, value] : job.values) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

std::string column_progress(const JobView& job) {
  return job.progress ? fmt::format("{}/{}", job.progress->step, job.progress->total) : "";
}

std::string column_seconds(const JobView& job) {
  if (!job.started_at || !job.ended_at) return "";
  return fmt::format("{:.3f}",
                     std::chrono::duration<double>(*job.ended_at - *job.started_at).count());
}

// A lambda of nothing is a plain function.
constexpr std::array kColumns = {
    JobColumn{"id", true, false,
              [](const JobView& j, const Page&) { return std::to_string(j.id); }},
    JobColumn{"state", false, false, [](const JobView& j, const Page&) { return j.state; }},
    JobColumn{"priority", true, false,
              [](const JobView& j, const Page&) { return std::to_string(j.priority); }},
    JobColumn{"user", false, false, [](const JobView& j, const Page&) { return j.user; }},
    JobColumn{"name", false, true, [](const JobView& j, const Page&) { return j.name; }},
    JobColumn{"cards", false, false, [](const JobView& j, const Page&) { return cards_text(j); }},
    JobColumn{"needs", false, false,
              [](const JobView& j, const Page&) { return needs_text(j.needs); }},
    JobColumn{"time", true, false,
              [](const JobView& j, const Page& page) { return elapsed_text(j, page); },
              column_seconds},
    JobColumn{"submitted", false, false,
              [](const JobView& j, const Page& page) { return column_time(j.submitted_at, page); },
              [](const JobView& j) { return column_time_plain(j.submitted_at); }},
    JobColumn{"started", false, false,
              [](const JobView& j, const Page& page) { return column_time(j.started_at, page); },
              [](const JobView& j) { return column_time_plain(j.started_at); }},
    JobColumn{"ended", false, false,
              [](const JobView& j, const Page& page) { return column_time(j.ended_at, page); },
              [](const JobView& j) { return column_time_plain(j.ended_at); }},
    JobColumn{
        "start", false, false,
        [](const JobView& j, const Page& page) { return column_time(j.estimated_start, page); },
        [](const JobView& j) { return column_time_plain(j.estimated_start); }},
    JobColumn{"exit", true, false,
              [](const JobView& j, const Page&) { return number_or_empty(j.exit_code); }},
    JobColumn{"signal", true, false,
              [](const JobView& j, const Page&) { return number_or_empty(j.signal); }},
    JobColumn{"cause", false, false, [](const JobView& j, const Page&) { return j.cause; }},
    JobColumn{"result", false, false,
              [](const JobView& j, const Page&) { return outcome_text(j); }},
    JobColumn{"attempt", true, false,
              [](const JobView& j, const Page&) { return std::to_string(j.attempt); }},
    JobColumn{"array", true, false,
              [](const JobView& j, const Page&) { return number_or_empty(j.array); }},
    JobColumn{"index", true, false,
              [](const JobView& j, const Page&) { return number_or_empty(j.array_index); }},
    JobColumn{"values", false, true,
              [](const JobView& j, const Page&) { return column_values(j); }},
    JobColumn{"progress", true, false,
              [](const JobView& j, const Page&) { return column_progress(j); }},
    JobColumn{"said", false, true, [](const JobView& j, const Page&) { return j.said; }},
    JobColumn{"group", false, true, [](const JobView& j, const Page&) { return j.group; }},
    JobColumn{"project", false, true, [](const JobView& j, const Page&) { return j.project; }},
    JobColumn{
        "tags", false, true,
        [](const JobView& j, const Page&) { return fmt::format("{}", fmt::join(j.tags, ",")); }},
    JobColumn{"command", false, true, [](const JobView& j, const Page&) { return j.command; }},
    JobColumn{"reason", false, true, [](const JobView& j, const Page&) { return j.reason; }},
    JobColumn{"message", false, true, [](const JobView& j, const Page&) { return j.message; }},
};

std::string column_title(std::string_view name) {
  std::string title(name);
  for (char& c : title) c = static_cast<char>(c - 'a' + 'A');
  return title;
}

}  // namespace

Result<ColumnChoice> parse_columns(std::string_view text) {
  std::array<std::string_view, kColumns.size()> names;
  std::ranges::transform(kColumns, names.begin(), &JobColumn::name);
  ColumnChoice choice;
  for (const std::string_view word : split(text, ',')) {
    const auto found = std::ranges::find(kColumns, word, &JobColumn::name);
    if (found == kColumns.end()) {
      const std::string near = nearest_word(word, names.data(), names.size());
      return failure(ErrorCode::kInvalid,
                     fmt::format("there is no column '{}'; {}", word,
                                 near.empty() ? fmt::format("one of {}", fmt::join(names, ", "))
                                              : fmt::format("did you mean {}?", near)));
    }
    choice.push_back(&*found);
  }
  return choice;
}

ColumnChoice usual_columns() {
  return *parse_columns(
      "id,state,priority,user,name,cards,time,submitted,started,ended,exit,cause,array,values,said,"
      "command,reason");
}

std::string render_columns(const std::vector<JobView>& jobs, const ColumnChoice& columns,
                           const Page& page) {
  std::vector<Column> heads;
  for (const JobColumn* column : columns) {
    const std::size_t least = column->flexible ? kWordsLeast : kCutLeast;
    heads.push_back({column_title(column->name), column->right, column->name == "id" ? 0 : least});
  }
  Table table(std::move(heads));
  for (const JobView& job : jobs) {
    std::vector<Cell> cells;
    for (const JobColumn* column : columns) {
      const std::string text = column->text(job, page);
      // What was asked for is there, also where it is empty in every row.
      cells.push_back({text.empty() ? "-" : text});
    }
    table.add(std::move(cells));
  }
  return table.text(page.width, page.colour);
}

std::string render_csv(const std::vector<JobView>& jobs, const ColumnChoice& columns) {
  std::vector<std::string> fields;
  for (const JobColumn* column : columns) fields.emplace_back(column->name);
  std::string out = csv_line(fields);
  for (const JobView& job : jobs) {
    fields.clear();
    for (const JobColumn* column : columns) {
      fields.push_back(column->plain == nullptr ? column->text(job, Page{}) : column->plain(job));
    }
    out += csv_line(fields);
  }
  return out;
}

}  // namespace gpusched::cli
