#include "cli/jobs/filled_in.h"

#include <fmt/format.h>

#include <array>

#include "cli/jobs/job_ids.h"
#include "cli/session.h"
#include "cli/submit/notes.h"
#include "cli/views/views.h"
#include "core/model/placeholders.h"

namespace gpusched::cli {
namespace {

constexpr std::array<std::string_view, 4> kFilledIn = {"--name", "--tag", "--cwd", "--env"};

std::string filled_in(const std::string& text, const JobView& job) {
  if (!job.array) return text;
  const auto index = static_cast<std::uint32_t>(job.array_index.value_or(0));
  return fill_in(text, ArrayTask{JobId{*job.array}, index, job.values});
}

std::vector<std::string_view> names_in(const JobView& job) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : job.values) names.push_back(name);
  if (job.array) names.push_back("index");
  return names;
}

}  // namespace

void tell_filled_in(const Client& client, const Selection& selection, const Arguments& arguments) {
  std::vector<Written> written;
  for (const std::string_view flag : kFilledIn) {
    for (const FlagValue* value : arguments.all(flag)) {
      if (value->text.find('{') != std::string::npos) written.push_back({flag, value->text});
    }
  }
  if (written.empty()) return;
  const auto jobs =
      list_jobs(client, {.target = with_parameter(list_target(selection), "limit=3")});
  if (!jobs || jobs->empty()) return;  // What was changed has been said.
  const std::vector<std::string_view> names = names_in(jobs->front());
  for (const Written& one : written) {
    if (one.flag == "--env" && names.empty()) continue;
    for (const std::string& words : notes_on_placeholders(one, names)) note(words);
  }
  for (const JobView& job : *jobs) {
    if (!job.array) continue;
    std::string words = fmt::format("job {}:", job.id);
    for (const Written& one : written) {
      words += fmt::format(" {} {}", one.flag, filled_in(one.text, job));
    }
    note(words);
  }
}

}  // namespace gpusched::cli
