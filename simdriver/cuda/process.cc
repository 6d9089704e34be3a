#include "simdriver/cuda/process.h"

#include <algorithm>

#include "simdriver/card_use.h"
#include "simdriver/clock.h"
#include "simdriver/futex.h"

namespace gpusched::simdriver::cuda {
namespace {

constexpr std::uint32_t kProhibited = 2;
constexpr std::uint32_t kExclusive = 3;

bool others_compute_on(const World& world, std::size_t card, std::size_t own) {
  bool others = false;
  for_each_on_card(world, card, [&](std::size_t slot, const Slot&) { others |= slot != own; });
  return others;
}

}  // namespace

Process::Process(World world, OwnSlot own, std::vector<std::size_t> visible)
    : world_(std::move(world)), own_(std::move(own)), visible_(std::move(visible)) {
  std::uint64_t cards = 0;
  for (const std::size_t card : visible_) cards |= std::uint64_t{1} << card;
  slot().visible_cards.store(cards);
}

void Process::become_mps_client(MpsClient client) {
  mps_.emplace(std::move(client));
  slot().unmovable.store(kMpsClient);
}

void Process::remap(const std::uint8_t* map) {
  const std::lock_guard guard(mutex_);
  std::uint64_t cards = 0;
  for (std::size_t& card : visible_) {
    card = map[card];
    cards |= std::uint64_t{1} << card;
  }
  slot().visible_cards.store(cards);
  // The new cards are as whole as they are now.
  for (const auto& context : contexts_) {
    context->broken_generation =
        world_.data().states[card_of(context->ordinal)].broken_generation.load();
  }
}

int Process::make_context_locked(Ordinal ordinal, Context** made) {
  const std::size_t card = card_of(ordinal);
  CardState& state = world_.data().states[card];
  if (state.lost.load() != 0) return kUnknown;
  const std::uint32_t mode = state.compute_mode.load();
  if (mode == kProhibited ||
      (mode == kExclusive && others_compute_on(world_, card, slot_number()))) {
    return kDeviceUnavailable;
  }
  SharedU64& cards = world_.data().slot_cards[slot_number()];
  const std::uint64_t bit = std::uint64_t{1} << card;
  const bool first = (cards.fetch_or(bit) & bit) == 0;
  SlotCard& held = slot().cards[card];
  if (first && held.started_us.load() == 0) held.started_us.store(wall_us());
  if (!take_bytes(world_, slot_number(), card, world_.data().facts[card].context_bytes)) {
    if (first) cards.fetch_and(~bit);
    return kOutOfMemory;
  }
  auto context = std::make_unique<Context>();
  context->ordinal = ordinal;
  context->broken_generation = state.broken_generation.load();
  *made = context.get();
  contexts_.push_back(std::move(context));
  return kSuccess;
}

int Process::end_context_locked(Context* context) {
  const std::size_t card = card_of(context->ordinal);
  std::uint64_t bytes = world_.data().facts[card].context_bytes;
  std::erase_if(allocations_, [&](const auto& each) {
    if (each.second.context != context) return false;
    bytes += each.second.bytes;
    return true;
  });
  give_bytes(world_, slot_number(), card, bytes);
  std::erase_if(contexts_, [context](const auto& each) { return each.get() == context; });
  const bool more = std::ranges::any_of(
      contexts_, [&](const auto& each) { return card_of(each->ordinal) == card; });
  if (!more) world_.data().slot_cards[slot_number()].fetch_and(~(std::uint64_t{1} << card));
  return kSuccess;
}

int Process::make_context(Ordinal ordinal, Context** made) {
  const std::lock_guard guard(mutex_);
  return make_context_locked(ordinal, made);
}

int Process::end_context(Context* context) {
  const std::lock_guard guard(mutex_);
  return end_context_locked(context);
}

int Process::retain_primary(Ordinal ordinal, Context** context) {
  const std::lock_guard guard(mutex_);
  Primary& primary = primaries_[ordinal];
  if (primary.context == nullptr) {
    const int code = make_context_locked(ordinal, &primary.context);
    if (code != kSuccess) return code;
  }
  ++primary.users;
  *context = primary.context;
  return kSuccess;
}

int Process::release_primary(Ordinal ordinal) {
  const std::lock_guard guard(mutex_);
  Primary& primary = primaries_[ordinal];
  if (primary.users == 0) return kInvalidContext;
  if (--primary.users > 0) return kSuccess;
  return end_context_locked(std::exchange(primary.context, nullptr));
}

bool Process::has_primary(Ordinal ordinal) const {
  const std::lock_guard guard(mutex_);
  const auto found = primaries_.find(ordinal);
  return found != primaries_.end() && found->second.context != nullptr;
}

int Process::allocate(Context* context, std::uint64_t bytes, Address* address) {
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
  const std::lock_guard guard(mutex_);
  if (mps_) {
    std::uint64_t own = bytes;
    for (const auto& [place, held] : allocations_) {
      if (held.context->ordinal == context->ordinal) own += held.bytes;
    }
    if (own > mps_->limit_of(context->ordinal)) return kOutOfMemory;
  }
  if (!take_bytes(world_, slot_number(), card_of(context->ordinal), bytes)) return kOutOfMemory;
  *address = next_address_;
  next_address_ += (bytes + kPage - 1) / kPage * kPage;
  allocations_[*address] = {context, bytes};
  return kSuccess;
}

int Process::free(Address address) {
  const std::lock_guard guard(mutex_);
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return kInvalidValue;
  give_bytes(world_, slot_number(), card_of(found->second.context->ordinal), found->second.bytes);
  allocations_.erase(found);
  return kSuccess;
}

Context* Process::find_context(ContextHandle handle) const {
  const std::lock_guard guard(mutex_);
  const auto found =
      std::ranges::find_if(contexts_, [&](const auto& each) { return each.get() == handle; });
  return found == contexts_.end() ? nullptr : found->get();
}

int Process::health_of(const Context& context) const {
  if (mps_ && !mps_->server_lives()) return kMpsRpcFailure;
  const CardState& state = world_.data().states[card_of(context.ordinal)];
  if (state.lost.load() != 0) return kUnknown;
  const bool broken = state.broken_generation.load() != context.broken_generation;
  return broken ? kEccUncorrectable : kSuccess;
}

Passage::Passage(Slot& slot) : slot_(slot) {
  while (true) {
    slot_.calls_in_flight.fetch_add(1);
    if (slot_.gate_closed.load() == 0) return;
    slot_.calls_in_flight.fetch_sub(1);
    futex_wake(slot_.calls_in_flight);
    // As the real one waits. Who opens the gate is a thread of this process.
    futex_wait(slot_.gate_closed, 1);
  }
}

Passage::~Passage() {
  slot_.calls_in_flight.fetch_sub(1);
  if (slot_.gate_closed.load() != 0) futex_wake(slot_.calls_in_flight);
}

std::vector<ContextHandle>& context_stack() {
  thread_local std::vector<ContextHandle> stack;
  return stack;
}

Context* current_context(const Process& process) {
  return context_stack().empty() ? nullptr : process.find_context(context_stack().back());
}

}  // namespace gpusched::simdriver::cuda
