// Questions: the blocks that are being written come before those on disk.
#include <algorithm>
#include <utility>

#include "history/recorder.h"

namespace gpusched::history {
namespace {

// Of a job that was tried very often; the newest are shown.
constexpr std::size_t kAttemptsShown = 100;

}  // namespace

Result<Gathering> Recorder::gathered(const Plan& plan, const Track* track, const Shelf& shelf,
                                     std::span<const Metric> metrics) {
  Gathering gathering(plan, metrics);
  const Seconds width = options_.tiers[plan.tier].width;
  for (Wall start = block_start(plan.from, width); start < plan.to; start += width * kBuckets) {
    if (const Block* open = track == nullptr ? nullptr : track->find(plan.tier, start)) {
      gathering.add(*open);
      continue;
    }
    Result<Block> block = shelf.load(plan.tier, start);
    if (!block) return failure(block.error());
    gathering.add(*block);
  }
  return gathering;
}

Result<Answer> Recorder::answer_cards(const Question& question, Answer answer, const Plan& plan) {
  for (const auto& [uuid, card] : cards_) {
    if (question.card && card.number != question.card) continue;
    Result<Gathering> found = gathered(plan, &card.track, card_shelf(card.owner), card_metrics());
    if (!found) return failure(found.error());
    // A card that was taken out is of interest while it has something to show.
    if (!card.number && found->empty()) continue;
    answer.lines.push_back({card.number, uuid, {}, found->series()});
  }
  std::ranges::sort(answer.lines, [](const Line& a, const Line& b) {
    return std::pair(!a.number, a.number) < std::pair(!b.number, b.number);
  });
  return answer;
}

Result<Answer> Recorder::answer_job(JobId job, Answer answer, const Plan& plan) {
  Result<std::vector<KnownAttempt>> attempts = file_->attempts_of(job);
  if (!attempts) return failure(attempts.error());
  const std::size_t skipped = attempts->size() - std::min(attempts->size(), kAttemptsShown);
  for (std::size_t i = skipped; i < attempts->size(); ++i) {
    const KnownAttempt& known = (*attempts)[i];
    const auto open = attempts_.find(known.attempt);
    const Track* track = open == attempts_.end() ? nullptr : &open->second.track;
    Result<Gathering> found = gathered(plan, track, job_shelf(known.owner), job_metrics());
    if (!found) return failure(found.error());
    answer.lines.push_back({std::nullopt, {}, known.attempt, found->series()});
  }
  return answer;
}

Result<Answer> Recorder::answer(const Question& question) {
  const Wall now = std::max(question.to, clock_.newest().value_or(question.to));
  const Tiers& tiers = question.job ? job_tiers_ : options_.tiers;
  const Plan plan = plan_of(question, tiers, now);
  Answer answer{plan.from, plan.to, plan.step, {}};
  return question.job ? answer_job(*question.job, std::move(answer), plan)
                      : answer_cards(question, std::move(answer), plan);
}

}  // namespace gpusched::history
