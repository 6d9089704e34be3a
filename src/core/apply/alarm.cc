// Alarms, as a look at the machine has found them, and what people do about them: silences, and
// messages to try out a receiver. Nothing is decided here: core/alarm/look.h has done that.
#include <algorithm>
#include <utility>

#include "core/apply/transitions.h"
#include "core/notify/tell.h"

namespace gpusched {
namespace {

std::vector<Target> targets_of(const std::vector<std::string>& receivers) {
  std::vector<Target> targets;
  targets.reserve(receivers.size());
  for (const std::string& name : receivers) targets.push_back({.receiver = name});
  return targets;
}

}  // namespace

Applied apply_alarms(State& state, const AlarmsSeen& seen, Now now) {
  for (const Alarm& alarm : seen.changes.put) state.put(alarm);
  for (const AlarmKey& key : seen.changes.removed) {
    if (state.alarms().contains(key)) state.remove<Alarm>(key);
  }
  for (const std::uint64_t id : seen.changes.silences_over) {
    if (state.silences().contains(id)) state.remove<Silence>(id);
  }
  for (const AlarmNotice& one : seen.changes.notices) {
    tell(state, one.notice, targets_of(one.receivers), now);
  }
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

std::optional<Refusal> check_silence(const StateView& state, const SilenceAsked& asked, Now now) {
  if (!may(asked.actor, Action::kSilence)) return only_others_may(Action::kSilence);
  const Silence& silence = asked.silence;
  if (silence.until <= silence.from || silence.until <= now.wall) {
    return Refusal{RefusalKind::kInvalid, "a silence must last for some time"};
  }
  if (silence.until - silence.from > kSilenceLongest) {
    return Refusal{RefusalKind::kInvalid,
                   "a silence lasts 90 days at most; switch the rule off in the configuration"};
  }
  const bool one_more = !same_silence(state.silences(), silence);
  if (one_more && state.silences().size() >= kSilencesMost) {
    return Refusal{RefusalKind::kConflict, "there are " + std::to_string(kSilencesMost) +
                                               " silences already; end one first"};
  }
  return std::nullopt;
}

Applied apply_silence(State& state, const SilenceAsked& asked, Now now) {
  if (auto refusal = check_silence(state, asked, now)) return refused(std::move(*refusal));
  Silence silence = asked.silence;
  // One number is one silence, for ever: who ends one must not hit another.
  while (silence.id == 0 || state.silences().contains(silence.id)) silence.id = state.take_number();
  silence.by = asked.actor.user;
  if (const auto same = same_silence(state.silences(), silence)) state.remove<Silence>(*same);
  state.put(std::move(silence));
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

std::optional<Refusal> check_silence_end(const StateView& state, const SilenceEndAsked& asked) {
  if (!may(asked.actor, Action::kSilence)) return only_others_may(Action::kSilence);
  if (state.silences().contains(asked.id)) return std::nullopt;
  return Refusal{RefusalKind::kNotFound, "there is no silence " + std::to_string(asked.id)};
}

Applied apply_silence_end(State& state, const SilenceEndAsked& asked) {
  if (auto refusal = check_silence_end(state, asked)) return refused(std::move(*refusal));
  state.remove<Silence>(asked.id);
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

std::optional<Refusal> check_alarm_test(const AlarmTestAsked& asked) {
  if (!may(asked.actor, Action::kSilence)) return only_others_may(Action::kSilence);
  if (!asked.receivers.empty()) return std::nullopt;
  return Refusal{RefusalKind::kInvalid, "there is no receiver to send a test message to"};
}

Applied apply_alarm_test(State& state, const AlarmTestAsked& asked, Now now) {
  if (auto refusal = check_alarm_test(asked)) return refused(std::move(*refusal));
  const Notice notice{.thread = kTestRule,
                      .rule = kTestRule,
                      .subject = "the machine",
                      .what = "this is a test message; nothing has happened",
                      .whom = asked.actor.user,
                      .since = now.wall,
                      .advice = "nothing is to be done: messages of gpusched arrive here"};
  tell(state, notice, targets_of(asked.receivers), now);
  return {.answer = Changed{}, .effects = {}, .follow_up = {}};
}

}  // namespace gpusched
