#include "api/outlook.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/answers.h"
#include "api/reason_answer.h"
#include "api/veil.h"
#include "core/apply/outlook.h"
#include "core/model/placeholders.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

// What they share and what is their own, with placeholders filled in.
std::vector<Job> first_jobs(const SubmitAsked& asked) {
  std::vector<Job> jobs;
  Job job;
  job.spec = asked.spec;
  for (const SubmitAsked::Task& task : asked.tasks) {
    if (asked.array) {
      job.task = std::make_shared<ArrayTask>(ArrayTask{JobId{1}, task.index, task.values});
    }
    jobs.push_back(job);
  }
  return jobs;
}

void fill_in_jobs(wire::Preview& preview, const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    preview.commands.push_back(command_line_of(job));
    preview.jobs.push_back({.name = name_of(job),
                            .working_directory = working_directory_of(job),
                            .output_path = output_path_of(job),
                            .error_path = error_path_of(job)});
  }
}

wire::Preview preview_of(const Outlook& outlook, const std::vector<Card>& cards) {
  wire::Preview preview{.starts_now = outlook.grant.has_value(),
                        .start_unknown = outlook.start_unknown};
  for (const CardGrant& held : outlook.grant ? outlook.grant->cards : std::vector<CardGrant>()) {
    const auto card = std::ranges::find(cards, held.card, &Card::number);
    preview.gpus.push_back({.number = number_of(held.card),
                            .uuid = card == cards.end() ? std::string() : card->uuid,
                            .vram_bytes = held.vram_bytes,
                            .whole = held.whole});
  }
  if (outlook.start) {
    preview.estimated_start = outlook.start->likely;
    preview.latest_start = outlook.start->latest;
  }
  return preview;
}

// The answer in the words that were asked for.
using Words = std::string (*)(wire::SubmittedJobs);

std::string tried_words(wire::SubmittedJobs answer) { return wire::to_json(answer); }

std::string preview_words(wire::SubmittedJobs answer) {
  wire::Previewed alone;
  static_cast<wire::Preview&>(alone) = std::move(*answer.preview);
  alone.count = answer.count;
  alone.warning = std::move(answer.warning);
  return wire::to_json(alone);
}

// On the loop: what is hidden of others depends on who they are.
void fill_in_reasons(const Veil& veil, const std::vector<Reason>& reasons,
                     wire::SubmittedJobs& answer) {
  answer.warning = veil.over(std::move(answer.warning));
  wire::Preview& preview = *answer.preview;
  preview.start_unknown = veil.over(std::move(preview.start_unknown));
  for (const Reason& reason : reasons) {
    veil.hide_in(preview.reasons.emplace_back(answer_of(veil.over(reason), std::nullopt)));
  }
}

// Played beside the loop, in the asker's turn.
void send_played(Context& context, const Call& call, TriedSubmission tried, Words words) {
  // Shared, because a function object must be copyable.
  struct Work {
    TriedSubmission tried;
    Excerpt excerpt;
    std::vector<Card> cards;
    std::vector<Reason> reasons = {};
  };
  auto work = std::make_shared<Work>(
      Work{std::move(tried), excerpt_of(context.state(), kLookedAheadMost, context.now()),
           context.state().cards()});
  context.parser.post(call.actor.account(), [&context, call, work, words]() -> Background::Then {
    auto& [answer, asked] = work->tried;
    const std::vector<Job> jobs = first_jobs(asked);
    Outlook outlook = outlook_of(std::move(work->excerpt), std::move(asked));
    answer.warning = outlook.warning;
    answer.preview = preview_of(outlook, work->cards);
    fill_in_jobs(*answer.preview, jobs);
    work->reasons = std::move(outlook.reasons);
    return [&context, call, work, words] {
      wire::SubmittedJobs& told = work->tried.answer;
      fill_in_reasons(Veil(context, call.actor), work->reasons, told);
      call.responder.send(json_response(words(std::move(told))));
    };
  });
}

}  // namespace

void send_with_outlook(Context& context, const Call& call, TriedSubmission tried) {
  send_played(context, call, std::move(tried), tried_words);
}

void send_outlook(Context& context, const Call& call, TriedSubmission tried) {
  send_played(context, call, std::move(tried), preview_words);
}

}  // namespace gpusched
