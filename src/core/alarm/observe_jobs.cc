// What rules see of jobs and tenants.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "core/alarm/observe.h"

namespace gpusched {
namespace {

double seconds_of(Microseconds time) {
  return std::chrono::duration_cast<std::chrono::duration<double>>(time).count();
}

std::string number_text(JobId job) { return std::to_string(number_of(job)); }

std::string in_row_subject(const AlarmMemory::Failures& failures) {
  return failures.program + " of " + failures.tenant;
}

// Since the restart, of what was on before it: nobody remembers when it happened.
bool rests_after_restart(Judge& judge, Microseconds time) {
  return judge.now().boot - *judge.memory().first_look <= time;
}

}  // namespace

void observe_idle_holder(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  const double limit = threshold_of(rule).value_or(0);
  for (const IdleHolderFact& holder : facts.idle_holders) {
    const double idle =
        seconds_of(judge.now().boot - judge.memory().clock.boot_of(holder.idle_since));
    Sight sight{.subject = holder.subject,
                .standing = standing_above(idle, limit, clear_of(rule, limit)),
                .value = std::floor(idle / 60) * 60};
    sight.card = holder.card;
    sight.job = holder.job;
    sight.user = holder.user;
    sight.tenant = holder.tenant;
    judge.see(rule, std::move(sight), [&](bool over) {
      if (over) return AlarmWords{.what = holder.subject + " uses its card again"};
      return AlarmWords{
          .what = holder.subject + " of " + holder.user + " holds " +
                  rounded_size(holder.vram_bytes) + " and has not used its card for " +
                  format_duration(Seconds{static_cast<std::int64_t>(idle)}),
          .whom = holder.subject + " of " + holder.user,
          .advice = holder.job ? "ask its owner, or: gpusched pause " + number_text(*holder.job)
                               : "ask its owner to end it"};
    });
  }
  if (facts.all_cards_seen) judge.end_unseen(rule);
}

void observe_long_wait(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  const double limit = threshold_of(rule).value_or(0);
  const auto& wait = facts.longest_wait;
  const double waited =
      wait ? seconds_of(judge.now().boot - judge.memory().clock.boot_of(wait->since)) : 0;
  Sight sight{.subject = std::string(kTheMachine),
              .standing = standing_above(waited, limit, clear_of(rule, limit)),
              .value = std::floor(waited / 60) * 60};
  if (wait) sight.job = wait->job;
  judge.see(rule, std::move(sight), [&](bool over) {
    if (over || !wait) return AlarmWords{.what = "no job has waited for that long any more"};
    const std::string job = number_text(wait->job);
    const std::string others =
        wait->waiting > 1 ? "; " + counted(wait->waiting, "job") + " wait in all" : "";
    return AlarmWords{.what = "job " + job + " of " + wait->user + " has waited for " +
                              format_duration(Seconds{static_cast<std::int64_t>(waited)}) + others,
                      .whom = "job " + job + " of " + wait->user,
                      .advice = "gpusched explain " + job + " says what it waits for"};
  });
}

void observe_job_failed(Judge& judge, const AlarmRule& rule, const AlarmFacts& /*facts*/) {
  // Long enough to be told, also where looks come late.
  constexpr Seconds kToTell{10};
  const Seconds stays = rule.hold + std::max(rule.clear_for, kToTell);
  for (const auto& entry : judge.memory().failed_of_user) {
    const auto& user = entry.first;
    const auto& failures = entry.second;
    const bool over_now = judge.now().boot - failures.last > stays;
    Sight sight{.subject = "user " + user,
                .standing = over_now ? Standing::kWell : Standing::kBad,
                .value = static_cast<double>(failures.count)};
    sight.hold = sight.clear_for = Seconds{0};
    sight.event = true;
    sight.gather = rule.hold;
    sight.job = failures.job;
    sight.user = user;
    sight.tenant = failures.tenant;
    const std::string job = number_text(failures.job);
    judge.see(rule, std::move(sight), [&](bool over) {
      const std::string how = "job " + job + " " + failures.how;
      if (over) {
        return AlarmWords{.what = counted(failures.count, "job") + " of " + user +
                                  " failed in all, the last of them: " + how};
      }
      return AlarmWords{.what = failures.count == 1
                                    ? "job " + job + " of " + user + " failed: " + failures.how
                                    : counted(failures.count, "job") + " of " + user +
                                          " failed, the last of them: " + how,
                        .whom = user,
                        .advice = "gpusched logs " + job + " shows what it wrote"};
    });
  }
  // The next failure begins another count.
  std::erase_if(judge.memory().failed_of_user,
                [&](const auto& entry) { return judge.now().boot - entry.second.last > stays; });
  // Rows of before a restart, of which nothing more was heard.
  if (!rests_after_restart(judge, stays)) judge.end_unseen(rule);
}

void observe_failures_in_row(Judge& judge, const AlarmRule& rule, const AlarmFacts& /*facts*/) {
  const double limit = threshold_of(rule).value_or(1);
  for (const auto& entry : judge.memory().failures_in_row) {
    const auto& failures = entry.second;
    const bool forgotten = judge.now().boot - failures.last > rule.clear_for;
    const auto count = static_cast<double>(failures.count);
    Sight sight{.subject = in_row_subject(failures), .value = count};
    sight.standing = forgotten ? Standing::kWell : standing_above(count, limit, 0);
    sight.clear_for = Seconds{0};
    sight.job = failures.job;
    sight.user = failures.user;
    sight.tenant = failures.tenant;
    const std::string job = number_text(failures.job);
    judge.see(rule, std::move(sight), [&](bool over) {
      if (over) {
        return AlarmWords{.what = forgotten ? failures.program + " has not failed for a while"
                                            : failures.program + " went well again"};
      }
      return AlarmWords{
          .what = counted(failures.count, "job") + " of " + failures.program +
                  " failed one after the other, the last of them: job " + job + " " + failures.how,
          .whom = failures.user + ", tenant " + failures.tenant,
          .advice = "gpusched logs " + job + " shows what it wrote; gpusched hold --user " +
                    failures.user + " keeps the waiting ones back"};
    });
  }
  if (!rests_after_restart(judge, rule.clear_for)) judge.end_unseen(rule);
}

void observe_over_quota(Judge& judge, const AlarmRule& rule, const AlarmFacts& facts) {
  for (const QuotaFact& quota : facts.over_quota) {
    Sight sight{.subject = "tenant " + quota.tenant, .standing = Standing::kBad};
    sight.tenant = quota.tenant;
    judge.see(rule, std::move(sight), [&](bool) {
      return AlarmWords{.what = "tenant " + quota.tenant + " " + quota.what,
                        .whom = "tenant " + quota.tenant,
                        .advice = "gpusched tenant show " + quota.tenant +
                                  " has its quotas; gpusched tenant set changes them"};
    });
  }
  judge.end_unseen(rule);
}

}  // namespace gpusched
