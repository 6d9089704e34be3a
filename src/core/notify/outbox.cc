#include "core/notify/outbox.h"

#include <algorithm>

#include "base/text.h"

namespace gpusched {
namespace {

constexpr Seconds kFirstWait{5};
constexpr Seconds kLongestWait{900};
constexpr std::size_t kErrorMost = 300;
// Of a receiver that is gone, in one turn.
constexpr std::size_t kLostPerTurn = 200;

Seconds wait_after(std::uint32_t tries) {
  Seconds wait = kFirstWait;
  for (std::uint32_t i = 1; i < tries && wait < kLongestWait; ++i) wait *= 2;
  return std::min(wait, kLongestWait);
}

void lose(State& state, std::uint64_t id, const std::string& why, std::vector<LostMessage>& lost) {
  lost.push_back({state.messages().at(id), why});
  state.remove_message(id);
}

void lose_all_of(State& state, const std::string& receiver, std::vector<LostMessage>& lost) {
  std::vector<std::uint64_t> ids;
  for (const auto& [address, line] : state.outbox().receivers().at(receiver).by_address) {
    for (const auto& [id, due] : line.waiting) {
      if (ids.size() < kLostPerTurn) ids.push_back(id);
    }
  }
  for (const std::uint64_t id : ids) {
    lose(state, id, "the configuration has no such receiver any more", lost);
  }
}

// After a jump of the clock a message may be due in days.
void bring_near(State& state, const std::string& receiver, Now now) {
  const auto& heads = state.outbox().receivers().at(receiver).heads;
  std::vector<std::uint64_t> far;
  for (auto head = heads.rbegin(); head != heads.rend(); ++head) {
    if (head->first <= now.wall + kLongestMessageWait) break;
    far.push_back(head->second);
  }
  for (const std::uint64_t id : far) {
    Message message = state.messages().at(id);
    message.due = now.wall + message_back_off(message.tries, id);
    state.put(std::move(message));
  }
}

// Null: it is settled already, or never was.
const Message* taken(State& state, std::uint64_t id) {
  const auto found = state.messages().find(id);
  if (found == state.messages().end()) return nullptr;
  state.end_doubt(id);
  if (state.sending(found->second.receiver) == id) state.set_sending(found->second.receiver, {});
  return &found->second;
}

void fail(State& state, const MessagesSettled::Failed& failed, Now now,
          std::vector<LostMessage>& lost) {
  const Message* before = taken(state, failed.id);
  if (before == nullptr) return;
  Message message = *before;
  ++message.tries;
  message.error = clipped(failed.error, kErrorMost);
  const Receivers& known = state.rules().known_receivers();
  const auto receiver = known.find(message.receiver);
  const bool over =
      receiver != known.end() && waited_after(message.tries) >= receiver->second.give_up;
  Microseconds wait = message_back_off(message.tries, message.id);
  if (failed.retry_after) {
    wait = std::max<Microseconds>(wait, std::min(*failed.retry_after, kLongestWait));
  }
  message.due = now.wall + wait;
  state.put(message);
  if (over || failed.refused) lose(state, message.id, message.error, lost);
}

}  // namespace

Microseconds message_back_off(std::uint32_t tries, std::uint64_t id) {
  const Microseconds wait = wait_after(tries);
  // Any mixing will do: equal ids are equal messages.
  const std::uint64_t mixed = (id * 0x9e3779b97f4a7c15ULL) >> 32U;
  return wait + wait * static_cast<std::int64_t>(mixed % 1000) / 10'000;
}

Seconds waited_after(std::uint32_t tries) {
  Seconds waited{0};
  std::uint32_t i = 1;
  for (; i <= tries && wait_after(i) < kLongestWait; ++i) waited += wait_after(i);
  if (i <= tries) waited += kLongestWait * static_cast<std::int64_t>(tries - i + 1);
  return waited;
}

std::vector<Message> take_due(State& state, Now now, std::vector<LostMessage>& lost) {
  const Receivers& known = state.rules().known_receivers();
  std::vector<std::string> names;
  for (const auto& [name, lines] : state.outbox().receivers()) names.push_back(name);
  std::vector<Message> due;
  for (const std::string& name : names) {
    if (state.sending(name)) continue;
    if (!known.contains(name)) {
      lose_all_of(state, name, lost);
      continue;
    }
    bring_near(state, name, now);
    const auto& head = *state.outbox().receivers().at(name).heads.begin();
    if (head.first > now.wall) continue;
    state.set_sending(name, head.second);
    due.push_back(state.messages().at(head.second));
  }
  return due;
}

void settle(State& state, const MessagesSettled& settled, Now now, std::vector<LostMessage>& lost) {
  for (const std::uint64_t id : settled.delivered) {
    if (taken(state, id) != nullptr) state.remove_message(id);
  }
  for (const MessagesSettled::Failed& failed : settled.failed) fail(state, failed, now, lost);
}

}  // namespace gpusched
