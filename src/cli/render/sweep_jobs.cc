#include "cli/render/sweep_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "cli/csv.h"
#include "cli/table.h"

namespace gpusched::cli {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

std::optional<double> number_of_field(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || rest != end) return std::nullopt;
  return number;
}

// Numbers by their value and before words; what is empty comes last.
bool comes_before(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return !a.empty() && b.empty();
  const auto one = number_of_field(a);
  const auto other = number_of_field(b);
  if (one && other) return *one < *other;
  if (one || other) return one.has_value();
  return a < b;
}

// "loss=0.13 acc=0.9" by name; other words are one value.
Values values_said(const std::string& said) {
  Values values;
  for (const std::string_view word : split_nonempty(said, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos) return {{"said", said}};
    values.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return values;
}

std::string sweep_job_seconds(const JobView& job, const Page& page) {
  if (!job.started_at) return "";
  const Wall until = job.ended_at.value_or(page.now);
  return fmt::format("{:.3f}", std::chrono::duration<double>(until - *job.started_at).count());
}

std::string sweep_title(std::string_view name) {
  std::string title(name);
  for (char& c : title) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return title;
}

Style sweep_job_style(const std::string& state) {
  if (state == "failed") return Style::kRed;
  if (state == "running" || state == "starting") return Style::kGreen;
  return state == "completed" ? Style::kPlain : Style::kDim;
}

}  // namespace

std::size_t SweepJobs::column(const std::string& name) {
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  names_.push_back(name);
  return names_.size() - 1;
}

SweepJobs::SweepJobs(const std::vector<JobView>& jobs, const Page& page) {
  column("id");
  for (const JobView& job : jobs) {
    if (job.values.empty()) column("index");
    for (const auto& [name, unused] : job.values) column(name);
  }
  for (const char* name : {"state", "time", "progress"}) column(name);
  for (const JobView& job : jobs) {
    std::vector<Field> row(names_.size());
    const auto set = [&](const std::string& name, std::string shown, std::string plain) {
      const std::size_t at = column(name);
      row.resize(std::max(row.size(), at + 1));
      row[at] = {std::move(shown), std::move(plain)};
    };
    const auto set_same = [&](const std::string& name, const std::string& text) {
      set(name, text, text);
    };
    set_same("id", std::to_string(job.id));
    if (job.values.empty() && job.array_index) set_same("index", std::to_string(*job.array_index));
    for (const auto& [name, value] : job.values) set_same(name, value);
    const std::string how = job.state == "failed" ? outcome_text(job) : "";
    set("state", how.empty() ? job.state : fmt::format("{}: {}", job.state, how), job.state);
    if (!job.waiting()) set("time", elapsed_text(job, page), sweep_job_seconds(job, page));
    if (job.progress) {
      set_same("progress", fmt::format("{}/{}", job.progress->step, job.progress->total));
    }
    for (const auto& [name, value] : values_said(job.said)) set_same(name, value);
    rows_.push_back(std::move(row));
  }
  for (auto& row : rows_) row.resize(names_.size());
}

Result<void> SweepJobs::sort(const SweepOrder& order) {
  const auto found = std::ranges::find(names_, order.by);
  if (found == names_.end()) {
    return failure(ErrorCode::kInvalid, fmt::format("--sort: there is no column '{}'; one of {}",
                                                    order.by, fmt::join(names_, ", ")));
  }
  const auto at = static_cast<std::size_t>(found - names_.begin());
  std::ranges::stable_sort(rows_, [&](const auto& a, const auto& b) {
    const std::string& one = a[at].plain;
    const std::string& other = b[at].plain;
    // What is not known comes last either way.
    const bool turned = order.reversed && !one.empty() && !other.empty();
    return turned ? comes_before(other, one) : comes_before(one, other);
  });
  if (order.most && rows_.size() > *order.most) rows_.resize(*order.most);
  return {};
}

std::string SweepJobs::table(const Page& page) const {
  std::vector<Column> columns;
  for (const std::string& name : names_) {
    const bool right = std::ranges::all_of(rows_, [&](const auto& row) {
      const std::string& plain = row[static_cast<std::size_t>(&name - names_.data())].plain;
      return plain.empty() || number_of_field(plain);
    });
    const int leave_out = name == "progress" ? 2 : name == "time" ? 1 : 0;
    columns.push_back({sweep_title(name), right, name == "id" ? 0U : 6U, leave_out});
  }
  Table table(std::move(columns));
  const auto state = std::ranges::find(names_, "state") - names_.begin();
  for (const auto& row : rows_) {
    std::vector<Cell> cells;
    for (const Field& field : row) cells.push_back({field.shown});
    cells[static_cast<std::size_t>(state)].style =
        sweep_job_style(row[static_cast<std::size_t>(state)].plain);
    table.add(std::move(cells));
  }
  return table.text(page.width, page.colour);
}

std::string SweepJobs::csv() const {
  std::string out = csv_line(names_);
  for (const auto& row : rows_) {
    std::vector<std::string> fields;
    for (const Field& field : row) fields.push_back(field.plain);
    out += csv_line(fields);
  }
  return out;
}

}  // namespace gpusched::cli
