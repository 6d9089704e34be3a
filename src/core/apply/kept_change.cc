#include "core/apply/kept_change.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace gpusched {
namespace {

// Of one answer; a longer one is kept as a number of jobs.
constexpr std::size_t kAnswerBytesMost = 64U << 10;

KeptChangeKey key_of_change(const Asked& asked) {
  return {asked.entry.uid.value_or(kNoAccount), asked.role, asked.key};
}

std::size_t bytes_of_answer(const Answer& answer) {
  std::size_t bytes = sizeof(Answer);
  if (const auto* changed = std::get_if<Changed>(&answer)) {
    bytes += changed->jobs.size() * sizeof(JobId);
    for (const auto& [id, why] : changed->unchanged) bytes += sizeof(id) + why.size();
  }
  return bytes;
}

bool is_old(const KeptChange& change, Now now) { return now.wall - change.at >= kChangesKeptFor; }

Refusal conflict_with_key(std::string why) { return {RefusalKind::kConflict, std::move(why)}; }

void forget_surplus(State& state, std::uint32_t account, Now now) {
  std::vector<const KeptChange*> all;
  std::size_t bytes = 0;
  const auto& rows = state.kept_changes();
  for (auto it = rows.lower_bound({account, Role::kViewer, {}});
       it != rows.end() && it->first.account == account; ++it) {
    all.push_back(&it->second);
    bytes += bytes_of(it->second);
  }
  std::ranges::sort(all, {}, [](const KeptChange* one) { return std::pair(one->at, one->key); });
  std::vector<KeptChangeKey> going;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {  // The newest stays.
    const bool fits = all.size() - i <= kChangesKeptMost && bytes <= kChangesKeptBytes;
    if (fits && !is_old(*all[i], now)) break;
    bytes -= bytes_of(*all[i]);
    going.push_back(all[i]->key);
  }
  for (const KeptChangeKey& key : going) state.remove<KeptChange>(key);
}

}  // namespace

std::size_t bytes_of(const KeptChange& change) {
  const std::size_t texts = change.key.key.size() + change.digest.size() + change.token.size();
  return texts + (change.answer ? bytes_of_answer(*change.answer) : 0);
}

std::optional<Answer> answer_before(const StateView& state, const Asked& asked, const Event& event,
                                    Now now) {
  if (asked.digest.empty()) return std::nullopt;
  const auto found = state.kept_changes().find(key_of_change(asked));
  if (found == state.kept_changes().end() || is_old(found->second, now)) return std::nullopt;
  const KeptChange& before = found->second;
  if (before.digest != asked.digest) {
    return conflict_with_key("this Idempotency-Key was used for another request; take a new one");
  }
  if (!before.over) {
    return conflict_with_key("this request was broken off in the middle: some of its " +
                             std::to_string(before.changed) +
                             " jobs were changed; look at them, and take a new Idempotency-Key");
  }
  if (std::holds_alternative<TokenMakeAsked>(event)) {
    return conflict_with_key("this request has made token " + before.token +
                             " already, and its secret was in that answer alone; revoke it, and "
                             "take a new Idempotency-Key");
  }
  if (!before.answer) {
    return conflict_with_key("this request was done at " + format_time(before.at) +
                             " and changed " + std::to_string(before.changed) +
                             " jobs; the list of them was too long to be kept");
  }
  return before.answer;
}

void keep_change(State& state, const Asked& asked, const Event& event, const Answer& answer,
                 bool over, Now now) {
  if (asked.digest.empty() || std::holds_alternative<Refusal>(answer)) return;
  KeptChange change{.key = key_of_change(asked), .digest = asked.digest, .at = now.wall};
  change.over = over;
  if (const auto* changed = std::get_if<Changed>(&answer)) change.changed = changed->jobs.size();
  if (const auto* made = std::get_if<TokenMakeAsked>(&event)) change.token = made->token.id;
  if (over && bytes_of_answer(answer) <= kAnswerBytesMost) change.answer = answer;
  const std::uint32_t account = change.key.account;
  state.put(std::move(change));
  forget_surplus(state, account, now);
}

void forget_old_changes(State& state, Now now) {
  std::vector<KeptChangeKey> going;
  for (const auto& [key, change] : state.kept_changes()) {
    if (is_old(change, now)) going.push_back(key);
  }
  for (const KeptChangeKey& key : going) state.remove<KeptChange>(key);
}

}  // namespace gpusched
