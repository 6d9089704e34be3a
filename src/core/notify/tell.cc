#include "core/notify/tell.h"

#include <algorithm>

#include "base/text.h"

namespace gpusched {
namespace {

constexpr std::size_t kOthersMost = 5;
constexpr std::size_t kOtherMost = 300;
constexpr std::size_t kNameMost = 255;
constexpr std::size_t kSentenceMost = 2000;
constexpr std::size_t kAttachmentMost = 256U << 10;
constexpr std::size_t kPartOfOne = 10;     // Address, or user.
constexpr std::size_t kThreadsMost = 200;  // Of one message.

Notice bounded(const Notice& notice) {
  Notice kept = notice;
  for (std::string* name : {&kept.thread, &kept.group, &kept.rule, &kept.subject}) {
    *name = clipped(*name, kNameMost);
  }
  for (std::string* sentence : {&kept.what, &kept.whom, &kept.advice}) {
    *sentence = clipped(*sentence, kSentenceMost);
  }
  kept.attachment = clipped(kept.attachment, kAttachmentMost);
  return kept;
}

// The newest of them that is not on its way.
template <class Ids>
const Message* newest_waiting(const State& state, const Ids& ids) {
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    std::uint64_t number = 0;
    if constexpr (requires { id->first; }) {
      number = id->first;
    } else {
      number = *id;
    }
    const Message& message = state.messages().at(number);
    if (state.takes_more(message)) return &message;
  }
  return nullptr;
}

// "notify/ml1/start" and "notify/ml1/done", "temperature" and its end "temperature/over".
std::string_view family_of(std::string_view group) { return group.substr(0, group.rfind('/')); }

bool may_tell_of(const Message& message, const Notice& notice) {
  if (notice.thread.empty()) return false;
  if (message.notice.thread == notice.thread) return true;
  if (message.times == 1) return false;
  if (!message.threads.empty()) return message.threads.contains(notice.thread);
  return family_of(message.notice.group) == family_of(notice.group);
}

// What was told of the same thing before stands behind `into`: counted there, the notice would come
// before it, an end before its beginning.
bool overtakes(const State& state, const OutboxBook::Line& line, const Message& into,
               const Notice& notice) {
  const auto behind = line.waiting.upper_bound(into.id);
  return std::any_of(behind, line.waiting.end(), [&](const auto& entry) {
    return may_tell_of(state.messages().at(entry.first), notice);
  });
}

struct Place {
  const Message* into = nullptr;     // It is counted here.
  bool fresh = false;                // It becomes a message of its own. Neither: there is no room.
  const Message* instead = nullptr;  // This one goes for it.
};

// Of all users the one with most messages there; the newest of these that may still go.
const Message* newest_of_greatest(const State& state, const OutboxBook::Lines& lines,
                                  std::size_t than) {
  const Message* found = nullptr;
  std::size_t most = than;
  for (const auto& [user, ids] : lines.by_user) {
    if (ids.size() <= most) continue;
    const Message* newest = newest_waiting(state, ids);
    if (newest == nullptr) continue;
    found = newest;
    most = ids.size();
  }
  return found;
}

// REQUIRES: the target has an address.
Place place_among_users(const State& state, const OutboxBook::Lines& lines, std::size_t here,
                        const std::string& user) {
  const std::size_t most = std::max<std::size_t>(state.rules().outbox_most, 2);
  const std::size_t part = std::max<std::size_t>(most / kPartOfOne, 2);
  const auto own = lines.by_user.find(user);
  const std::size_t theirs = own == lines.by_user.end() ? 0 : own->second.size();
  if (here >= part || theirs >= part) return {};
  if (lines.addressed < most) return {.fresh = true};
  // Afterwards nobody has less than before whose share was the smaller one.
  const Message* instead = newest_of_greatest(state, lines, theirs + 1);
  return {.fresh = instead != nullptr, .instead = instead};
}

Place place_for(const State& state, const Target& target, const Notice& notice) {
  const auto lines = state.outbox().receivers().find(target.receiver);
  if (lines == state.outbox().receivers().end()) return {.fresh = true};
  const OutboxBook::Line* line = state.outbox().find(target.receiver, target.address);
  const std::string group = OutboxBook::group_key(notice);
  if (line != nullptr && !group.empty()) {
    const auto same = line->groups.find(group);
    if (same != line->groups.end()) {
      const Message* into = newest_waiting(state, same->second);
      if (into != nullptr && !overtakes(state, *line, *into, notice)) return {.into = into};
    }
  }
  const std::size_t here = line == nullptr ? 0 : line->waiting.size();
  Place place;
  if (target.address.empty()) {
    place.fresh = here < std::max<std::size_t>(state.rules().outbox_most, 2);
  } else {
    place = place_among_users(state, lines->second, here, notice.whom);
  }
  if (!place.fresh && line != nullptr) place.into = newest_waiting(state, line->waiting);
  return place;
}

void count_thread(Message& message, const Notice& notice) {
  const bool known = message.times == 1 || !message.threads.empty();
  if (!known) return;
  message.threads.insert({message.notice.thread, notice.thread});
  if (message.threads.size() > kThreadsMost) message.threads.clear();
}

void count_in(State& state, const Message& into, const Notice& notice, Now now) {
  Message message = into;
  count_thread(message, notice);
  ++message.times;
  message.last_at = now.wall;
  if (message.others.size() < kOthersMost) {
    message.others.push_back(clipped(notice.what, kOtherMost));
  }
  state.put(std::move(message));
}

void tell_one(State& state, const Notice& notice, const Target& target, Now now,
              std::vector<Untold>& untold) {
  const Place place = place_for(state, target, notice);
  if (place.into != nullptr) return count_in(state, *place.into, notice, now);
  if (!place.fresh) {
    untold.push_back({.target = target, .user = notice.whom, .job = notice.job});
    return;
  }
  if (place.instead != nullptr) {
    const Message& gone = *place.instead;
    untold.push_back({.target = {gone.receiver, gone.address},
                      .user = gone.notice.whom,
                      .job = gone.notice.job,
                      .times = gone.times,
                      .made_room = true});
    state.remove_message(gone.id);
  }
  Message message{.id = state.take_number(),
                  .receiver = target.receiver,
                  .address = target.address,
                  .notice = notice,
                  .at = now.wall,
                  .last_at = now.wall,
                  .due = now.wall};
  if (!notice.group.empty()) message.due += state.rules().group_wait;
  state.put(std::move(message));
}

}  // namespace

std::vector<Untold> tell(State& state, const Notice& notice, const std::vector<Target>& targets,
                         Now now) {
  const Receivers& known = state.rules().known_receivers();
  const Notice kept = bounded(notice);
  std::vector<Target> told;
  std::vector<Untold> untold;
  for (const Target& target : targets) {
    if (!known.contains(target.receiver) || std::ranges::count(told, target) > 0) continue;
    tell_one(state, kept, target, now, untold);
    told.push_back(target);
  }
  return untold;
}

}  // namespace gpusched
