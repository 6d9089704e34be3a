#include "cli/views/views.h"

#include "cli/views/view_reader.h"
#include "wire/message_json.h"

namespace gpusched::cli {

Result<JobView> parse_job(std::string_view body) { return parse_message<wire::JobRow>(body); }

Result<std::vector<JobView>> parse_jobs(std::string_view body) {
  auto answer = parse_message<wire::JobList>(body);
  if (!answer) return failure(answer.error());
  return std::move(answer->jobs);
}

Result<std::vector<JobDetails>> parse_job_details(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  std::vector<JobDetails> jobs;
  Reader(&*value).each("jobs", [&](const JsonValue& entry) {
    JobDetails& job = jobs.emplace_back();
    wire::read_message<wire::JobDetails>(entry, job);
    job.asked = read_shown_fields(entry);
  });
  return jobs;
}

Result<ExplainView> parse_explain(std::string_view body) {
  return parse_message<wire::Explanation>(body);
}

Result<ExplainedTogetherView> parse_explained_together(std::string_view body) {
  auto value = parse_answer(body);
  if (!value) return failure(value.error());
  ExplainedTogetherView view;
  view.together = value->find("count") != nullptr;
  if (view.together) wire::read_message<wire::ExplainedTogether>(*value, view);
  return view;
}

Result<std::vector<TrailView>> parse_trail(std::string_view body) {
  auto answer = parse_message<wire::Trail>(body);
  if (!answer) return failure(answer.error());
  return std::move(answer->events);
}

namespace {

PreviewView preview_view(wire::Preview preview) {
  PreviewView shown;
  shown.commands = std::move(preview.commands);
  for (wire::PreviewJob& job : preview.jobs) {
    shown.jobs.push_back({std::move(job.name), std::move(job.working_directory),
                          std::move(job.output_path), std::move(job.error_path)});
  }
  shown.starts_now = preview.starts_now;
  for (const wire::PreviewCard& card : preview.gpus) shown.cards.push_back(card.number);
  for (wire::WaitingReason& reason : preview.reasons) {
    shown.reasons.push_back(std::move(reason.message));
  }
  shown.estimated_start = preview.estimated_start;
  shown.start_unknown = std::move(preview.start_unknown);
  return shown;
}

}  // namespace

Result<SubmittedView> parse_submitted(std::string_view body) {
  auto answer = parse_message<wire::SubmittedJobs>(body);
  if (!answer) return failure(answer.error());
  SubmittedView view{.first = answer->first,
                     .last = answer->last == 0 ? answer->first : answer->last,
                     .count = answer->count,
                     .repeated = answer->repeated,
                     .warning = std::move(answer->warning)};
  if (answer->preview) view.preview = preview_view(std::move(*answer->preview));
  return view;
}

Result<SubmittedView> parse_previewed(std::string_view body) {
  auto answer = parse_message<wire::Previewed>(body);
  if (!answer) return failure(answer.error());
  SubmittedView view{.count = answer->count, .warning = std::move(answer->warning)};
  view.preview = preview_view(std::move(*answer));
  return view;
}

Result<ChangedView> parse_changed(std::string_view body) {
  auto answer = parse_message<wire::ChangedJobs>(body);
  if (!answer) return failure(answer.error());
  ChangedView view{.changed = std::move(answer->changed)};
  for (wire::Unchanged& one : answer->unchanged) {
    view.unchanged.emplace_back(one.id, std::move(one.why));
  }
  return view;
}

Result<WaitedView> parse_waited(std::string_view body) {
  auto answer = parse_message<wire::Waited>(body);
  if (!answer) return failure(answer.error());
  return WaitedView{.done = answer->done,
                    .jobs = std::move(answer->jobs),
                    .sweeps = std::move(answer->sweeps).value_or(std::vector<SweepView>())};
}

}  // namespace gpusched::cli
